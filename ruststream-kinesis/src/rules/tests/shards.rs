use std::sync::Arc;

use crate::rules::cursor::Cursor;
use crate::rules::shard_graph::Listed;
use crate::rules::subscription::Shards;

const OPENED: u64 = 1_700_000_000_000;

pub(super) fn shard(id: &str, parents: &[&str]) -> Listed {
    Listed {
        id: id.into(),
        parent: parents.first().map(|&parent| parent.into()),
        adjacent_parent: parents.get(1).map(|&parent| parent.into()),
        open: true,
    }
}

pub(super) fn listed(shards: &[Listed]) -> Shards {
    let mut rules = Shards::new(OPENED);
    rules.listed(shards.to_vec(), true);
    rules
}

pub(super) fn ready(rules: &Shards) -> Vec<String> {
    rules
        .ready()
        .iter()
        .map(|proof| proof.shard().to_string())
        .collect()
}

/// One shard split in two.
pub(super) fn split() -> Vec<Listed> {
    vec![shard("0", &[]), shard("1", &["0"]), shard("2", &["0"])]
}

#[test]
fn a_child_of_a_split_starts_only_after_its_parent_is_fully_consumed() {
    let mut rules = listed(&split());
    assert_eq!(ready(&rules), ["0"]);
    rules.reading("0", &Cursor::Horizon);
    assert!(ready(&rules).is_empty());
    rules.finished("0", true);
    assert_eq!(ready(&rules), ["1", "2"]);
}

#[test]
fn a_child_of_a_merge_waits_for_both_parents() {
    let mut rules = listed(&[shard("0", &[]), shard("1", &[]), shard("2", &["0", "1"])]);
    assert_eq!(ready(&rules), ["0", "1"]);
    rules.finished("1", true);
    assert_eq!(ready(&rules), ["0"]);
    rules.finished("0", true);
    assert_eq!(ready(&rules), ["2"]);
}

#[test]
fn a_parent_missing_from_the_listing_is_finished() {
    let rules = listed(&[shard("7", &["3"]), shard("8", &["3", "4"])]);
    assert_eq!(ready(&rules), ["7", "8"]);
}

#[test]
fn a_parent_that_ages_out_while_it_is_read_is_still_waited_for() {
    let mut rules = listed(&split());
    rules.reading("0", &Cursor::Horizon);
    rules.listed(split()[1..].to_vec(), true);
    assert!(ready(&rules).is_empty());
    rules.finished("0", true);
    assert_eq!(ready(&rules), ["1", "2"]);
}

#[test]
fn a_parent_held_elsewhere_that_one_listing_leaves_out_is_still_waited_for() {
    let mut rules = listed(&split());
    rules.held_elsewhere("0");
    rules.listed(split()[1..].to_vec(), true);
    assert!(ready(&rules).is_empty());
    rules.listed(split(), true);
    assert_eq!(ready(&rules), ["0"]);
    rules.listed(split()[1..].to_vec(), true);
    assert!(ready(&rules).is_empty());
    rules.listed(split()[1..].to_vec(), true);
    assert_eq!(ready(&rules), ["1", "2"]);
}

#[test]
fn a_shard_that_appears_without_its_parent_waits_for_another_listing() {
    let mut rules = listed(&[shard("9", &[])]);
    rules.listed(vec![shard("9", &[]), shard("1", &["0"])], true);
    assert_eq!(ready(&rules), ["9"]);
    rules.listed(
        vec![shard("9", &[]), shard("0", &[]), shard("1", &["0"])],
        true,
    );
    assert_eq!(ready(&rules), ["0", "9"]);
    rules.finished("0", true);
    assert_eq!(ready(&rules), ["1", "9"]);
}

#[test]
fn a_listing_from_before_a_shard_was_there_does_not_pass_it_over() {
    let mut rules = listed(&[shard("9", &[])]);
    rules.listed(vec![shard("9", &[]), shard("0", &[])], true);
    rules.held_elsewhere("0");
    rules.listed(vec![shard("9", &[])], true);
    rules.listed(vec![shard("9", &[]), shard("1", &["0"])], true);
    assert_eq!(ready(&rules), ["9"]);
    rules.listed(vec![shard("9", &[]), shard("1", &["0"])], true);
    assert_eq!(ready(&rules), ["1", "9"]);
}

#[test]
fn a_parent_that_aged_out_while_it_was_read_is_known_to_have_been_followed() {
    let mut rules = listed(&split());
    rules.reading("0", &Cursor::Horizon);
    rules.opened();
    rules.listed(split()[1..].to_vec(), true);
    rules.listed(split()[1..].to_vec(), true);
    rules.finished("0", true);
    assert_eq!(rules.prospect("1").cursor(None, None), Cursor::Horizon);
}

