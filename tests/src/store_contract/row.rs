//! What a row says, and what a taker finds.

use ruststream_kinesis::LeaseState;

use super::{NOT_YET_OVER, OVER, Place, Shard, opening};

pub async fn read_returns_the_stored_state_and_the_default_one_where_there_is_none(
    place: &impl Place,
) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    assert_eq!(first.read().await, LeaseState::default());
    assert!(first.acquire().await);
    assert!(first.checkpoint("1").await);
    let state = LeaseState::default().with_checkpoint("1");
    assert_eq!(second.read().await, state.with_owner("first"));
}

pub async fn read_names_the_owner_of_a_lease_until_it_is_over(place: &impl Place) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    assert!(first.acquire().await);
    place.pass(NOT_YET_OVER).await;
    assert_eq!(second.read().await.owner.as_deref(), Some("first"));
    place.pass(OVER).await;
    assert_eq!(second.read().await.owner, None);
    assert!(second.acquire().await);
    assert_eq!(first.read().await.owner.as_deref(), Some("second"));
    second.release().await;
    assert_eq!(first.read().await.owner, None);
}

pub async fn a_cursor_is_kept_beside_the_checkpoint_and_ends_with_the_next(place: &impl Place) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    assert!(!first.keep_cursor("TRIM_HORIZON").await);
    assert!(first.acquire().await);
    assert!(first.checkpoint("1").await);
    assert!(first.keep_cursor("TRIM_HORIZON").await);
    first.release().await;
    let state = second.read().await;
    assert_eq!(state.checkpoint.as_deref(), Some("1"));
    assert_eq!(state.cursor.as_deref(), Some("TRIM_HORIZON"));
    assert!(second.acquire().await);
    assert!(second.checkpoint("2").await);
    assert_eq!(second.read().await.cursor, None);
}

pub async fn take_acquires_and_answers_the_row_as_it_was_before(place: &impl Place) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    let nothing = opening(None, None);
    assert_eq!(first.take(&nothing).await, Some(LeaseState::default()));
    assert!(first.checkpoint("1").await);
    assert_eq!(second.take(&nothing).await, None);

    let state = LeaseState::default().with_checkpoint("1");
    let held = state.clone().with_owner("first");
    assert_eq!(first.take(&nothing).await, Some(held));
    place.pass(OVER).await;
    assert_eq!(second.take(&nothing).await, Some(state.clone()));
    assert!(!first.renew().await);
    second.release().await;
    assert_eq!(first.take(&nothing).await, Some(state));
    assert!(first.renew().await);
}

pub async fn take_keeps_the_cursor_where_the_row_says_nothing(place: &impl Place) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    let at_horizon = opening(Some("TRIM_HORIZON"), Some(1));
    assert_eq!(first.take(&at_horizon).await, Some(LeaseState::default()));
    first.release().await;
    let state = LeaseState::default()
        .with_cursor("TRIM_HORIZON")
        .with_stream_created(1);
    assert_eq!(second.read().await, state);
    let later = opening(Some("AT_TIMESTAMP:1"), Some(1));
    assert_eq!(second.take(&later).await, Some(state.clone()));
    assert_eq!(second.read().await, state.with_owner("second"));
}

pub async fn take_leaves_the_progress_of_a_row_alone(place: &impl Place) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    assert!(first.take(&opening(None, Some(1))).await.is_some());
    assert!(first.checkpoint("7").await);
    first.release().await;
    let state = LeaseState::default()
        .with_checkpoint("7")
        .with_stream_created(1);
    let later = opening(Some("AT_TIMESTAMP:1"), Some(1));
    assert_eq!(second.take(&later).await, Some(state.clone()));
    assert_eq!(first.read().await, state.with_owner("second"));
}

pub async fn take_replaces_what_a_row_says_where_a_position_was_asked_for(place: &impl Place) {
    let shard = Shard::of(place, "first");
    assert!(shard.acquire().await);
    assert!(shard.checkpoint("7").await);
    let mut replay = opening(Some("TRIM_HORIZON"), Some(1));
    replay.replaces = true;
    let found = shard.take(&replay).await.expect("it is the owner's");
    assert_eq!(found.checkpoint.as_deref(), Some("7"));
    assert_eq!(found.cursor, None);
    let state = shard.read().await;
    assert_eq!(state.checkpoint.as_deref(), Some("7"));
    assert_eq!(state.cursor.as_deref(), Some("TRIM_HORIZON"));
    assert_eq!(state.stream_created, Some(1));
}

/// A row with progress on the stream that was created at 1.
async fn with_progress(place: &impl Place) -> LeaseState {
    let first = Shard::of(place, "first");
    assert!(first.take(&opening(None, Some(1))).await.is_some());
    assert!(first.checkpoint("7").await);
    first.release().await;
    first.read().await
}

pub async fn a_stale_row_taken_with_a_cursor_is_of_the_new_stream(place: &impl Place) {
    let old = with_progress(place).await;
    let second = Shard::of(place, "second");
    let anew = opening(Some("TRIM_HORIZON"), Some(2));
    assert_eq!(second.take(&anew).await, Some(old));
    let state = second.read().await;
    assert_eq!(state.stream_created, Some(2));
    assert_eq!(state.cursor.as_deref(), Some("TRIM_HORIZON"));
    assert!(second.checkpoint("1").await);
    let state = LeaseState::default()
        .with_checkpoint("1")
        .with_stream_created(2);
    assert_eq!(second.read().await, state.with_owner("second"));
}

pub async fn a_stale_row_taken_without_a_cursor_is_known_as_stale_until_something_is_stored(
    place: &impl Place,
) {
    let old = with_progress(place).await;
    let second = Shard::of(place, "second");
    let anew = opening(None, Some(2));
    assert_eq!(second.take(&anew).await, Some(old.clone()));
    assert!(second.renew().await);
    assert_eq!(second.read().await, old.clone().with_owner("second"));
    second.release().await;
    let third = Shard::of(place, "third");
    assert_eq!(third.take(&anew).await, Some(old.clone()));
    assert!(third.renew().await);
    assert_eq!(third.read().await, old.with_owner("third"));
    assert!(third.keep_cursor("TRIM_HORIZON").await);
    assert_eq!(third.read().await.stream_created, Some(2));
    assert!(third.checkpoint("1").await);
    let state = third.read().await;
    assert_eq!(state.checkpoint.as_deref(), Some("1"));
    assert_eq!(state.stream_created, Some(2));
}
