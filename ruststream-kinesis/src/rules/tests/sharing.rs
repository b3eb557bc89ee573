use std::sync::Arc;
use std::time::Duration;

use super::start;
use crate::rules::balance::Sharer;
use crate::rules::cursor::Cursor;
use crate::rules::seen_row::{SHARD_END, SeenRow};
use crate::rules::shard_graph::{Listed, ShardId};
use crate::rules::sharing::{Choice, Holdings, Sharing};
use crate::rules::subscription::{ParentsEnded, Shards};

const NOTHING: Holdings = Holdings {
    kept: 0,
    leaving: 0,
    parked: 0,
    waiting: Vec::new(),
};

fn shard(id: &str, parent: Option<&str>) -> Listed {
    Listed {
        id: id.into(),
        parent: parent.map(Into::into),
        adjacent_parent: None,
        open: true,
    }
}

/// One shard split in two, and another.
fn listed() -> Shards {
    let mut shards = Shards::new(0);
    shards.listed(
        vec![
            shard("0", None),
            shard("1", Some("0")),
            shard("2", Some("0")),
            shard("3", None),
        ],
        true,
    );
    shards
}

/// What `me` knows where `them` is there too.
fn sharing(most: usize) -> Sharing {
    let mut sharing = Sharing::new(&"me".into(), most);
    let sharer = |owner: &str| Sharer {
        owner: owner.to_owned(),
        most,
    };
    sharing.met(vec![sharer("me"), sharer("them")]);
    sharing
}

fn row(checkpoint: Option<&str>, owner: Option<&str>) -> SeenRow {
    SeenRow {
        checkpoint: checkpoint.map(str::to_owned),
        owner: owner.map(str::to_owned),
        ..SeenRow::default()
    }
}

fn saw(sharing: &mut Sharing, id: &str, row: SeenRow) {
    sharing.saw([(id.into(), row)]);
}

fn choose(sharing: &mut Sharing, shards: &mut Shards, holdings: &Holdings) -> Choice {
    let ready = shards.ready();
    sharing.choose(shards, ready, holdings, start())
}

fn asked(choice: &Choice) -> Vec<&str> {
    choice.asked.iter().map(|proof| &**proof.shard()).collect()
}

fn ids(ids: &[&str]) -> Vec<ShardId> {
    ids.iter().map(|id| ShardId::from(*id)).collect()
}

#[test]
fn a_shard_another_owner_holds_is_not_asked_for() {
    let (mut sharing, mut shards) = (sharing(9), listed());
    saw(&mut sharing, "0", row(None, Some("them")));
    saw(&mut sharing, "3", row(Some("7"), None));
    let choice = choose(&mut sharing, &mut shards, &NOTHING);
    assert_eq!(asked(&choice), ["3"]);
    assert_eq!(choice.elsewhere, ids(&["0"]));
    assert_eq!(shards.elsewhere(), 1);
}

#[test]
fn a_shard_that_is_over_is_asked_for_whatever_the_share_and_not_counted_in_it() {
    let (mut sharing, mut shards) = (sharing(1), listed());
    saw(&mut sharing, "0", row(Some(SHARD_END), None));
    let choice = choose(&mut sharing, &mut shards, &NOTHING);
    assert_eq!(asked(&choice), ["0", "3"]);
}

#[test]
fn a_shard_that_is_over_and_that_a_position_reads_again_needs_room() {
    let (mut sharing, mut shards) = (sharing(1), listed());
    shards.finished("0", true);
    let plan = shards.plan(&Cursor::Horizon);
    shards.repositioned(&Cursor::Horizon, &plan, 1);
    saw(&mut sharing, "0", row(Some(SHARD_END), None));
    let full = Holdings { kept: 1, ..NOTHING };
    assert!(asked(&choose(&mut sharing, &mut shards, &full)).is_empty());
}

