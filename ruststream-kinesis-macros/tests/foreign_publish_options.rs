//! `#[publish_options]` over a broker that is no Kinesis.

mod tape;

use std::future::{Future, ready};
use std::sync::{Arc, Mutex};

use futures::executor::block_on;
use ruststream::runtime::{MapPublisher, PublishExt, RETRY_COUNT_HEADER};
use ruststream::{HeaderMap, OutgoingFor, PublishPolicy, Publisher, Take};
use ruststream_kinesis_macros::publish_options;
use tape::{ConnectedTape, TapeError};

const TRACK_HEADER: &str = "tape-track";

fn track(text: &str) -> bool {
    !text.is_empty()
}

fn free_track() -> String {
    "free".to_owned()
}

fn blank() -> String {
    String::new()
}

/// What a write to tape can say.
#[publish_options(
    policy = Write, live = TapePublisher, connected = ConnectedTape, pair = TapePublisher::new,
    steps = WriteSteps, settings = WriteSettings, extension = "x-tape", channel_bind = "label",
)]
pub struct WriteOptions {
    /// Names the track.
    #[option(step, policy, header = TRACK_HEADER, bind = "track", check = track,
             reason = "a track has a name", fallback = free_track)]
    track: Option<String>,

    /// Names the ink of the label.
    #[option(step, check = |ink| ink.len() < 4, reason = "an ink has a short name", fallback = blank)]
    ink: Option<String>,
}

/// One write: where to, and what its call set.
type Written = (String, Option<WriteOptions>);

/// Writes to tape.
#[derive(Debug)]
pub struct TapePublisher {
    policy: Write,
    written: Arc<Mutex<Vec<Written>>>,
}

impl TapePublisher {
    fn new(policy: Write, _: &ConnectedTape) -> Self {
        let written = Arc::default();
        Self { policy, written }
    }
}

impl Publisher for TapePublisher {
    type Payload = Take;
    type Error = TapeError;
    type Options = WriteOptions;

    fn publish(
        &self,
        message: OutgoingFor<'_, Take>,
        options: Option<&WriteOptions>,
    ) -> impl Future<Output = Result<(), TapeError>> + Send {
        let written = (message.name().to_owned(), options.cloned());
        self.written.lock().unwrap().push(written);
        ready(Ok(()))
    }
}

/// A record without content.
#[derive(serde::Serialize, ruststream::Outgoing)]
struct Cut;

/// A position of a mount chain that carries a policy.
#[derive(Debug, PartialEq)]
struct Slot(Write);

impl MapPublisher for Slot {
    type Policy = Write;

    fn map_publisher(self, f: impl FnOnce(Write) -> Write) -> Self {
        Self(f(self.0))
    }
}

fn step(name: &str) -> WriteOptions {
    WriteOptions {
        track: Some(name.to_owned()),
        ink: None,
    }
}

fn headers(pairs: &[(&'static str, &'static [u8])]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.insert(*name, *value);
    }
    headers
}

fn resolved(options: Option<&WriteOptions>, headers: &HeaderMap, policy: &Write) -> String {
    resolve(options, headers, policy).unwrap().track
}

#[test]
fn the_ladder_is_step_header_policy_fallback() {
    let (by_step, by_policy) = (step("step"), Write::default().track("policy"));
    let by_header = headers(&[(TRACK_HEADER, b"header")]);
    let none = (HeaderMap::new(), Write::default());
    assert_eq!(resolved(Some(&by_step), &by_header, &by_policy), "step");
    assert_eq!(resolved(None, &by_header, &by_policy), "header");
    assert_eq!(resolved(None, &none.0, &by_policy), "policy");
    assert_eq!(resolved(None, &none.0, &none.1), "free");
    assert_eq!(
        resolved(Some(&WriteOptions::default()), &none.0, &none.1),
        "free"
    );
}

#[test]
fn the_header_of_a_retry_copy_ranks_below_the_policy() {
    let (by_step, by_policy) = (step("step"), Write::default().track("policy"));
    let copied = headers(&[(TRACK_HEADER, b"header"), (RETRY_COUNT_HEADER, b"1")]);
    assert_eq!(resolved(Some(&by_step), &copied, &by_policy), "step");
    assert_eq!(resolved(None, &copied, &by_policy), "policy");
    assert_eq!(resolved(None, &copied, &Write::default()), "header");
}

#[test]
fn whichever_rung_answers_is_checked() {
    let (none, policy) = (HeaderMap::new(), Write::default());
    let refused = Err("a track has a name");
    assert_eq!(resolve(Some(&step("")), &none, &policy), refused);
    assert_eq!(
        resolve(None, &headers(&[(TRACK_HEADER, b"")]), &policy),
        refused
    );
    assert_eq!(
        resolve(None, &headers(&[(TRACK_HEADER, b"\xff")]), &policy),
        refused
    );
    assert_eq!(resolve(None, &none, &policy.track("")), refused);
    let ink = WriteOptions {
        track: None,
        ink: Some("violet".to_owned()),
    };
    let refused = Err("an ink has a short name");
    assert_eq!(resolve(Some(&ink), &none, &Write::default()), refused);
}

#[test]
fn a_rung_that_did_not_answer_is_not_checked() {
    let broken = headers(&[(TRACK_HEADER, b"\xff")]);
    assert_eq!(
        resolved(Some(&step("step")), &broken, &Write::default()),
        "step"
    );
}

#[test]
fn a_step_sets_the_option_of_its_publish() {
    let publisher = TapePublisher::new(Write::default(), &ConnectedTape::default());
    let publish = publisher.message(&Cut).to("reel").track("a").ink("red");
    block_on(publish.publish()).unwrap();
    block_on(publisher.message(&Cut).to("reel").publish()).unwrap();
    let options = WriteOptions {
        track: Some("a".to_owned()),
        ink: Some("red".to_owned()),
    };
    let written = publisher.written.lock().unwrap();
    assert_eq!(
        *written,
        [
            ("reel".to_owned(), Some(options)),
            ("reel".to_owned(), None)
        ]
    );
}

#[cfg(feature = "asyncapi")]
#[test]
fn the_document_shows_the_destination_and_what_the_policy_set() {
    let json = |bindings| serde_json::to_value::<ruststream::asyncapi::Bindings>(bindings).unwrap();
    let policy = Write::default();
    let channel = PublishPolicy::<ConnectedTape>::channel_bindings(&policy, "reel");
    assert_eq!(
        json(channel),
        serde_json::json!({"x-tape": {"label": "reel"}})
    );
    let message = |policy: &Write| {
        json(PublishPolicy::<ConnectedTape>::message_bindings(
            policy, "reel",
        ))
    };
    assert_eq!(message(&policy), serde_json::json!({}));
    assert_eq!(
        message(&policy.track("a")),
        serde_json::json!({"x-tape": {"track": "a"}})
    );
}

#[test]
fn the_policy_pairs_and_is_set_at_the_mount_site() {
    let slot = Slot(Write::default()).track("fixed");
    assert_eq!(slot, Slot(Write::default().track("fixed")));
    let publisher = block_on(slot.0.pair(&ConnectedTape::default())).unwrap();
    assert_eq!(publisher.policy.track.as_deref(), Some("fixed"));
}
