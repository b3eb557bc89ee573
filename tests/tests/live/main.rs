//! The suites over the real SDK: the embedded stack, or the endpoint `KINESIS_TEST_ENDPOINT` names.

mod aged_out;
#[cfg(feature = "testing")]
mod apps;
mod batches;
mod broken_stores;
mod broker;
#[cfg(feature = "testing")]
mod conformance;
mod copies;
mod counters;
#[cfg(feature = "dynamodb-lease")]
mod credentials;
mod cursors;
mod endpoint;
mod hand_overs;
mod handles;
mod handover;
mod late_acks;
mod leases;
mod listing;
mod odd_headers;
mod opening;
mod outages;
mod positions;
mod publish_refusals;
mod publishing;
mod reading;
mod renewal;
mod resharding;
mod seek_leases;
mod seek_races;
mod seek_refusals;
mod seek_resharded;
mod seeking;
mod service_faults;
mod settling;
mod sharing;
mod stale_rows;
mod stopping;
mod stored;
mod unlisted_parents;
