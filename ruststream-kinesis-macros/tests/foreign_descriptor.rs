//! `#[descriptor]` over a broker that is no Kinesis: every name and rule comes from the spec.

mod tape;

use std::borrow::Cow;
use std::future::{Ready, ready};
use std::time::Duration;

use futures::executor::block_on;
use ruststream::runtime::{Declared, IntoSource, SubscriberBuilder, SubscriberSettings};
use ruststream::{FromName, RedeliveryAddressed, StartAt, SubscriptionSource};
use ruststream_kinesis_macros::descriptor;
use tape::{ConnectedTape, TapeError, TapeSubscriber};

fn open(connected: &ConnectedTape, reel: &Reel) -> Ready<Result<TapeSubscriber, TapeError>> {
    connected.opened.lock().unwrap().push(format!("{reel:?}"));
    ready(Ok(TapeSubscriber))
}

fn named(label: &str) -> bool {
    !label.is_empty()
}

/// One reel of tape.
#[descriptor(
    title = "Tape",
    connected = ConnectedTape,
    subscriber = TapeSubscriber,
    error = TapeError,
    open = open,
    invalid = TapeError::Invalid,
    settings = ReelSettings,
    extension = "x-tape",
)]
pub struct Reel {
    /// The label on the reel.
    #[identity(bind = "label", check = named, reason = "a reel has a label")]
    label: String,

    /// How long the drive spins down
    /// between reads | at most.
    ///
    /// A second paragraph stays out of the table.
    #[setting(
        default = Duration::from_secs(2), shown = "2 seconds", mount,
        bind = "spinDownMs", with = |pause| pause.as_millis(),
        check = |pause| !pause.is_zero(), reason = "a drive needs a pause", literal = duration,
    )]
    spin_down: Duration,

    /// How many tracks are cut.
    #[setting(mount, bind = "tracks", check = |tracks| *tracks > 0, reason = "a reel has a track", literal = int(1..))]
    tracks: Option<u8>,

    /// Whether the tape is played backwards.
    #[setting(default = false)]
    backwards: bool,
}

/// A definition of no handler: what a settings chain needs to stand.
struct Definition;

impl Declared for Definition {
    type Form = ();
    type Settings = SubscriberBuilder<Self, Reel, ruststream::runtime::AllOpen>;

    fn declare(self) -> Self::Settings {
        SubscriberBuilder::new(Self, Reel::new("a"))
    }
}

#[test]
fn a_descriptor_starts_with_its_defaults() {
    let reel = Reel::new("a");
    assert_eq!(reel.label(), "a");
    assert_eq!(reel.spin_down, Duration::from_secs(2));
    assert_eq!((reel.tracks, reel.backwards), (None, false));
    assert_eq!(reel, Reel::from_name(Cow::Borrowed("a")).into_source());
}

#[test]
fn each_setting_is_a_setter() {
    let reel = Reel::new("a")
        .spin_down(Duration::from_millis(5))
        .tracks(3)
        .backwards(true);
    assert_eq!(reel.spin_down, Duration::from_millis(5));
    assert_eq!((reel.tracks, reel.backwards), (Some(3), true));
}

#[test]
fn an_invalid_descriptor_does_not_open() {
    let connected = ConnectedTape::default();
    for (reel, reason) in [
        (Reel::new(""), "a reel has a label"),
        (
            Reel::new("a").spin_down(Duration::ZERO),
            "a drive needs a pause",
        ),
        (Reel::new("a").tracks(0), "a reel has a track"),
    ] {
        assert_eq!(reel.check(), Err(reason));
        let refused = block_on(reel.subscribe(&connected)).unwrap_err();
        assert_eq!(refused, TapeError::Invalid(reason.to_owned()));
    }
    assert!(connected.opened.lock().unwrap().is_empty());
}

#[test]
fn a_valid_descriptor_opens_through_the_named_function() {
    let connected = ConnectedTape::default();
    let reel = Reel::new("a").tracks(1);
    assert_eq!(SubscriptionSource::<ConnectedTape>::name(&reel), "a");
    let address = block_on(reel.redelivery_address(&connected)).unwrap();
    assert_eq!(address.as_str(), "a");
    block_on(reel.clone().subscribe(&connected)).unwrap();
    assert_eq!(*connected.opened.lock().unwrap(), [format!("{reel:?}")]);
}

#[test]
fn a_mount_step_changes_the_descriptor() {
    let chain = Definition
        .tracks(2)
        .workers(ruststream::nonzero!(2))
        .spin_down(Duration::from_secs(1));
    let chain: SubscriberBuilder<_, StartAt<Reel, u8>, _> = chain.start_at(7);
    let _ = chain;
}

#[test]
fn the_settings_are_listed() {
    assert_eq!(
        Reel::SETTINGS,
        [
            ("spin_down", "2 seconds", "duration", true),
            ("tracks", "off", "int(1..)", true),
            ("backwards", "`false`", "expr", false),
        ]
    );
}

#[cfg(feature = "asyncapi")]
#[test]
fn the_binding_holds_what_is_set() {
    let bindings = |reel: &Reel| {
        let bindings = SubscriptionSource::<ConnectedTape>::channel_bindings(reel);
        serde_json::to_value(bindings).unwrap()
    };
    assert_eq!(
        bindings(&Reel::new("a")),
        serde_json::json!({"x-tape": {"label": "a", "spinDownMs": 2000}}),
    );
    assert_eq!(
        bindings(&Reel::new("a").tracks(4)),
        serde_json::json!({"x-tape": {"label": "a", "spinDownMs": 2000, "tracks": 4}}),
    );
}
