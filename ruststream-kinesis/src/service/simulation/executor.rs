//! One thread that runs the tasks of every simulated process, by one clock and in an order the
//! seed decides.
//!
//! A process can be killed between any two steps of its tasks, or frozen there: what it sent is on
//! its way all the same.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::mem;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

use futures::future::{Either, select};
use tokio::sync::Notify;

use super::sleep::Sleep;

/// Microseconds of simulated time.
pub(super) type Micros = u64;
pub(super) const MILLI: Micros = 1_000;
pub(super) const SECOND: Micros = 1_000_000;

pub(super) type Process = usize;
pub(super) type TaskId = usize;

/// The process of what happens outside of every instance: it is never killed nor frozen.
pub(super) const WORLD: Process = 0;

/// When a timer is over, and which it is.
pub(super) type Timer = (Micros, u64);

type Work = Pin<Box<dyn Future<Output = ()>>>;

struct Task {
    process: Process,
    work: Work,
    alarm: Arc<Alarm>,
    waker: Waker,
}

/// Wakes a task by queueing it once.
struct Alarm {
    task: TaskId,
    queued: AtomicBool,
    ready: Arc<Mutex<Vec<TaskId>>>,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.queued.swap(true, Ordering::Relaxed) {
            self.ready.lock().expect("one thread").push(self.task);
        }
    }
}

/// A process and its monotonic clock, which need not be the world's.
struct Proc {
    alive: bool,
    frozen_since: Option<Micros>,
    /// Whether the clock stands while the process is frozen, as that of a suspended machine does.
    clock_stands: bool,
    /// Tasks that were woken while the process is frozen.
    held: Vec<TaskId>,
    /// How many more steps it lives.
    fuse: Option<u32>,
    /// Millionths by which its clock is fast.
    drift: i64,
    /// Where its clock began.
    began: Micros,
    /// The time its clock stood.
    stood: Micros,
    /// When it was last frozen.
    stalled: Option<Micros>,
    died: Rc<Notify>,
}

pub(super) struct Executor {
    now: Cell<Micros>,
    epoch: Instant,
    dice: RefCell<fastrand::Rng>,
    tasks: RefCell<Vec<Option<Task>>>,
    ready: Arc<Mutex<Vec<TaskId>>>,
    timers: RefCell<BTreeMap<Timer, Waker>>,
    timers_set: Cell<u64>,
    processes: RefCell<Vec<Proc>>,
    pub(super) steps: Cell<u64>,
}

impl Executor {
    pub(super) fn new(seed: u64, epoch: Instant) -> Rc<Self> {
        let executor = Self {
            now: Cell::new(0),
            epoch,
            dice: RefCell::new(fastrand::Rng::with_seed(seed)),
            tasks: RefCell::default(),
            ready: Arc::default(),
            timers: RefCell::default(),
            timers_set: Cell::new(0),
            processes: RefCell::default(),
            steps: Cell::new(0),
        };
        executor.begin_process(0, 0);
        Rc::new(executor)
    }

    pub(super) fn now(&self) -> Micros {
        self.now.get()
    }

    /// A number below `end`.
    pub(super) fn below(&self, end: u64) -> u64 {
        self.dice.borrow_mut().u64(..end.max(1))
    }