#[test]
fn a_lease_whose_release_failed_is_left_to_expire_for_whom_it_was_meant() {
    let (mut sharing, mut shards) = (sharing(9), listed());
    saw(&mut sharing, "3", row(Some("7"), Some("me")));
    saw(&mut sharing, "0", row(None, Some("them")));
    let choice = choose(&mut sharing, &mut shards, &NOTHING);
    assert_eq!(asked(&choice), ["3"], "its own lease is taken again");
    sharing.gave(&"3".into(), start());
    let choice = choose(&mut sharing, &mut shards, &NOTHING);
    assert!(asked(&choice).is_empty());
}

#[test]
fn the_children_of_what_was_read_here_start_here_whoever_has_fewer() {
    let (mut sharing, mut shards) = (sharing(9), listed());
    shards.reading("3", &Cursor::Horizon);
    shards.reading("0", &Cursor::Horizon);
    shards.finished("0", true);
    let one = Holdings { kept: 1, ..NOTHING };
    assert_eq!(asked(&choose(&mut sharing, &mut shards, &one)), ["1", "2"]);
    // One that was read before is anybody's.
    saw(&mut sharing, "2", row(Some("7"), None));
    assert_eq!(asked(&choose(&mut sharing, &mut shards, &one)), ["1"]);
}

#[test]
fn what_waiting_shards_wait_for_is_read_where_their_leases_are() {
    let (mut sharing, mut shards) = (sharing(9), listed());
    shards.reading("3", &Cursor::Horizon);
    let waiting = Holdings {
        kept: 1,
        leaving: 0,
        parked: 2,
        waiting: ids(&["1", "2"]),
    };
    let choice = choose(&mut sharing, &mut shards, &waiting);
    assert_eq!(asked(&choice), ["0"]);
    shards.reading("0", &Cursor::Horizon);
    let kept = || vec![(None, ShardId::from("0")), (None, ShardId::from("3"))];
    let full = Holdings { kept: 2, ..waiting };
    let given = sharing.hand_over(&shards, &full, kept, start());
    assert_eq!(given, ids(&["3"]));
}

#[test]
fn the_shard_whose_checkpoint_has_waited_longest_is_handed_over_last() {
    let (mut sharing, shards) = (sharing(9), listed());
    let holdings = Holdings { kept: 4, ..NOTHING };
    let waited = |seconds| Some(Duration::from_secs(seconds));
    let kept = || {
        vec![
            (waited(9), Arc::from("0")),
            (waited(1), Arc::from("1")),
            (None, Arc::from("2")),
            (waited(5), Arc::from("3")),
        ]
    };
    let given = sharing.hand_over(&shards, &holdings, kept, start());
    assert_eq!(given, ids(&["2", "1"]));
}

#[test]
fn nothing_is_handed_over_where_the_rows_cannot_be_seen() {
    let (mut sharing, shards) = (sharing(9), listed());
    sharing.saw_nothing();
    let holdings = Holdings { kept: 4, ..NOTHING };
    let kept = || vec![(None, ShardId::from("0"))];
    assert!(
        sharing
            .hand_over(&shards, &holdings, kept, start())
            .is_empty()
    );
}

#[test]
fn a_child_waits_for_a_parent_whose_row_tells_of_a_place_before_its_end() {
    let (mut sharing, mut shards) = (sharing(9), listed());
    shards.finished("0", false);
    let children = |shards: &Shards| -> Vec<ParentsEnded> {
        let mut ready = shards.ready();
        ready.retain(|proof| &**proof.shard() != "3");
        ready
    };
    let ready = children(&shards);
    assert_eq!(sharing.unseen_parents(&shards, &ready), ids(&["0"]));
    saw(&mut sharing, "0", row(Some(SHARD_END), None));
    let over = sharing.unless_replayed(&mut shards, ready);
    assert_eq!(over.len(), 2);
    // Somebody sought to the horizon and is gone.
    let mut replayed = row(Some(SHARD_END), None);
    replayed.cursor = Some("TRIM_HORIZON".to_owned());
    saw(&mut sharing, "0", replayed);
    let ready = children(&shards);
    assert!(sharing.unless_replayed(&mut shards, ready).is_empty());
    let ready = shards.ready();
    let ready: Vec<_> = ready.iter().map(|proof| &**proof.shard()).collect();
    assert_eq!(ready, ["0", "3"]);
}
