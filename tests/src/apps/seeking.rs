//! "Positions and seeking".

use futures::future::join_all;
use ruststream_kinesis::prelude::*;
use serde::{Deserialize, Serialize};

use super::info;
use crate::stand::Stand;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, Outgoing)]
#[outgoing(name = "jobs")]
struct Job {
    id: u64,
}

fn jobs(ids: &[u64]) -> Vec<Job> {
    ids.iter().map(|&id| Job { id }).collect()
}

/// Replays the retained backlog; on the marker record it abandons the rest of it and follows the
/// tip instead.
#[subscriber(KinesisStream::new("jobs"), start_at(KinesisPosition::horizon()))]
async fn replay(job: &Job, Ctx(seeker): Ctx<SeekHandle>) -> HandlerOutcome {
    if job.id == 999 && seeker.seek(KinesisPosition::latest()).await.is_err() {
        return HandlerOutcome::retry();
    }
    HandlerOutcome::ack()
}

/// Seeks past the record and leaves it unhandled all the same.
#[subscriber(KinesisStream::new("jobs"))]
async fn seek_and_leave(job: &Job, Ctx(seeker): Ctx<SeekHandle>) -> HandlerOutcome {
    if job.id == 999 && seeker.seek(KinesisPosition::latest()).await.is_ok() {
        return HandlerOutcome::retry();
    }
    HandlerOutcome::ack()
}

/// The example; for a stand on one thread, where the backlog is there before its first record is
/// read.
pub async fn a_handler_abandons_the_backlog_and_follows_the_tip(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(replay);
    });
    let tb = stand.start(app, &["jobs"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    let backlog = jobs(&[1, 999, 2, 3]);
    for published in join_all(backlog.iter().map(|job| broker.message(job).publish())).await {
        published.expect("the reaction settles");
    }
    let published = broker.message(&Job { id: 4 }).publish().await;
    published.expect("the reaction settles");
    assert_eq!(
        broker.subscriber("jobs").received::<Job>(),
        jobs(&[1, 999, 4])
    );
    tb.shutdown().await.expect("the app stops");
}

/// "an acknowledgement of a record delivered before the seek cannot pull the cursor back over the
/// position just taken", nor can leaving it unhandled.
pub async fn a_record_delivered_before_the_seek_cannot_pull_the_cursor_back(stand: impl Stand) {
    let app = RustStream::new(info()).with_broker(stand.service(), |b| {
        b.include(seek_and_leave);
    });
    let tb = stand.start(app, &["jobs"]).await.expect("the app starts");
    let broker = tb.broker::<KinesisBroker>();
    for job in jobs(&[1, 999, 2]) {
        let published = broker.message(&job).publish().await;
        published.expect("the reaction settles");
    }
    assert_eq!(
        broker.subscriber("jobs").received::<Job>(),
        jobs(&[1, 999, 2])
    );
    tb.shutdown().await.expect("the app stops");
}
