//! What the instances see of each other.

use std::sync::Arc;

use ruststream_kinesis::{LeaseState, LeaseStore, Member, Survey};

use super::{LEASE, NOT_YET_OVER, OVER, Place, Shard};

const FIRST: &str = "shardId-000000000000";
const SECOND: &str = "shardId-000000000001";
const THIRD: &str = "shardId-000000000002";

async fn announce(store: &Arc<dyn LeaseStore>, stream: &str, member: &Member) -> Vec<Member> {
    let mut members = store
        .announce(stream, member, LEASE)
        .await
        .expect("the store answers");
    members.sort_by(|one, other| one.owner.cmp(&other.owner));
    members
}

async fn survey(store: &Arc<dyn LeaseStore>, shards: &[&str]) -> Survey {
    let survey = store.survey("orders", shards).await;
    survey
        .expect("the store answers")
        .expect("it shows the instances to each other")
}

async fn members(store: &Arc<dyn LeaseStore>) -> Vec<Member> {
    survey(store, &[]).await.members
}

pub async fn a_survey_shows_each_shard_in_the_order_asked_and_the_members(place: &impl Place) {
    let (first, second) = (Shard::of(place, "first"), Shard::of(place, "second"));
    assert!(first.acquire().await);
    assert!(first.checkpoint("1").await);
    let second = second.under(ruststream_kinesis::LeaseKey::new("orders", SECOND));
    assert!(second.acquire().await);
    assert!(second.keep_cursor("TRIM_HORIZON").await);

    let store = place.store();
    let me = Member::new("third", Some(2));
    announce(&store, "orders", &me).await;
    let seen = survey(&store, &[THIRD, SECOND, FIRST]).await;
    let held = [
        LeaseState::default(),
        LeaseState::default()
            .with_cursor("TRIM_HORIZON")
            .with_owner("second"),
        LeaseState::default()
            .with_checkpoint("1")
            .with_owner("first"),
    ];
    assert_eq!(seen.states, held);
    assert_eq!(seen.members, [me]);

    place.pass(OVER).await;
    let seen = survey(&store, &[FIRST, SECOND]).await;
    let owners = seen.states.iter().map(|state| state.owner.as_deref());
    assert!(owners.eq([None, None]));
    assert_eq!(seen.members, []);
}

pub async fn an_announced_instance_is_seen_until_its_time_is_over(place: &impl Place) {
    let (store, other) = (place.store(), place.store());
    let (first, second) = (Member::new("a/1", None), Member::new("b/2", Some(3)));
    let both = [first.clone(), second.clone()];
    assert_eq!(announce(&store, "orders", &first).await, both[..1]);
    place.pass(NOT_YET_OVER).await;
    assert_eq!(announce(&other, "orders", &second).await, both);
    assert_eq!(members(&store).await, both);
    place.pass(NOT_YET_OVER).await;
    let more = [Member::new("b/2", Some(4))];
    assert_eq!(announce(&other, "orders", &more[0]).await, more);
    assert_eq!(members(&store).await, more);
    place.pass(OVER).await;
    assert_eq!(members(&store).await, []);
}

pub async fn an_instance_that_departs_is_gone_at_once(place: &impl Place) {
    let (store, other) = (place.store(), place.store());
    store.depart("orders", "a").await.expect("nobody is there");
    let (first, second) = (Member::new("a", None), [Member::new("b", None)]);
    announce(&store, "orders", &first).await;
    announce(&other, "orders", &second[0]).await;
    store.depart("orders", "a").await.expect("it departs");
    assert_eq!(members(&other).await, second);
    store.depart("orders", "a").await.expect("it is gone");
    assert_eq!(members(&other).await, second);
}

pub async fn the_members_of_one_stream_are_not_those_of_another(place: &impl Place) {
    let store = place.store();
    let (first, second) = ([Member::new("a", None)], [Member::new("b", None)]);
    announce(&store, "orders", &first[0]).await;
    assert_eq!(announce(&store, "receipts", &second[0]).await, second);
    assert_eq!(members(&store).await, first);
}
