//! Whatever owners do, the table answers as the memory of one process does.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use ruststream_kinesis::{LeaseKey, LeaseState, LeaseStore, Member, MemoryLeaseStore, Opening};
use tests::dynamo::LeaseTable;
use tests::live::runtime;
use tokio::runtime::{Builder, Runtime};

/// Between steps of twenty seconds and of forty, so that no clock's second decides.
const LEASE: Duration = Duration::from_secs(50);
const STEP: Duration = Duration::from_secs(20);

const OWNERS: [&str; 3] = ["a", "b", "c"];
const SHARDS: [&str; 2] = ["shardId-000000000000", "shardId-000000000001"];

#[derive(Debug, Clone)]
enum Call {
    Acquire,
    Take {
        cursor: Option<u8>,
        replaces: bool,
        stream_created: Option<u64>,
    },
    Renew,
    Checkpoint(u8),
    KeepCursor(u8),
    Release,
    Read,
    Survey,
    Announce(Option<usize>),
    Depart,
    Pass(u32),
}

#[derive(Debug, Clone)]
struct Turn {
    owner: usize,
    shard: usize,
    call: Call,
}

#[derive(Debug, PartialEq)]
enum Answer {
    Written(bool),
    Taken(Option<LeaseState>),
    State(LeaseState),
    Surveyed(Vec<LeaseState>, Vec<Member>),
    Members(Vec<Member>),
    Done,
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let take = (
        proptest::option::of(0..9_u8),
        any::<bool>(),
        proptest::option::of(1..3_u64),
    );
    let take = take.prop_map(|(cursor, replaces, stream_created)| Call::Take {
        cursor,
        replaces,
        stream_created,
    });
    let call = prop_oneof![
        3 => Just(Call::Acquire),
        3 => take,
        3 => Just(Call::Renew),
        4 => (0..9_u8).prop_map(Call::Checkpoint),
        2 => (0..9_u8).prop_map(Call::KeepCursor),
        2 => Just(Call::Release),
        2 => Just(Call::Read),
        1 => Just(Call::Survey),
        1 => proptest::option::of(0..9_usize).prop_map(Call::Announce),
        1 => Just(Call::Depart),
        2 => (1..4_u32).prop_map(Call::Pass),
    ];
    let turn = (0..OWNERS.len(), 0..SHARDS.len(), call);
    let turn = turn.prop_map(|(owner, shard, call)| Turn { owner, shard, call });
    proptest::collection::vec(turn, 1..60)
}

/// What each turn is answered, by the store of its owner.
async fn play(
    stores: &[Arc<dyn LeaseStore>],
    stream: &str,
    turns: &[Turn],
    mut pass: impl AsyncFnMut(Duration),
) -> Vec<Answer> {
    let mut answers = Vec::with_capacity(turns.len());
    for turn in turns {
        let (owner, store) = (OWNERS[turn.owner], &stores[turn.owner]);
        let key = LeaseKey::new(stream, SHARDS[turn.shard]);
        let answered = "the store answers";
        answers.push(match &turn.call {
            Call::Acquire => {
                Answer::Written(store.acquire(&key, owner, LEASE).await.expect(answered))
            }
            Call::Take {
                cursor,
                replaces,
                stream_created,
            } => {
                let mut opening = Opening::default();
                opening.cursor = cursor.map(|cursor| format!("cursor {cursor}"));
                opening.replaces = *replaces;
                opening.stream_created = *stream_created;
                let taken = store.take(&key, owner, LEASE, &opening).await;
                Answer::Taken(taken.expect(answered))
            }
            Call::Renew => Answer::Written(store.renew(&key, owner, LEASE).await.expect(answered)),
            Call::Checkpoint(sequence) => {
                let sequence = sequence.to_string();
                let written = store.checkpoint(&key, owner, &sequence).await;
                Answer::Written(written.expect(answered))
            }
            Call::KeepCursor(cursor) => {
                let cursor = format!("cursor {cursor}");
                let written = store.keep_cursor(&key, owner, &cursor).await;
                Answer::Written(written.expect(answered))
            }
            Call::Release => {
                store.release(&key, owner).await.expect(answered);
                Answer::Done
            }
            Call::Read => Answer::State(store.read(&key).await.expect(answered)),
            Call::Survey => {
                let survey = store.survey(stream, &SHARDS).await.expect(answered);
                let survey = survey.expect("it shows the instances to each other");
                Answer::Surveyed(survey.states, survey.members)
            }
            Call::Announce(most) => {
                let member = Member::new(owner, *most);
                let members = store.announce(stream, &member, LEASE).await;
                Answer::Members(members.expect(answered))
            }
            Call::Depart => {
                store.depart(stream, owner).await.expect(answered);
                Answer::Done
            }
            Call::Pass(steps) => {
                pass(STEP * *steps).await;
                Answer::Done
            }
        });
    }
    answers
}

fn in_memory(turns: &[Turn]) -> Vec<Answer> {
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.expect("a runtime").block_on(async {
        let store: Arc<dyn LeaseStore> = Arc::new(MemoryLeaseStore::new());
        let stores = vec![store; OWNERS.len()];
        play(&stores, "orders", turns, tokio::time::advance).await
    })
}

/// A table that serves one schedule after the other, each on a stream of its own.
struct Tables {
    runtime: Runtime,
    table: LeaseTable,
}

impl Tables {
    fn start() -> Self {
        let runtime = runtime();
        let table = runtime.block_on(LeaseTable::start());
        Self { runtime, table }
    }

    fn play(&self, case: usize, turns: &[Turn]) -> Vec<Answer> {
        let stream = format!("orders-{case}");
        self.table.stack().shift_clock(0);
        let stores: Vec<_> = OWNERS
            .iter()
            .map(|_| Arc::new(self.table.store()) as Arc<dyn LeaseStore>)
            .collect();
        let mut shift = 0;
        self.runtime
            .block_on(play(&stores, &stream, turns, async |time| {
                shift += i64::try_from(time.as_secs()).expect("a few minutes");
                self.table.stack().shift_clock(shift);
                // Time that passes is seen by everybody; a clock that is set, by who asks it.
                for store in &stores {
                    let key = LeaseKey::new("time", "passes");
                    store.read(&key).await.expect("the store answers");
                }
            }))
    }
}

#[test]
fn whatever_owners_do_the_table_answers_as_the_memory_of_one_process_does() {
    let tables = Tables::start();
    let mut runner = TestRunner::new(Config {
        cases: 48,
        // What fails is shown, shrunk; nothing is written.
        failure_persistence: None,
        ..Config::default()
    });
    let cases = Cell::new(0);
    let held = runner.run(&turns(), |turns| {
        cases.set(cases.get() + 1);
        prop_assert_eq!(tables.play(cases.get(), &turns), in_memory(&turns));
        Ok(())
    });
    held.expect("they answer alike");
}