    /// A number from `low` to below `high`.
    pub(super) fn within(&self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low))
    }

    /// Whether one chance in a thousand, `thousandths` times over, came up.
    pub(super) fn chance(&self, thousandths: u64) -> bool {
        self.below(1_000) < thousandths
    }

    /// What the rules are given as their dice.
    pub(super) fn random(&self) -> u64 {
        self.dice.borrow_mut().u64(..)
    }

    // Processes.

    pub(super) fn begin_process(&self, drift: i64, began: Micros) -> Process {
        let mut processes = self.processes.borrow_mut();
        processes.push(Proc {
            alive: true,
            frozen_since: None,
            clock_stands: false,
            held: Vec::new(),
            fuse: None,
            drift,
            began,
            stood: 0,
            stalled: None,
            died: Rc::default(),
        });
        processes.len() - 1
    }

    pub(super) fn is_alive(&self, process: Process) -> bool {
        self.processes.borrow()[process].alive
    }

    /// When the process was last frozen, if it ever was; now where it is.
    pub(super) fn last_stall(&self, process: Process) -> Option<Micros> {
        let processes = self.processes.borrow();
        let process = &processes[process];
        process.frozen_since.map(|_| self.now()).or(process.stalled)
    }

    /// Tells when the process dies.
    pub(super) fn death(&self, process: Process) -> Rc<Notify> {
        Rc::clone(&self.processes.borrow()[process].died)
    }

    /// Lets the process live for so many more steps.
    pub(super) fn set_fuse(&self, process: Process, steps: Option<u32>) {
        self.processes.borrow_mut()[process].fuse = steps;
    }

    /// Ends the process where it stands; nothing of it runs any more.
    pub(super) fn kill(&self, process: Process) {
        {
            let mut processes = self.processes.borrow_mut();
            processes[process].alive = false;
            processes[process].died.notify_one();
        }
        let mut dead = Vec::new();
        for task in self.tasks.borrow_mut().iter_mut() {
            if task.as_ref().is_some_and(|task| task.process == process) {
                dead.push(task.take());
            }
        }
        // Dropped here, where what they drop may wake others.
        drop(dead);
    }

    pub(super) fn freeze(&self, process: Process, clock_stands: bool) {
        let mut processes = self.processes.borrow_mut();
        let process = &mut processes[process];
        if process.frozen_since.is_none() {
            process.frozen_since = Some(self.now());
            process.clock_stands = clock_stands;
        }
    }

    pub(super) fn thaw(&self, process: Process) {
        let mut processes = self.processes.borrow_mut();
        let process = &mut processes[process];
        let Some(since) = process.frozen_since.take() else {
            return;
        };
        process.stalled = Some(self.now());
        if process.clock_stands {
            process.stood += self.now() - since;
        }
        let mut ready = self.ready.lock().expect("one thread");
        ready.append(&mut process.held);
    }

    /// What the process's monotonic clock shows.
    pub(super) fn clock(&self, process: Process) -> Instant {
        self.epoch + Duration::from_micros(self.shown(process))
    }

    fn shown(&self, process: Process) -> Micros {
        let processes = self.processes.borrow();
        let process = &processes[process];
        let ran = self.now() - process.stood;
        process.began + drifted(ran, process.drift)
    }

    // Tasks.

    pub(super) fn spawn(
        &self,
        process: Process,
        work: impl Future<Output = ()> + 'static,
    ) -> TaskId {
        let mut tasks = self.tasks.borrow_mut();
        let task = tasks.len();
        let alarm = Arc::new(Alarm {
            task,
            queued: AtomicBool::new(false),
            ready: Arc::clone(&self.ready),
        });
        tasks.push(Some(Task {
            process,
            work: Box::pin(work),
            waker: Waker::from(Arc::clone(&alarm)),
            alarm: Arc::clone(&alarm),
        }));
        alarm.wake();
        task
    }

    pub(super) fn abort(&self, task: TaskId) {
        // At the end of everything there are no tasks any more.
        let aborted = self.tasks.borrow_mut().get_mut(task).map(Option::take);
        drop(aborted);
    }

    /// Takes one step, or moves the clock to when there is one to take; `false` where nothing is
    /// left to happen.
    pub(super) fn step(&self) -> bool {
        let next = {
            let mut ready = self.ready.lock().expect("one thread");
            let waiting = ready.len();
            (waiting > 0).then(|| {
                // Who was woken first depends on more than the seed.
                ready.sort_unstable();
                let picked = if waiting == 1 {
                    0
                } else {
                    usize::try_from(self.below(waiting as u64)).expect("an index")
                };
                ready.remove(picked)
            })
        };
        if let Some(task) = next {
            self.run(task);
            return true;
        }
        let due = self.timers.borrow_mut().pop_first();
        let Some(((at, _), waker)) = due else {
            return false;
        };
        self.now.set(at.max(self.now()));
        waker.wake();
        true
    }

    fn run(&self, id: TaskId) {
        let Some(mut task) = self.tasks.borrow_mut()[id].take() else {
            return;
        };
        self.steps.set(self.steps.get() + 1);
        let blown = {
            let mut processes = self.processes.borrow_mut();
            let process = &mut processes[task.process];
            if process.frozen_since.is_some() {
                process.held.push(id);
                self.tasks.borrow_mut()[id] = Some(task);
                return;
            }
            match &mut process.fuse {
                Some(0) => true,
                Some(left) => {
                    *left -= 1;
                    false
                }
                None => false,
            }
        };
        if blown {
            let process = task.process;
            drop(task);
            self.kill(process);
            return;
        }
        task.alarm.queued.store(false, Ordering::Relaxed);
        let waker = task.waker.clone();
        let done = task.work.as_mut().poll(&mut Context::from_waker(&waker));
        if done.is_pending() && self.is_alive(task.process) {
            self.tasks.borrow_mut()[id] = Some(task);
        }
    }

    // Time.

    /// Waits until the clock of `process` shows `until`.
    pub(super) fn sleep_until(self: &Rc<Self>, process: Process, until: Instant) -> Sleep {
        Sleep::new(self, process, until)
    }

    /// Has `waker` woken after that time of the world's.
    pub(super) fn set_timer(&self, after: Micros, waker: Waker) -> Timer {
        let number = self.timers_set.get() + 1;
        self.timers_set.set(number);
        let timer = (self.now() + after, number);
        self.timers.borrow_mut().insert(timer, waker);
        timer
    }

    pub(super) fn drop_timer(&self, timer: Timer) {
        self.timers.borrow_mut().remove(&timer);
    }

    pub(super) fn sleep(self: &Rc<Self>, process: Process, pause: Duration) -> Sleep {
        self.sleep_until(process, self.clock(process) + pause)
    }

    /// Waits for the world's clock.
    pub(super) fn pass(self: &Rc<Self>, pause: Micros) -> Sleep {
        self.sleep(WORLD, Duration::from_micros(pause))
    }

    /// The answer of `work`, unless it takes longer by the clock of `process`.
    pub(super) async fn timeout<T>(
        self: &Rc<Self>,
        process: Process,
        within: Duration,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        match select(pin!(work), self.sleep(process, within)).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right(_) => None,
        }
    }

    /// Whichever comes first; where both are there, the dice say.
    pub(super) async fn first<A: Future, B: Future>(
        &self,
        one: A,
        other: B,
    ) -> Either<A::Output, B::Output> {
        let (one, other) = (pin!(one), pin!(other));
        if self.below(2) == 0 {
            match select(one, other).await {
                Either::Left((answer, _)) => Either::Left(answer),
                Either::Right((answer, _)) => Either::Right(answer),
            }
        } else {
            match select(other, one).await {
                Either::Left((answer, _)) => Either::Right(answer),
                Either::Right((answer, _)) => Either::Left(answer),
            }
        }
    }

    /// Drops every task, which breaks the rings of what they share.
    pub(super) fn end(&self) {
        let tasks = mem::take(&mut *self.tasks.borrow_mut());
        drop(tasks);
        self.timers.borrow_mut().clear();
    }
}

fn drifted(ran: Micros, drift: i64) -> Micros {
    let moved = i128::from(ran) * i128::from(1_000_000 + drift) / 1_000_000;
    Micros::try_from(moved).expect("a time after the beginning")
}
