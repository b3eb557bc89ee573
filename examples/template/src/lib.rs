//! The service, as `main` runs it and the tests do.

pub mod handlers;

use std::time::Duration;

use ruststream::runtime::SubscriptionEnd;
use ruststream_kinesis::prelude::*;

/// Reads and writes through `broker`, whatever that connects to.
pub fn service(broker: KinesisBroker) -> RustStream {
    RustStream::new(AppInfo::new("orders", env!("CARGO_PKG_VERSION")))
        // A service that reads no more ends, and is started again.
        .on_subscription_end(SubscriptionEnd::FailFast)
        // Less than the supervisor's patience, so that the leases are always handed back.
        .shutdown_timeout(Duration::from_secs(20))
        .with_broker(broker, |b| {
            b.include(handlers::confirm)
                .out_reply(Publish::default())
                // Four deliveries; after that the order goes to a stream somebody looks at.
                .max_attempts(nonzero!(4))
                .dead_letter("orders.unpaid");
        })
}