#[test]
fn a_parent_that_aged_out_half_read_is_known_to_have_been_followed() {
    let mut rules = listed(&split());
    rules.reading("0", &Cursor::Horizon);
    rules.opened();
    rules.stopped("0", Cursor::Horizon, false);
    rules.listed(split()[1..].to_vec(), true);
    rules.listed(split()[1..].to_vec(), true);
    assert_eq!(ready(&rules), ["1", "2"]);
    assert_eq!(rules.prospect("1").cursor(None, None), Cursor::Horizon);
}

#[test]
fn a_child_whose_parent_was_followed_opens_at_its_horizon() {
    let mut rules = listed(&split()[..1]);
    rules.reading("0", &Cursor::Tip);
    rules.opened();
    rules.listed(split(), true);
    rules.finished("0", true);
    assert_eq!(rules.prospect("1").cursor(None, None), Cursor::Horizon);
}

#[test]
fn a_child_that_existed_at_the_opening_with_its_parent_passed_at_the_tip_opens_at_that_tip() {
    let mut rules = listed(&split());
    rules.reading("0", &Cursor::Tip);
    rules.opened();
    rules.finished("0", true);
    assert_eq!(
        rules.prospect("1").cursor(None, None),
        Cursor::Timestamp(OPENED)
    );
}

#[test]
fn a_parent_taken_late_at_the_tip_of_the_opening_is_passed_at_that_tip() {
    let mut rules = listed(&split());
    rules.failed("0");
    rules.opened();
    let late = rules.prospect("0").cursor(None, None);
    rules.reading("0", &late);
    rules.finished("0", true);
    assert_eq!(
        rules.prospect("1").cursor(None, None),
        Cursor::Timestamp(OPENED)
    );
}

#[test]
fn a_parent_opened_again_at_the_tip_of_its_first_reader_is_passed_at_that_tip() {
    let mut rules = listed(&split());
    rules.reading("0", &Cursor::Tip);
    rules.opened();
    rules.stopped("0", Cursor::Timestamp(OPENED + 7), false);
    let again = rules.prospect("0").cursor(None, None);
    rules.reading("0", &again);
    rules.finished("0", true);
    assert_eq!(
        rules.prospect("1").cursor(None, None),
        Cursor::Timestamp(OPENED)
    );
}

#[test]
fn a_child_of_a_parent_finished_by_its_row_opens_at_its_horizon() {
    let mut rules = listed(&split());
    rules.finished("0", false);
    assert_eq!(rules.prospect("1").cursor(None, None), Cursor::Horizon);
}

#[test]
fn a_stream_wide_position_reaches_the_children_of_a_later_split() {
    let mut rules = listed(&split()[..1]);
    rules.reading("0", &Cursor::Tip);
    rules.opened();
    let plan = rules.plan(&Cursor::Timestamp(5));
    rules.repositioned(&Cursor::Timestamp(5), &plan, OPENED + 1);
    rules.listed(split(), true);
    rules.finished("0", true);
    assert_eq!(rules.prospect("1").cursor(None, None), Cursor::Timestamp(5));
}

#[test]
fn a_seek_to_the_horizon_reads_finished_parents_again_before_their_children() {
    let mut rules = listed(&split());
    rules.finished("0", true);
    rules.reading("1", &Cursor::Horizon);
    rules.reading("2", &Cursor::Horizon);
    let plan = rules.plan(&Cursor::Horizon);
    assert!(plan.moved.is_empty());
    assert_eq!(plan.parked, [Arc::from("1"), Arc::from("2")]);
    rules.repositioned(&Cursor::Horizon, &plan, OPENED);
    rules.stopped("1", Cursor::Tip, false);
    rules.stopped("2", Cursor::Tip, false);
    assert_eq!(ready(&rules), ["0"]);
    assert!(rules.ignores_row("0"), "its row says that it is finished");
    rules.reading("0", &Cursor::Horizon);
    rules.finished("0", true);
    assert_eq!(ready(&rules), ["1", "2"]);
    assert_eq!(
        rules.prospect("1").cursor(None, Some("99")),
        Cursor::Horizon
    );
}

