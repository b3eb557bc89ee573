//! What the calls of a lease store do to one stored row.
//!
//! ```text
//!  free ──acquire, take──► held ──its time is over──► lapsed ──acquire, take──► held by another
//!   ▲                     │    ▲                     │    │
//!   │                     │    └──acquire, renew─────┘    │
//!   └────────release──────┴───────────────release─────────┘
//! ```
//!
//! A lapsed lease is its owner's until another takes it: the owner may still renew it and write
//! under it. Every write counts the fencing counter up; a refused one changes nothing.

use std::time::Duration;

use super::store_time::StoreTime;

/// What is stored of one shard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) lease: Option<Lease>,
    /// How many writes the row has seen.
    pub(crate) counter: u64,
    pub(crate) checkpoint: Option<String>,
    /// Where the shard's reader opened or was moved to; it goes before the checkpoint.
    pub(crate) cursor: Option<String>,
    /// When the stream that checkpoint and cursor are of was created, in milliseconds since the
    /// Unix epoch.
    pub(crate) stream_created: Option<u64>,
}

/// Who has the shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lease {
    pub(crate) owner: String,
    /// When it ends by the store's clock.
    pub(crate) expiry: u64,
    /// The creation time of the stream its owner reads, if that was told. It becomes the row's with
    /// the first checkpoint or cursor, and is not stored before.
    pub(crate) reads: Option<u64>,
}

/// What a taker brings to the row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Start<'a> {
    /// The cursor to store, where it belongs in this row.
    pub(crate) cursor: Option<&'a str>,
    /// The creation time of the stream the taker reads.
    pub(crate) stream_created: Option<u64>,
}

impl Row {
    /// Whether the lease is `owner`'s, lapsed or not.
    pub(crate) fn is_held_by(&self, owner: &str) -> bool {
        self.lease
            .as_ref()
            .is_some_and(|lease| lease.owner == owner)
    }

    /// Who holds the lease, unless its time is over.
    pub(crate) fn holder(&self, now: StoreTime) -> Option<&str> {
        let lease = self.lease.as_ref()?;
        (!now.is_past(lease.expiry)).then_some(&*lease.owner)
    }

    /// Whether `owner` may take the lease.
    pub(crate) fn is_free_for(&self, owner: &str, now: StoreTime) -> bool {
        self.holder(now).is_none_or(|holder| holder == owner)
    }

    /// Whether checkpoint and cursor are of another stream than the one created then.
    pub(crate) fn is_stale(&self, stream_created: Option<u64>) -> bool {
        is_of_another_stream(self.stream_created, stream_created)
    }

    /// Gives the lease to `owner` for `ttl`, unless another holds it. Nothing else changes.
    pub(crate) fn acquire(&mut self, owner: &str, ttl: Duration, now: StoreTime) -> bool {
        if !self.is_free_for(owner, now) {
            return false;
        }
        let expiry = now.end_of(ttl);
        match &mut self.lease {
            Some(lease) if lease.owner == owner => lease.expiry = expiry,
            lease => {
                *lease = Some(Lease {
                    owner: owner.to_owned(),
                    expiry,
                    reads: None,
                });
            }
        }
        self.written()
    }

    /// Acquires, and stores what the taker brings. A stale row without a cursor to replace it stays
    /// what it is, so that it is still known to be stale.
    pub(crate) fn take(
        &mut self,
        owner: &str,
        ttl: Duration,
        now: StoreTime,
        start: Start<'_>,
    ) -> bool {
        if !self.acquire(owner, ttl, now) {
            return false;
        }
        if let Some(lease) = &mut self.lease {
            lease.reads = start.stream_created;
        }
        if let Some(cursor) = start.cursor {
            self.cursor = Some(cursor.to_owned());
        }
        if start.cursor.is_some() || !self.is_stale(start.stream_created) {
            self.stream_created = start.stream_created.or(self.stream_created);
        }
        true
    }

    /// Extends `owner`'s lease to `ttl` from now.
    pub(crate) fn renew(&mut self, owner: &str, ttl: Duration, now: StoreTime) -> bool {
        match &mut self.lease {
            Some(lease) if lease.owner == owner => lease.expiry = now.end_of(ttl),
            _ => return false,
        }
        self.written()
    }

    /// Stores `sequence` for `owner`, which ends the cursor.
    pub(crate) fn checkpoint(&mut self, owner: &str, sequence: &str) -> bool {
        if !self.is_held_by(owner) {
            return false;
        }
        // One call per acknowledgement: the row's string is reused.
        let stored = self.checkpoint.get_or_insert_default();
        stored.clear();
        stored.push_str(sequence);
        self.cursor = None;
        self.is_of_its_reader();
        self.written()
    }

    /// Stores `cursor` beside the checkpoint for `owner`.
    pub(crate) fn keep_cursor(&mut self, owner: &str, cursor: &str) -> bool {
        if !self.is_held_by(owner) {
            return false;
        }
        self.cursor = Some(cursor.to_owned());
        self.is_of_its_reader();
        self.written()
    }

    /// Frees the shard if the lease is `owner`'s. Checkpoint and cursor stay.
    pub(crate) fn release(&mut self, owner: &str) -> bool {
        if !self.is_held_by(owner) {
            return false;
        }
        self.lease = None;
        self.written()
    }

    fn is_of_its_reader(&mut self) {
        let reads = self.lease.as_ref().and_then(|lease| lease.reads);
        self.stream_created = reads.or(self.stream_created);
    }

    fn written(&mut self) -> bool {
        self.counter += 1;
        true
    }
}

/// What a store needs that writes to a row it does not have at hand.
#[cfg(feature = "dynamodb-lease")]
impl Row {
    /// Takes over the checkpoint of another row of the shard, where this one has none.
    pub(crate) fn adopt(&mut self, checkpoint: &str) -> bool {
        if self.checkpoint.is_some() {
            return false;
        }
        self.checkpoint = Some(checkpoint.to_owned());
        self.written()
    }

    /// Whether a store holds the same for both.
    pub(crate) fn is_stored_as(&self, other: &Self) -> bool {
        self.counter == other.counter && self.says_the_same_as(other)
    }

    /// Whether a store holds the same for both, however often each was written.
    pub(crate) fn says_the_same_as(&self, other: &Self) -> bool {
        fn lease(row: &Row) -> Option<(&str, u64)> {
            let lease = row.lease.as_ref();
            lease.map(|lease| (&*lease.owner, lease.expiry))
        }
        lease(self) == lease(other)
            && self.checkpoint == other.checkpoint
            && self.cursor == other.cursor
            && self.stream_created == other.stream_created
    }

    /// Recalls, from what was known of the row, what its owner reads: that is not stored.
    pub(crate) fn recall(&mut self, known: &Self) {
        if let (Some(lease), Some(known)) = (&mut self.lease, &known.lease)
            && lease.owner == known.owner
        {
            lease.reads = known.reads;
        }
    }
}

/// Whether what was written for a stream created at `of` is not of the one created at
/// `stream_created`. Where either is unknown, it is taken to be.
pub(crate) fn is_of_another_stream(of: Option<u64>, stream_created: Option<u64>) -> bool {
    matches!((of, stream_created), (Some(of), Some(now)) if of != now)
}
