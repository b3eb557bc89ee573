use proptest::prelude::*;

use crate::lease::dynamodb::item::{self, Item, Malformed};
use crate::rules::members::{Announced, Members};
use crate::rules::row::{Lease, Row};

fn row() -> impl Strategy<Value = Row> {
    let lease = ("[a-z/0-9]{1,12}", any::<u64>()).prop_map(|(owner, expiry)| Lease {
        owner,
        expiry,
        reads: None,
    });
    (
        proptest::option::of(lease),
        any::<u64>(),
        proptest::option::of("[0-9]{0,20}"),
        proptest::option::of("[A-Z_:0-9]{0,20}"),
        proptest::option::of(any::<u64>()),
    )
        .prop_map(|(lease, counter, checkpoint, cursor, stream_created)| Row {
            lease,
            counter,
            checkpoint,
            cursor,
            stream_created,
        })
}

/// The item that a write of the whole row leaves.
fn stored(row: &Row) -> Item {
    let attributes = item::attributes(row).into_iter();
    let attributes = attributes.filter_map(|(name, value)| Some((name, value?)));
    let counter = (item::COUNTER, item::count(row.counter));
    let attributes = attributes.chain([counter, (item::KEY, item::string("orders:0"))]);
    attributes
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

proptest! {
    #[test]
    fn a_row_comes_back_as_it_was_stored(row in row()) {
        prop_assert_eq!(item::row(&stored(&row)), Ok(row));
    }

    #[test]
    fn members_come_back_as_they_were_stored(
        members in proptest::collection::btree_map(
            "[a-z/0-9]{1,12}",
            (any::<u64>(), proptest::option::of(any::<usize>())),
            0..6,
        ),
    ) {
        let members: Members = members
            .into_iter()
            .map(|(owner, (expiry, max_leases))| (owner, Announced { expiry, max_leases }))
            .collect();
        let attributes = members
            .entries()
            .map(|(owner, said)| (item::member_name(owner), item::member(said)));
        let key = (item::KEY.to_owned(), item::string("orders:members"));
        let stored: Item = attributes.chain([key]).collect();
        prop_assert_eq!(item::members(&stored), Ok(members));
    }
}

#[test]
fn an_empty_owner_is_none() {
    let row = Item::from([(item::OWNER.to_owned(), item::string(""))]);
    assert_eq!(item::row(&row), Ok(Row::default()));
}

#[test]
fn a_lease_without_an_expiry_is_over() {
    let row = Item::from([(item::OWNER.to_owned(), item::string("a"))]);
    let lease = item::row(&row).expect("it is a row").lease;
    assert_eq!(lease.map(|lease| lease.expiry), Some(0));
}

#[test]
fn an_attribute_of_another_type_is_named() {
    for (name, value) in [
        (item::OWNER, item::count(1)),
        (item::EXPIRY, item::string("soon")),
        (item::COUNTER, item::string("1")),
        (item::CHECKPOINT, item::count(1)),
        (item::CURSOR, item::count(1)),
        (item::STREAM_CREATED, item::string("1")),
    ] {
        let row = Item::from([(name.to_owned(), value)]);
        let Err(Malformed(text)) = item::row(&row) else {
            panic!("{name} is of another type");
        };
        assert!(text.contains(name), "{text}");
    }
}
