//! The descriptor: one stream and every setting of reading it.

use std::time::Duration;

use ruststream_kinesis_macros::descriptor;

use crate::connected::ConnectedKinesisBroker;
use crate::error::KinesisError;
use crate::rules::stream_ref;
use crate::subscriber::KinesisSubscriber;

/// What one subscription may hold of records that are fetched and not yet settled, unless
/// [`KinesisStream::memory_budget`] says otherwise.
const DEFAULT_MEMORY_BUDGET: usize = 256 * 1024 * 1024;

/// The longest pause that is of use: the default retention of a stream.
const ONE_DAY: Duration = Duration::from_hours(24);

#[cfg(feature = "asyncapi")]
fn millis(duration: &Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// One stream, named by name or by ARN, with every setting of reading it.
///
/// All instances of a service use one spelling: leases and checkpoints are kept under it.
#[descriptor(
    title = "Kinesis",
    connected = ConnectedKinesisBroker,
    subscriber = KinesisSubscriber,
    error = KinesisError,
    open = ConnectedKinesisBroker::open,
    settings = KinesisSubscriberExt,
    extension = "x-ruststream-kinesis",
)]
pub struct KinesisStream {
    /// The stream's name or ARN.
    #[identity(
        bind = "stream",
        check = |stream| stream_ref::parse(stream).is_ok(),
        reason = "a stream is named by 1 to 128 letters, digits, `_`, `.` or `-`, or by its ARN",
    )]
    stream: String,

    /// The pause between reads on an idle shard, at most a day. The service allows five reads a
    /// second per shard, and a shorter pause spends that budget faster.
    #[setting(
        default = Duration::from_secs(1),
        shown = "1 second",
        mount,
        bind = "pollIntervalMs",
        with = millis,
        literal = duration,
        check = |pause| !pause.is_zero() && *pause <= ONE_DAY,
        reason = "a poll interval is more than zero, which would read in a loop, and at most a day",
    )]
    poll_interval: Duration,

    /// Creates the stream with that many shards when it is missing, then waits up to a minute for
    /// it to become usable. Meant for local stacks and tests; a production stream is managed as
    /// infrastructure.
    #[setting(
        mount,
        bind = "shardCount",
        literal = int(1..),
        check = |shards| *shards > 0,
        reason = "a stream has at least one shard",
    )]
    create_if_missing: Option<i32>,

    /// Lets an acknowledgement resolve at once and stores each shard's watermark at most once per
    /// that time, at most a day, and always when the shard stops, ends or changes hands. Fewer writes
    /// to the lease store, and up to that much delivered again after a crash.
    #[setting(
        mount,
        literal = duration,
        check = |interval| !interval.is_zero() && *interval <= ONE_DAY,
        reason = "a checkpoint interval is more than zero, which is every acknowledgement, and at \
                  most a day",
    )]
    checkpoint_interval: Option<Duration>,

    /// The bytes of the process's memory this subscription may take for records that are fetched
    /// and not yet settled. Counted is what glibc's allocator takes with its default settings: a
    /// record of 128 KiB or more counts twice, and a read under way 80 MiB, or half of a smaller
    /// budget, but at least 40 MiB: the default has three reads under way at once, and a stream of
    /// many hundreds of shards is read faster with more. A budget smaller than that still reads one
    /// page at a time. A record that is never settled keeps up to 64 KiB.
    #[setting(
        default = DEFAULT_MEMORY_BUDGET,
        shown = "256 MiB",
        mount,
        literal = int(1..),
        check = |bytes| *bytes > 0,
        reason = "a memory budget of zero reads nothing",
    )]
    memory_budget: usize,
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_MEMORY_BUDGET, KinesisStream};

    #[test]
    fn the_readme_lists_every_read_setting_with_its_default() {
        let readme = include_str!("../../README.md");
        for (name, default, _, _) in KinesisStream::SETTINGS {
            let row = readme
                .lines()
                .find(|line| line.starts_with(&format!("| `{name}(")))
                .unwrap_or_else(|| panic!("no row for `{name}`"));
            let cells: Vec<_> = row.split('|').map(str::trim).collect();
            assert_eq!(cells[2], *default, "{row}");
        }
    }

    #[test]
    fn the_default_budget_is_what_the_docs_show() {
        assert_eq!(DEFAULT_MEMORY_BUDGET >> 20, 256);
    }

    #[test]
    fn an_invalid_descriptor_is_refused_with_the_rule_it_breaks() {
        use std::time::Duration;

        let stream = || KinesisStream::new("orders");
        for (descriptor, rule) in [
            (KinesisStream::new(""), "named by"),
            (KinesisStream::new("or ders"), "named by"),
            (KinesisStream::new("arn:aws:kinesis"), "named by"),
            (stream().create_if_missing(0), "at least one shard"),
            (stream().create_if_missing(-1), "at least one shard"),
            (
                stream().poll_interval(Duration::ZERO),
                "poll interval is more than zero",
            ),
            (
                stream().checkpoint_interval(Duration::ZERO),
                "checkpoint interval is more than zero",
            ),
            (stream().memory_budget(0), "memory budget of zero"),
        ] {
            let reason = descriptor.check().expect_err("it is refused");
            assert!(reason.contains(rule), "{descriptor:?}: {reason}");
        }
    }
}