#[test]
fn a_seek_to_the_tip_leaves_finished_shards_finished() {
    let mut rules = listed(&split());
    rules.finished("0", true);
    rules.reading("1", &Cursor::Horizon);
    let plan = rules.plan(&Cursor::Tip);
    assert_eq!(plan.moved, [Arc::from("1")]);
    assert!(plan.parked.is_empty());
    rules.repositioned(&Cursor::Tip, &plan, OPENED);
    assert_eq!(ready(&rules), ["2"]);
    assert_eq!(
        rules.prospect("2").cursor(None, None),
        Cursor::Timestamp(OPENED)
    );
}

#[test]
fn a_later_position_replaces_that_of_a_child_that_still_waits_for_its_replayed_parent() {
    let mut rules = listed(&split());
    rules.finished("0", true);
    rules.reading("1", &Cursor::Horizon);
    let plan = rules.plan(&Cursor::Horizon);
    rules.repositioned(&Cursor::Horizon, &plan, OPENED);
    rules.stopped("1", Cursor::Horizon, false);
    rules.reading("0", &Cursor::Horizon);
    let plan = rules.plan(&Cursor::Tip);
    rules.repositioned(&Cursor::Tip, &plan, OPENED + 1);
    rules.finished("0", true);
    let latest = Cursor::Timestamp(OPENED + 1);
    assert_eq!(rules.prospect("1").cursor(None, Some("99")), latest);
}

#[test]
fn a_position_wins_on_a_shard_that_was_not_taken_for_a_failure() {
    let mut rules = listed(&[shard("0", &[])]);
    rules.failed("0");
    rules.opened();
    let plan = rules.plan(&Cursor::Horizon);
    rules.repositioned(&Cursor::Horizon, &plan, OPENED);
    assert_eq!(
        rules.prospect("0").cursor(None, Some("17")),
        Cursor::Horizon
    );
}

#[test]
fn a_shard_taken_over_later_resumes_from_its_row_and_not_from_start_at() {
    let mut rules = listed(&[shard("0", &[])]);
    rules.held_elsewhere("0");
    rules.opened();
    let plan = rules.plan(&Cursor::Horizon);
    rules.repositioned(&Cursor::Horizon, &plan, OPENED);
    assert_eq!(
        rules.prospect("0").cursor(None, Some("17")),
        Cursor::After("17".to_owned())
    );
}

#[test]
fn a_replay_whose_lease_was_lost_before_any_progress_goes_on_as_a_replay() {
    let mut rules = listed(&[shard("0", &[])]);
    rules.reading("0", &Cursor::Horizon);
    rules.stopped("0", Cursor::Horizon, true);
    assert_eq!(
        rules.prospect("0").cursor(None, Some("17")),
        Cursor::Horizon
    );
}

#[test]
fn a_shard_another_owner_held_in_between_resumes_from_that_owners_progress() {
    let mut rules = listed(&[shard("0", &[])]);
    rules.reading("0", &Cursor::Horizon);
    rules.stopped("0", Cursor::Horizon, true);
    rules.held_elsewhere("0");
    assert_eq!(rules.elsewhere(), 1);
    assert_eq!(
        rules.prospect("0").cursor(None, Some("17")),
        Cursor::After("17".to_owned())
    );
}

#[test]
fn no_finished_shard_is_ever_ready_again_without_a_position() {
    let mut rules = listed(&split());
    rules.finished("0", true);
    rules.listed(split(), true);
    assert_eq!(ready(&rules), ["1", "2"]);
}

#[test]
fn a_listing_whose_parents_form_a_circle_is_survived() {
    let mut rules = listed(&[shard("0", &["1"]), shard("1", &["0"])]);
    assert!(ready(&rules).is_empty());
    let plan = rules.plan(&Cursor::Horizon);
    rules.repositioned(&Cursor::Horizon, &plan, OPENED);
}

#[test]
fn forty_generations_of_merges_and_splits_are_walked_at_once() {
    let mut listing = vec![shard("0", &[]), shard("1", &[])];
    for generation in 1..40 {
        let id = |number: usize| (generation * 2 + number).to_string();
        let parents = [
            (generation * 2 - 2).to_string(),
            (generation * 2 - 1).to_string(),
        ];
        let parents = [&*parents[0], &*parents[1]];
        listing.push(shard(&id(0), &parents));
        listing.push(shard(&id(1), &parents));
    }
    let mut rules = listed(&listing);
    rules.reading("79", &Cursor::Horizon);
    for position in [Cursor::Tip, Cursor::Horizon] {
        assert_eq!(rules.plan(&position).moved, [Arc::from("79")]);
    }
    rules.finished("0", true);
    assert_eq!(rules.plan(&Cursor::Horizon).parked, [Arc::from("79")]);
}
