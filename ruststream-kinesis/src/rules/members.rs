//! The instances that read one stream, as they told the store.

use std::collections::BTreeMap;
use std::time::Duration;

use super::store_time::{StoreTime, millis};

/// How long an entry stays after its end: an instance that paused finds itself again, and one that
/// is gone for good leaves no trace.
const KEPT: Duration = Duration::from_mins(10);

/// Who announced itself, by owner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Members(BTreeMap<String, Announced>);

/// What an instance said of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Announced {
    /// Until when that holds, by the store's clock.
    pub(crate) expiry: u64,
    pub(crate) max_leases: Option<usize>,
}

impl Members {
    /// Says that `owner` reads the stream for `ttl` from now, and forgets who is long gone.
    pub(crate) fn announce(
        &mut self,
        owner: &str,
        max_leases: Option<usize>,
        ttl: Duration,
        now: StoreTime,
    ) {
        self.0.retain(|_, member| !is_long_over(*member, now));
        let mut expiry = now.end_of(ttl);
        // A write is conditional on what was written last, which it must differ from: one that was
        // given up on would land after it otherwise.
        if self.0.get(owner).is_some_and(|last| last.expiry == expiry) {
            expiry += 1;
        }
        let announced = Announced { expiry, max_leases };
        self.0.insert(owner.to_owned(), announced);
    }

    /// Says that `owner` no longer reads the stream.
    pub(crate) fn depart(&mut self, owner: &str) {
        self.0.remove(owner);
    }

    /// Every entry, those whose time is over among them.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, Announced)> {
        self.0.iter().map(|(owner, member)| (&**owner, *member))
    }

    /// What is kept of that owner.
    #[cfg(feature = "dynamodb-lease")]
    pub(crate) fn entry(&self, owner: &str) -> Option<Announced> {
        self.0.get(owner).copied()
    }

    /// Who is not known to be gone, in the order of the owners.
    pub(crate) fn present(&self, now: StoreTime) -> impl Iterator<Item = (&str, Announced)> {
        self.entries()
            .filter(move |(_, member)| !now.is_past(member.expiry))
    }
}

#[cfg(feature = "dynamodb-lease")]
impl FromIterator<(String, Announced)> for Members {
    fn from_iter<I: IntoIterator<Item = (String, Announced)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

fn is_long_over(member: Announced, now: StoreTime) -> bool {
    now.is_past(member.expiry.saturating_add(millis(KEPT)))
}
