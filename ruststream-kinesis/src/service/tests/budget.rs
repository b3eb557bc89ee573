use futures::FutureExt;

use crate::service::budget::{Budget, Reservation, charge};

const MEBIBYTE: usize = 1024 * 1024;

/// Every page that may be asked for at once.
fn at_once(budget: &Budget) -> Vec<Reservation> {
    std::iter::from_fn(|| budget.reserve_page().now_or_never()).collect()
}

#[test]
fn a_page_in_flight_counts_with_what_the_allocator_keeps() {
    assert_eq!(at_once(&Budget::new(256 * MEBIBYTE)).len(), 3);
}

#[test]
fn a_small_budget_leaves_room_for_records_beside_its_page() {
    let budget = Budget::new(64 * MEBIBYTE);
    let mut page = at_once(&budget);
    assert_eq!(page.len(), 1);
    let held = page[0].split(20 * MEBIBYTE);
    drop(page);
    assert_eq!(at_once(&budget).len(), 1);
    drop(held);
}

#[test]
fn a_budget_smaller_than_a_page_is_one_page_at_a_time() {
    for bytes in [1, MEBIBYTE, 39 * MEBIBYTE] {
        let budget = Budget::new(bytes);
        let mut page = at_once(&budget);
        assert_eq!(page.len(), 1);
        // A page may turn out larger than what could be reserved for it.
        let held = [page[0].split(bytes), page[0].split(10 * MEBIBYTE)];
        drop(page);
        assert!(at_once(&budget).is_empty());
        drop(held);
        assert_eq!(at_once(&budget).len(), 1);
    }
}

#[test]
fn a_large_block_counts_twice() {
    assert_eq!(charge(64 * 1024), 64 * 1024);
    assert_eq!(charge(MEBIBYTE), 2 * MEBIBYTE);
}
