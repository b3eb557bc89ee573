//! What a run tells of itself while it goes on, and at its end.

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tests::fleet::{Event, Timeline, Trouble};

/// How often it tells.
const EVERY: Duration = Duration::from_secs(10);

/// How often each thing was done.
#[derive(Debug, Default)]
pub(super) struct Deeds {
    pub(super) kills: AtomicUsize,
    pub(super) freezes: AtomicUsize,
    pub(super) stops: AtomicUsize,
    pub(super) splits: AtomicUsize,
    pub(super) merges: AtomicUsize,
    pub(super) seeks: AtomicUsize,
    pub(super) refused_seeks: AtomicUsize,
    pub(super) starts_at: AtomicUsize,
    pub(super) pairs: AtomicUsize,
}

/// One more.
pub(super) fn count(deed: &AtomicUsize) {
    deed.fetch_add(1, Ordering::Relaxed);
}

/// The state of a run.
#[derive(Clone)]
pub(super) struct Report {
    name: &'static str,
    began: Instant,
    written: Arc<AtomicU64>,
    deeds: Arc<Deeds>,
    trouble: Trouble,
    timeline: Timeline,
    tally: Arc<Mutex<Tally>>,
}

/// What of the timeline was counted so far.
#[derive(Default)]
struct Tally {
    looked_at: usize,
    seen: HashSet<(String, u64)>,
    duplicates: usize,
}

impl Report {
    pub(super) fn new(
        name: &'static str,
        written: Arc<AtomicU64>,
        deeds: Arc<Deeds>,
        trouble: Trouble,
        timeline: Timeline,
    ) -> Self {
        Self {
            name,
            began: Instant::now(),
            written,
            deeds,
            trouble,
            timeline,
            tally: Arc::default(),
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Tells how it goes, until the task is aborted.
    pub(super) async fn tell(self) {
        loop {
            tokio::time::sleep(EVERY).await;
            println!("{self}");
        }
    }

    /// The last line.
    pub(super) fn verdict(&self, found: &Result<(), String>) {
        match found {
            Ok(()) => println!("{self}: HELD"),
            Err(found) => println!("{self}: BROKEN\n{found}"),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = self.written.load(Ordering::Relaxed);
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        self.timeline.look(|entries| {
            for entry in &entries[tally.looked_at..] {
                if let Event::Handled(record) = &entry.event {
                    let is_new = tally.seen.insert((record.key.clone(), record.number));
                    tally.duplicates += usize::from(!is_new);
                }
            }
            tally.looked_at = entries.len();
        });
        let missing = written.saturating_sub(tally.seen.len() as u64);
        let seconds = self.began.elapsed().as_secs();
        let deeds = [
            (&self.deeds.kills, "kills"),
            (&self.deeds.freezes, "freezes"),
            (&self.deeds.stops, "stops"),
            (&self.deeds.splits, "splits"),
            (&self.deeds.merges, "merges"),
            (&self.deeds.seeks, "seeks"),
            (&self.deeds.refused_seeks, "seeks refused"),
            (&self.deeds.starts_at, "starts at the horizon"),
            (&self.deeds.pairs, "pairs of one name"),
        ];
        write!(f, "{} {seconds:>4} s: {written} records", self.name)?;
        for (deed, what) in deeds {
            write!(f, ", {} {what}", deed.load(Ordering::Relaxed))?;
        }
        write!(
            f,
            ", {} faults, {} handled again, {missing} not handled",
            self.trouble.met(),
            tally.duplicates,
        )
    }
}
