use std::time::Duration;

use crate::lease::dynamodb::expression::Expression;
use crate::rules::members::Members;
use crate::rules::row::Row;
use crate::rules::store_time::StoreTime;

const TTL: Duration = Duration::from_secs(10);

fn at(seconds: u64) -> StoreTime {
    StoreTime::since_epoch(Duration::from_secs(seconds))
}

/// The texts with every placeholder replaced by what it stands for.
fn plain(expression: Expression) -> (String, String) {
    let written = expression.written();
    let plain = |text: &str| {
        let mut text = text.to_owned();
        for (placeholder, name) in &written.names {
            text = replaced(&text, placeholder, name);
        }
        for (placeholder, value) in written.values.iter().flatten() {
            let value = value.as_s().or_else(|value| value.as_n());
            let value = value.map_or("{}", String::as_str);
            text = replaced(&text, placeholder, value);
        }
        text
    };
    (plain(&written.update), plain(&written.condition))
}

/// Not `#n10` for `#n1`.
fn replaced(text: &str, placeholder: &str, with: &str) -> String {
    let mut parts = text.split(placeholder);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let whole = !part.starts_with(|next: char| next.is_ascii_digit());
        plain.push_str(if whole { with } else { placeholder });
        plain.push_str(part);
    }
    plain
}

#[test]
fn a_first_write_is_of_a_row_that_is_not_there() {
    let mut wanted = Row::default();
    assert!(wanted.acquire("a", TTL, at(0)));
    let (update, condition) = plain(Expression::change(None, &wanted));
    assert_eq!(
        update,
        "SET lease_owner = a, lease_expiry = 10000, lease_counter = 1"
    );
    assert_eq!(condition, "attribute_not_exists(lease_key)");
}

#[test]
fn a_checkpoint_ends_the_cursor_under_the_owner_and_the_counter_it_was_decided_on() {
    let mut known = Row::default();
    assert!(known.acquire("a", TTL, at(0)));
    assert!(known.checkpoint("a", "1"));
    assert!(known.keep_cursor("a", "TRIM_HORIZON"));
    let mut wanted = known.clone();
    assert!(wanted.checkpoint("a", "2"));
    let (update, condition) = plain(Expression::change(Some(&known), &wanted));
    assert_eq!(
        update,
        "SET checkpoint = 2, lease_counter = 4 REMOVE lease_cursor"
    );
    assert_eq!(
        condition,
        "attribute_exists(lease_key) AND lease_owner = a AND lease_counter = 3"
    );
}

#[test]
fn a_first_checkpoint_replaces_none_that_was_entered_by_hand() {
    let mut known = Row::default();
    assert!(known.acquire("a", TTL, at(0)));
    let mut wanted = known.clone();
    assert!(wanted.checkpoint("a", "1"));
    let (_, condition) = plain(Expression::change(Some(&known), &wanted));
    assert!(condition.contains("attribute_not_exists(checkpoint)"));
}

#[test]
fn a_release_removes_the_lease_and_nothing_else() {
    let mut known = Row::default();
    assert!(known.acquire("a", TTL, at(0)));
    assert!(known.checkpoint("a", "1"));
    let mut wanted = known.clone();
    assert!(wanted.release("a"));
    let (update, _) = plain(Expression::change(Some(&known), &wanted));
    assert_eq!(
        update,
        "SET lease_counter = 3 REMOVE lease_owner, lease_expiry"
    );
}

#[test]
fn an_instance_is_entered_where_the_row_still_says_what_it_said_last() {
    let mut known = Members::default();
    known.announce("a", None, TTL, at(0));
    let mut wanted = known.clone();
    wanted.announce("b", None, TTL, at(5));
    let (update, condition) = plain(Expression::announce("b", &known, &wanted));
    assert_eq!(update, "SET member/b = {}");
    assert_eq!(condition, "attribute_not_exists(member/b)");

    let known = wanted.clone();
    wanted.announce("b", None, TTL, at(615));
    let (update, condition) = plain(Expression::announce("b", &known, &wanted));
    assert_eq!(update, "SET member/b = {} REMOVE member/a");
    assert_eq!(condition, "member/b.expiry = 15000");
}
