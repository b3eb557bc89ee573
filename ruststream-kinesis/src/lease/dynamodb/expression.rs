//! The expressions of one `UpdateItem`.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::item;
use crate::rules::members::Members;
use crate::rules::row::Row;

/// What an `UpdateItem` does, and when. Names and values stand behind placeholders, so that no name
/// can be one of the words that `DynamoDB` reserves.
#[derive(Debug, Default)]
pub(super) struct Expression {
    set: Vec<String>,
    remove: Vec<String>,
    conditions: Vec<String>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

/// The texts of an expression.
pub(super) struct Written {
    pub(super) update: String,
    pub(super) condition: String,
    pub(super) names: HashMap<String, String>,
    /// Nothing where there are none: an empty map is refused.
    pub(super) values: Option<HashMap<String, AttributeValue>>,
}

impl Expression {
    /// Makes the stored row `wanted` where it is still `known`.
    pub(super) fn change(known: Option<&Row>, wanted: &Row) -> Self {
        let mut this = Self::default();
        this.where_it_is(known);
        let absent = Row::default();
        let before = item::attributes(known.unwrap_or(&absent));
        for ((name, after), (_, before)) in item::attributes(wanted).into_iter().zip(before) {
            match (after, before) {
                (Some(after), before) if before.as_ref() != Some(&after) => this.set(name, after),
                (None, Some(_)) => this.remove(name),
                _ => {}
            }
        }
        this.set(item::COUNTER, item::count(wanted.counter));
        this
    }

    /// Enters what `wanted` says of `owner` where the row still says of it what `known` does, and
    /// forgets whom `wanted` no longer names.
    pub(super) fn announce(owner: &str, known: &Members, wanted: &Members) -> Self {
        let mut this = Self::default();
        let me = item::member_name(owner);
        let name = this.name(&me);
        let is_known = match known.entry(owner) {
            Some(said) => {
                let expiry = this.name(item::MEMBER_EXPIRY);
                format!("{name}.{expiry} = {}", this.value(item::count(said.expiry)))
            }
            None => format!("attribute_not_exists({name})"),
        };
        this.conditions.push(is_known);
        if let Some(said) = wanted.entry(owner) {
            this.set(&me, item::member(said));
        }
        let gone = known.entries().map(|(owner, _)| owner);
        let gone = gone.filter(|owner| wanted.entry(owner).is_none());
        for owner in gone.take(FORGOTTEN_AT_ONCE) {
            this.remove(&item::member_name(owner));
        }
        this
    }

    /// Takes the member out of a row that is there.
    pub(super) fn depart(owner: &str) -> Self {
        let mut this = Self::default();
        let key = this.name(item::KEY);
        this.conditions.push(format!("attribute_exists({key})"));
        this.remove(&item::member_name(owner));
        this
    }

    pub(super) fn written(self) -> Written {
        let clauses = [("SET", self.set), ("REMOVE", self.remove)];
        let clauses = clauses.into_iter().filter(|(_, parts)| !parts.is_empty());
        let clauses: Vec<_> = clauses
            .map(|(verb, parts)| format!("{verb} {}", parts.join(", ")))
            .collect();
        Written {
            update: clauses.join(" "),
            condition: self.conditions.join(" AND "),
            names: self.names,
            values: (!self.values.is_empty()).then_some(self.values),
        }
    }

    fn where_it_is(&mut self, known: Option<&Row>) {
        let key = self.name(item::KEY);
        let Some(row) = known else {
            self.conditions.push(format!("attribute_not_exists({key})"));
            return;
        };
        self.conditions.push(format!("attribute_exists({key})"));
        let owner = self.name(item::OWNER);
        let named = row.lease.as_ref().map(|lease| &*lease.owner);
        let name = self.value(item::string(named.unwrap_or_default()));
        self.conditions.push(match named {
            Some(_) => format!("{owner} = {name}"),
            // An empty text is no owner either.
            None => format!("(attribute_not_exists({owner}) OR {owner} = {name})"),
        });
        let counter = self.name(item::COUNTER);
        let count = self.value(item::count(row.counter));
        self.conditions.push(match row.counter {
            0 => format!("(attribute_not_exists({counter}) OR {counter} = {count})"),
            _ => format!("{counter} = {count}"),
        });
        // Somebody may have entered one by hand, without counting.
        if row.checkpoint.is_none() {
            let checkpoint = self.name(item::CHECKPOINT);
            self.conditions
                .push(format!("attribute_not_exists({checkpoint})"));
        }
    }

    fn set(&mut self, attribute: &str, value: AttributeValue) {
        let (name, value) = (self.name(attribute), self.value(value));
        self.set.push(format!("{name} = {value}"));
    }

    fn remove(&mut self, attribute: &str) {
        let name = self.name(attribute);
        self.remove.push(name);
    }

    fn name(&mut self, attribute: &str) -> String {
        let known = self.names.iter().find(|(_, known)| *known == attribute);
        if let Some((placeholder, _)) = known {
            return placeholder.clone();
        }
        let placeholder = format!("#n{}", self.names.len());
        self.names.insert(placeholder.clone(), attribute.to_owned());
        placeholder
    }

    fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }
}

/// How many members one call forgets at most: an expression holds 300 operators (the quotas page of
/// `DynamoDB`), and the next call forgets the rest.
const FORGOTTEN_AT_ONCE: usize = 100;
