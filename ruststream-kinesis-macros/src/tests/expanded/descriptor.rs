/// One reel of tape.
///
/// | Setting | Default | Meaning |
/// | --- | --- | --- |
/// | [`spin_down`](Reel::spin_down) | 2 seconds | How long the drive spins down between reads \| at most. |
/// | [`tracks`](Reel::tracks) | off | How many tracks are cut. |
/// | [`backwards`](Reel::backwards) | `false` | Whether the tape is played backwards. |
#[derive(
    ::core::fmt::Debug,
    ::core::clone::Clone,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
)]
#[must_use]
pub struct Reel {
    /// The label on the reel.
    pub(crate) label: String,
    /// How long the drive spins down
    /// between reads | at most.
    ///
    /// Not in the table.
    pub(crate) spin_down: Duration,
    /// How many tracks are cut.
    pub(crate) tracks: Option<u8>,
    /// Whether the tape is played backwards.
    pub(crate) backwards: bool,
}
impl Reel {
    /// Every setting as its name, its default as the docs show it, how the subscriber
    /// attribute writes its value, and whether it is a step of the mount site.
    #[doc(hidden)]
    pub const SETTINGS: &'static [(&'static str, &'static str, &'static str, bool)] = &[
        ("spin_down", "2 seconds", "duration", true),
        ("tracks", "off", "int(1..=8)", true),
        ("backwards", "`false`", "expr", false),
    ];
    /// Names the subscription; every setting has its default.
    pub fn new(label: impl ::core::convert::Into<::std::string::String>) -> Self {
        Self {
            label: ::core::convert::Into::into(label),
            spin_down: Duration::from_secs(2),
            tracks: ::core::option::Option::None,
            backwards: false,
        }
    }
    /// The label on the reel.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }
    /// How long the drive spins down
    /// between reads | at most.
    ///
    /// Not in the table.
    pub fn spin_down(mut self, spin_down: Duration) -> Self {
        self.spin_down = spin_down;
        self
    }
    /// How many tracks are cut.
    pub fn tracks(mut self, tracks: u8) -> Self {
        self.tracks = ::core::option::Option::Some(tracks);
        self
    }
    /// Whether the tape is played backwards.
    pub fn backwards(mut self, backwards: bool) -> Self {
        self.backwards = backwards;
        self
    }
    /// Why this descriptor cannot be opened, if it cannot.
    pub(crate) fn check(&self) -> ::core::result::Result<(), &'static str> {
        let accepts: fn(&str) -> bool = named;
        if !accepts(&self.label) {
            return ::core::result::Result::Err("a reel has a label");
        }
        let accepts: fn(&Duration) -> bool = |pause| !pause.is_zero();
        if !accepts(&self.spin_down) {
            return ::core::result::Result::Err("a drive needs a pause");
        }
        let accepts: fn(&u8) -> bool = |tracks| *tracks > 0;
        if self.tracks.as_ref().is_some_and(|value| !accepts(value)) {
            return ::core::result::Result::Err("a reel has a track");
        }
        ::core::result::Result::Ok(())
    }
}
impl ::ruststream::FromName for Reel {
    fn from_name(
        name: impl ::core::convert::Into<::std::borrow::Cow<'static, str>>,
    ) -> Self {
        Self::new(::core::convert::Into::<::std::borrow::Cow<'static, str>>::into(name))
    }
}
impl ::ruststream::runtime::IntoSource for Reel {
    type Source = Self;
    fn into_source(self) -> Self {
        self
    }
}
impl ::ruststream::SubscriptionSource<ConnectedTape> for Reel {
    type Subscriber = TapeSubscriber;
    type Copies = ::ruststream::AddressedCopies;
    fn name(&self) -> &str {
        &self.label
    }
    async fn subscribe(
        self,
        connected: &ConnectedTape,
    ) -> ::core::result::Result<TapeSubscriber, TapeError> {
        if let ::core::result::Result::Err(reason) = self.check() {
            return ::core::result::Result::Err(
                TapeError::Invalid(::std::borrow::ToOwned::to_owned(reason)),
            );
        }
        open(connected, &self).await
    }
    #[cfg(feature = "asyncapi")]
    fn channel_bindings(&self) -> ::ruststream::asyncapi::Bindings {
        let mut body = ::std::collections::BTreeMap::<&str, ::serde_json::Value>::new();
        if let ::core::result::Result::Ok(value) = ::serde_json::to_value(&self.label) {
            body.insert("label", value);
        }
        let value = &self.spin_down;
        let with: fn(&Duration) -> _ = |pause| pause.as_millis();
        if let ::core::result::Result::Ok(json) = ::serde_json::to_value(with(value)) {
            body.insert("spinDownMs", json);
        }
        if let ::core::option::Option::Some(value) = &self.tracks {
            if let ::core::result::Result::Ok(json) = ::serde_json::to_value(value) {
                body.insert("tracks", json);
            }
        }
        match ::ruststream::asyncapi::Binding::extension("x-tape", &body) {
            ::core::result::Result::Ok(binding) => {
                ::ruststream::asyncapi::Bindings::new().with(binding)
            }
            ::core::result::Result::Err(_) => ::ruststream::asyncapi::Bindings::new(),
        }
    }
}
impl ::ruststream::RedeliveryAddressed<ConnectedTape> for Reel {
    fn redelivery_address(
        &self,
        _: &ConnectedTape,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<::ruststream::RedeliveryAddress, TapeError>,
    > + ::core::marker::Send {
        let name = ::core::clone::Clone::clone(&self.label);
        let address = ::ruststream::RedeliveryAddress::new(name);
        ::core::future::ready(::core::result::Result::Ok(address))
    }
}
/// Where a settings chain over the descriptor stands; no code names any of it.
mod reel_stages {
    /// The source is the descriptor.
    #[derive(::core::fmt::Debug)]
    pub enum Described {}
    /// The descriptor stands inside the framework's position wrapper.
    #[derive(::core::fmt::Debug)]
    pub enum Positioned {}
    /// The source is a name without a descriptor.
    #[derive(::core::fmt::Debug)]
    pub enum BareName {}
    /// The descriptor was not named yet.
    #[derive(::core::fmt::Debug)]
    pub enum Unnamed {}
    /// Every stage but the positioned one.
    #[diagnostic::on_unimplemented(
        message = "Tape read settings come before `start_at(..)`",
        label = "the chain has already named a start position",
        note = "write `handler.spin_down(..).start_at(..)`"
    )]
    pub trait BeforeStartAt {}
    impl BeforeStartAt for Described {}
    impl BeforeStartAt for BareName {}
    impl BeforeStartAt for Unnamed {}
    /// Every stage but the bare name.
    #[diagnostic::on_unimplemented(
        message = "a subscription named by a string literal carries no Tape read settings",
        label = "this subscription's source is a bare name",
        note = "name the descriptor in the attribute: `#[subscriber(Reel::new(\"..\"))]`"
    )]
    pub trait ReadsDescriptor {}
    impl ReadsDescriptor for Described {}
    impl ReadsDescriptor for Positioned {}
    impl ReadsDescriptor for Unnamed {}
    /// Every stage but the unnamed one.
    #[diagnostic::on_unimplemented(
        message = "Tape read settings come after `name(..)`",
        label = "this chain has not named its subscription",
        note = "write `handler.name(\"..\").spin_down(..)`"
    )]
    pub trait IsNamed {}
    impl IsNamed for Described {}
    impl IsNamed for Positioned {}
    impl IsNamed for BareName {}
    /// A source a chain over the descriptor may carry.
    pub trait Source: ::core::marker::Sized {
        /// Where a chain over this source stands.
        type Stage;
        /// Changes the descriptor inside the source.
        fn map_descriptor(
            self,
            f: impl ::core::ops::FnOnce(super::Reel) -> super::Reel,
        ) -> Self;
    }
    impl Source for super::Reel {
        type Stage = Described;
        fn map_descriptor(
            self,
            f: impl ::core::ops::FnOnce(super::Reel) -> super::Reel,
        ) -> Self {
            f(self)
        }
    }
    impl<P> Source for ::ruststream::StartAt<super::Reel, P> {
        type Stage = Positioned;
        fn map_descriptor(
            self,
            f: impl ::core::ops::FnOnce(super::Reel) -> super::Reel,
        ) -> Self {
            self.map_inner(f)
        }
    }
    impl Source for ::ruststream::Name {
        type Stage = BareName;
        fn map_descriptor(
            self,
            _: impl ::core::ops::FnOnce(super::Reel) -> super::Reel,
        ) -> Self {
            self
        }
    }
    impl<P> Source for ::ruststream::StartAt<::ruststream::Name, P> {
        type Stage = BareName;
        fn map_descriptor(
            self,
            _: impl ::core::ops::FnOnce(super::Reel) -> super::Reel,
        ) -> Self {
            self
        }
    }
    impl Source for ::ruststream::Unnamed<super::Reel> {
        type Stage = Unnamed;
        fn map_descriptor(
            self,
            _: impl ::core::ops::FnOnce(super::Reel) -> super::Reel,
        ) -> Self {
            self
        }
    }
}
/// The settings of [`Reel`] as steps of the mount site.
///
/// They change the descriptor, so they come after `name(..)` and before `start_at(..)`.
pub trait ReelSettings: ::ruststream::runtime::Declared {
    /// Where the chain stands.
    #[doc(hidden)]
    type Stage;
    /// How long the drive spins down
    /// between reads | at most.
    ///
    /// Not in the table.
    fn spin_down(self, spin_down: Duration) -> Self::Settings
    where
        Self::Stage: reel_stages::ReadsDescriptor + reel_stages::IsNamed
            + reel_stages::BeforeStartAt;
    /// How many tracks are cut.
    fn tracks(self, tracks: u8) -> Self::Settings
    where
        Self::Stage: reel_stages::ReadsDescriptor + reel_stages::IsNamed
            + reel_stages::BeforeStartAt;
}
impl<D, Def, Src, State, DefCodec> ReelSettings for D
where
    D: ::ruststream::runtime::Declared<
        Settings = ::ruststream::runtime::SubscriberBuilder<Def, Src, State, DefCodec>,
    >,
    Def: ::ruststream::runtime::Declared,
    Src: reel_stages::Source,
{
    type Stage = <Src as reel_stages::Source>::Stage;
    fn spin_down(self, spin_down: Duration) -> Self::Settings
    where
        Self::Stage: reel_stages::ReadsDescriptor + reel_stages::IsNamed
            + reel_stages::BeforeStartAt,
    {
        ::ruststream::runtime::SubscriberSettings::map_source(
            self,
            |source: Src| {
                reel_stages::Source::map_descriptor(
                    source,
                    |descriptor| { descriptor.spin_down(spin_down) },
                )
            },
        )
    }
    fn tracks(self, tracks: u8) -> Self::Settings
    where
        Self::Stage: reel_stages::ReadsDescriptor + reel_stages::IsNamed
            + reel_stages::BeforeStartAt,
    {
        ::ruststream::runtime::SubscriberSettings::map_source(
            self,
            |source: Src| {
                reel_stages::Source::map_descriptor(
                    source,
                    |descriptor| { descriptor.tracks(tracks) },
                )
            },
        )
    }
}
