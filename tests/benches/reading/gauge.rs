//! Wall time, CPU time and peak memory of this process.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::Outcome;

/// A measurement that runs.
pub(crate) struct Gauge {
    started: Instant,
    cpu: Duration,
}

/// What was spent, as a child tells its parent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

impl Gauge {
    pub(crate) fn start() -> Self {
        Self {
            cpu: cpu(),
            started: Instant::now(),
        }
    }

    pub(crate) fn stop(&self) -> Spent {
        Spent {
            wall: self.started.elapsed(),
            cpu: cpu().saturating_sub(self.cpu),
        }
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.wall.as_nanos(), self.cpu.as_nanos())
    }
}

impl FromStr for Spent {
    type Err = Box<dyn std::error::Error + Send + Sync>;

    fn from_str(line: &str) -> Outcome<Self> {
        let (wall, cpu) = line.split_once(' ').ok_or("a reader answers two figures")?;
        Ok(Self {
            wall: Duration::from_nanos(wall.parse()?),
            cpu: Duration::from_nanos(cpu.parse()?),
        })
    }
}

/// CPU time of every thread of this process.
fn cpu() -> Duration {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        u64::try_from(spent.tv_sec).unwrap_or_default(),
        u32::try_from(spent.tv_nsec).unwrap_or_default(),
    )
}

/// The most memory this process ever had resident, in bytes.
pub(crate) fn peak_memory() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kib: u64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|value| value.trim().strip_suffix(" kB"))
        .ok_or("this system does not tell a process its peak memory")?
        .parse()?;
    Ok(kib * 1024)
}
