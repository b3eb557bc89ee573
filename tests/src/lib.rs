//! What the integration suites share: bodies that run the same in process and against a service.

#[cfg(feature = "testing")]
pub mod apps;
#[cfg(feature = "dynamodb-lease")]
pub mod dynamo;
pub mod events;
#[cfg(feature = "dynamodb-lease")]
pub mod fleet;
pub mod frozen;
pub mod live;
#[cfg(feature = "testing")]
pub mod live_stand;
#[cfg(doctest)]
pub mod misuse;
#[cfg(feature = "testing")]
pub mod stand;
pub mod store;
pub mod store_contract;
#[cfg(feature = "testing")]
pub mod suites;
pub mod wire;
