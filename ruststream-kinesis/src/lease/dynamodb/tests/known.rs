use std::time::Duration;

use super::super::known::Known;
use crate::clock;
use crate::lease::LeaseKey;
use crate::rules::row::Row;

fn key(shard: usize) -> LeaseKey {
    LeaseKey::new("orders", format!("shardId-{shard:012}"))
}

#[tokio::test(start_paused = true)]
async fn what_is_known_of_shards_that_ended_is_forgotten() {
    let known = Known::default();
    for shard in 0..1_000 {
        let key = key(shard);
        known.found(&key, Some(Row::default()), clock::now());
        known.found_no_bare_row(key.shard());
        drop(known.turns(&key));
        tokio::time::advance(Duration::from_mins(10)).await;
    }
    let entries = known.entries();
    assert!(entries.iter().all(|count| *count < 20), "{entries:?}");
}

#[tokio::test(start_paused = true)]
async fn the_rows_that_are_written_and_the_writers_that_wait_are_kept() {
    let known = Known::default();
    let (held, other) = (key(0), key(1));
    let turn = known.turns(&other).lock_owned().await;
    for counter in 0..100 {
        let row = Row {
            counter,
            ..Row::default()
        };
        known.wrote(&held, row);
        drop(known.turns(&held));
        tokio::time::advance(Duration::from_hours(1)).await;
    }
    assert_eq!(known.entries(), [1, 2, 0]);
    let next = known.turns(&other);
    assert!(next.try_lock().is_err(), "one writer at a time");
    drop(turn);
    assert!(next.try_lock().is_ok());
}
