//! Seeks and start positions, and what a next owner makes of them.

use std::time::Duration;

use tests::fleet::{Command, Event, Start};
use tests::live::shard;

use crate::fleet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_whose_owner_is_killed_goes_on_at_the_next_owner() {
    const RECORDS: usize = 60;
    const REPLAYED: usize = 20;
    let mut fleet = fleet(1).await;
    let mut settings = fleet.settings("a");
    settings.work = Duration::from_millis(20);
    let mut a = fleet.join(&settings).await;
    let mut load = fleet.load(1);
    load.publish(RECORDS).await;
    a.told(Event::is_handled, RECORDS).await;
    a.command(Command::Seek(Start::Horizon));
    a.told(|event| *event == Event::Sought, 1).await;
    a.told(Event::is_handled, RECORDS + REPLAYED).await;
    a.kill().await;

    let before = fleet.timeline().handled();
    let replayed = before.last().expect("handled").1.number;
    settings.owner_id = "b".to_owned();
    let b = fleet.join(&settings).await;
    b.told(
        |event| matches!(event, Event::Handled(record) if record.number + 1 == RECORDS as u64),
        1,
    )
    .await;
    let (killed, next_owner) = (a.place(), b.place());
    fleet.stop([b]).await;
    let after: Vec<_> = fleet.timeline().handled()[before.len()..]
        .iter()
        .map(|(_, record)| record.number)
        .collect();
    // The record in work when the owner was killed is handled again.
    let next = after[0];
    assert!(
        [replayed, replayed + 1].contains(&next),
        "{next} after {replayed}"
    );
    let rest: Vec<_> = (next..RECORDS as u64).collect();
    assert_eq!(after, rest);
    fleet.check(&load.published(), |again| {
        (again.before, again.again) == (killed, next_owner)
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn start_at_wins_over_the_rows_when_it_opens_and_a_shard_taken_over_later_resumes_from_its_row()
 {
    const RECORDS: usize = 20;
    let mut fleet = fleet(1).await;
    let a = fleet.join(&fleet.settings("a")).await;
    let mut load = fleet.load(1);
    load.publish(RECORDS).await;
    fleet.handled(&load.published()).await;
    fleet.stop([a]).await;

    let mut settings = fleet.settings("b");
    settings.start_at = Some(Start::Horizon);
    let mut b = fleet.join(&settings).await;
    settings.owner_id = "c".to_owned();
    let c = fleet.join(&settings).await;
    b.told(Event::is_handled, RECORDS).await;
    let complaints = b.complaints();
    let said = |line: &str| line.contains(&shard(0)) && line.contains("Horizon");
    assert!(complaints.lines().any(said), "{complaints}");
    load.publish(RECORDS).await;
    b.told(Event::is_handled, 2 * RECORDS).await;
    b.kill().await;
    load.publish(RECORDS).await;
    fleet.handled(&load.published()).await;
    let all = fleet.timeline().handled();
    let replayed = all
        .iter()
        .filter(|(by, record)| *by == c.place() && record.number < 2 * RECORDS as u64);
    // At most what was in work at the kill.
    assert!(replayed.count() <= 1);
    let (killed, next_owner) = (b.place(), c.place());
    fleet.stop([c]).await;
    fleet.check(&load.published(), |again| {
        (again.before, again.again) == (killed, next_owner)
    });
}
