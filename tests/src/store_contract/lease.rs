//! Who holds a shard.

use futures::future::join_all;
use ruststream_kinesis::LeaseKey;

use super::{NOT_YET_OVER, OVER, Place, Shard};

pub async fn acquire_takes_a_shard_for_an_owner_and_steals_a_lease_that_has_expired(
    place: &impl Place,
) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    assert!(first.acquire().await);
    assert!(!second.acquire().await);
    place.pass(NOT_YET_OVER).await;
    assert!(!second.acquire().await);
    place.pass(OVER).await;
    // On the first call.
    assert!(second.acquire().await);
    assert!(!first.acquire().await);
}

pub async fn acquire_renews_what_its_owner_holds_already(place: &impl Place) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    for _ in 0..3 {
        assert!(first.acquire().await);
        assert!(!second.acquire().await);
        place.pass(NOT_YET_OVER).await;
    }
}

pub async fn renew_heartbeats_a_lease_and_fails_once_another_owner_has_taken_the_shard(
    place: &impl Place,
) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    assert!(!first.renew().await);
    assert!(first.acquire().await);
    for _ in 0..3 {
        place.pass(NOT_YET_OVER).await;
        assert!(first.renew().await);
        assert!(!second.acquire().await);
    }
    place.pass(OVER).await;
    assert!(second.acquire().await);
    assert!(!first.renew().await);
    assert!(second.renew().await);
}

pub async fn an_expired_lease_is_its_owners_until_another_takes_it(place: &impl Place) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    assert!(first.acquire().await);
    place.pass(OVER).await;
    assert!(first.checkpoint("1").await);
    assert!(first.keep_cursor("TRIM_HORIZON").await);
    assert!(first.renew().await);
    assert!(!second.acquire().await);
}

pub async fn checkpoint_records_progress_while_the_owner_still_holds_the_lease(place: &impl Place) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    assert!(!first.checkpoint("1").await);
    assert!(first.acquire().await);
    assert!(first.checkpoint("1").await);
    assert!(first.checkpoint("2").await);
    place.pass(OVER).await;
    assert!(second.acquire().await);
    assert!(!first.checkpoint("3").await);
    assert!(!first.keep_cursor("TRIM_HORIZON").await);
    let state = second.read().await;
    assert_eq!(state.checkpoint.as_deref(), Some("2"));
    assert_eq!(state.cursor, None);
}

pub async fn release_hands_a_shard_back_without_waiting_for_the_expiry_and_keeps_its_checkpoint(
    place: &impl Place,
) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    assert!(first.acquire().await);
    assert!(first.checkpoint("1").await);
    second.release().await;
    assert!(!second.acquire().await);
    first.release().await;
    first.release().await;
    assert!(!first.checkpoint("2").await);
    assert!(!first.renew().await);
    assert!(second.acquire().await);
    assert_eq!(second.read().await.checkpoint.as_deref(), Some("1"));
}

pub async fn shards_of_one_id_belong_to_their_streams(place: &impl Place) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    assert!(first.acquire().await);
    assert!(first.checkpoint("1").await);
    let elsewhere = second.under(LeaseKey::new("receipts", "shardId-000000000000"));
    assert_eq!(elsewhere.read().await.checkpoint, None);
    assert!(elsewhere.acquire().await);
    assert!(elsewhere.checkpoint("2").await);
    assert_eq!(first.read().await.checkpoint.as_deref(), Some("1"));
}

pub async fn of_many_owners_that_ask_at_once_one_gets_the_shard(place: &impl Place) {
    let owners = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let shards = owners.map(|owner| Shard::of(place, owner));
    for _ in 0..5 {
        let got = join_all(shards.iter().map(Shard::acquire)).await;
        assert_eq!(got.iter().filter(|got| **got).count(), 1, "{got:?}");
        let wrote = join_all(shards.iter().map(|shard| shard.checkpoint("1"))).await;
        assert_eq!(wrote, got);
        let holder = got.iter().position(|got| *got).expect("one of them");
        shards[holder].release().await;
    }
}
