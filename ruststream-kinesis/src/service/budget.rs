//! The memory one subscription may spend.
//!
//! Bytes are reserved before a call, for what its page costs while it is in flight, and given back
//! as the blocks its records were packed into are dropped.
//!
//! What is counted is what the process is charged for, and that is more than what is in use: glibc,
//! left to itself, keeps freed blocks of a page's size in the heap of each thread, since the first
//! that is freed raises the size from which it gives them back (`M_MMAP_THRESHOLD` in mallopt(3)).
//! `cargo bench -p tests -- weigh` shows what that comes to.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// Bytes of records in one page. Source: `GetRecords` API reference.
const PAGE_BYTES: usize = 10 * 1024 * 1024;

/// The text of a page: its data in base64, which makes four bytes of three.
const PAGE_TEXT: usize = PAGE_BYTES / 3 * 4;

/// What a page uses in flight: its text twice, in pieces and joined or joined and taken apart, and
/// the decoded copy, which is smaller than another text.
const IN_FLIGHT: usize = PAGE_TEXT * 3;

/// What the allocator takes for each byte of that, and of a large block: as much again stays with
/// the heaps, in holes that the next page or block does not fit.
const KEPT: usize = 2;

/// Blocks from this size on leave such holes; smaller ones fill them.
const LARGE: usize = 128 * 1024;

/// What a block of that many bytes takes of the budget.
pub(crate) const fn charge(bytes: usize) -> usize {
    if bytes < LARGE { bytes } else { bytes * KEPT }
}

/// A count of bytes shared by the readers of one subscription.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    free: Arc<Semaphore>,
    size: usize,
}

impl Budget {
    pub(crate) fn new(bytes: usize) -> Self {
        let size = bytes.min(Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(size)),
            size,
        }
    }

    /// Waits until one page may be asked for. A budget smaller than a page is reserved whole.
    pub(crate) async fn reserve_page(&self) -> Reservation {
        let bytes = u32::try_from(self.page()).unwrap_or(u32::MAX);
        let permits = self.free.acquire_many(bytes).await;
        // The reservation gives back by hand, part by part.
        permits.expect("nobody closes the semaphore").forget();
        Reservation {
            free: Arc::clone(&self.free),
            bytes: bytes as usize,
        }
    }

    /// What a page in flight takes of this budget.
    fn page(&self) -> usize {
        // What the allocator keeps may take no more than half: the rest is for records.
        (IN_FLIGHT * KEPT)
            .min((self.size / 2).max(IN_FLIGHT))
            .min(self.size)
    }
}

/// Bytes of a budget that are spoken for; dropping it gives them back.
#[derive(Debug)]
pub(crate) struct Reservation {
    free: Arc<Semaphore>,
    bytes: usize,
}

impl Reservation {
    /// Parts with `bytes`, or with what there is of them: a budget smaller than a page reserved less
    /// than the page turned out to be.
    pub(crate) fn split(&mut self, bytes: usize) -> Self {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        Self {
            free: Arc::clone(&self.free),
            bytes,
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.free.add_permits(self.bytes);
    }
}
