/// What a write to tape can say.
#[derive(
    ::core::fmt::Debug,
    ::core::clone::Clone,
    ::core::default::Default,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
)]
pub struct WriteOptions {
    /// Names the track.
    pub track: Option<String>,
    /// Names the ink of the label.
    pub ink: Option<String>,
}
/// The steps of a publish that sets [`WriteOptions`].
pub trait WriteSteps: ::core::marker::Sized {
    /// Names the track.
    #[must_use]
    fn track(self, track: impl ::core::convert::Into<::std::string::String>) -> Self;
    /// Names the ink of the label.
    #[must_use]
    fn ink(self, ink: impl ::core::convert::Into<::std::string::String>) -> Self;
}
impl<Sink, Body, Enc, Hdrs, Dest> WriteSteps
for ::ruststream::runtime::PublishBuilder<Sink, Body, Enc, Hdrs, Dest>
where
    Sink: ::ruststream::runtime::PublishSink<Options = WriteOptions>,
{
    fn track(
        mut self,
        track: impl ::core::convert::Into<::std::string::String>,
    ) -> Self {
        self.options_mut().get_or_insert_with(::core::default::Default::default).track = ::core::option::Option::Some(
            ::core::convert::Into::into(track),
        );
        self
    }
    fn ink(mut self, ink: impl ::core::convert::Into<::std::string::String>) -> Self {
        self.options_mut().get_or_insert_with(::core::default::Default::default).ink = ::core::option::Option::Some(
            ::core::convert::Into::into(ink),
        );
        self
    }
}
/// The policy a [`TapePublisher`] publishes by.
///
/// What it sets stands where neither the publish nor its headers say otherwise.
#[derive(
    ::core::fmt::Debug,
    ::core::clone::Clone,
    ::core::default::Default,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
)]
#[must_use]
pub struct Write {
    /// Names the track.
    pub(crate) track: Option<String>,
}
impl Write {
    /// Names the track.
    pub fn track(
        mut self,
        track: impl ::core::convert::Into<::std::string::String>,
    ) -> Self {
        self.track = ::core::option::Option::Some(::core::convert::Into::into(track));
        self
    }
}
/// Keeps the settings to the policy they belong to.
mod write_sealed {
    /// The policy, and nothing else.
    pub trait Policy: ::core::marker::Sized {
        /// Changes the policy.
        fn map(self, f: impl ::core::ops::FnOnce(super::Write) -> super::Write) -> Self;
    }
    impl Policy for super::Write {
        fn map(self, f: impl ::core::ops::FnOnce(super::Write) -> super::Write) -> Self {
            f(self)
        }
    }
}
/// The settings of [`Write`] where a mount chain named that policy.
pub trait WriteSettings: ::ruststream::runtime::MapPublisher {
    /// Names the track.
    #[expect(
        clippy::return_self_not_must_use,
        reason = "a registration commits as its guard drops, at the end of the statement"
    )]
    fn track(self, track: impl ::core::convert::Into<::std::string::String>) -> Self;
}
impl<T> WriteSettings for T
where
    T: ::ruststream::runtime::MapPublisher,
    <T as ::ruststream::runtime::MapPublisher>::Policy: write_sealed::Policy,
{
    fn track(self, track: impl ::core::convert::Into<::std::string::String>) -> Self {
        self.map_publisher(|policy| {
            write_sealed::Policy::map(policy, |policy| policy.track(track))
        })
    }
}
impl ::ruststream::PublishPolicy<ConnectedTape> for Write {
    type Live = TapePublisher;
    fn pair(
        self,
        connected: &ConnectedTape,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<TapePublisher, ::ruststream::PairError>,
    > + ::core::marker::Send {
        ::core::future::ready(
            ::core::result::Result::Ok(TapePublisher::new(self, connected)),
        )
    }
    #[cfg(feature = "asyncapi")]
    fn channel_bindings(&self, channel: &str) -> ::ruststream::asyncapi::Bindings {
        let mut body = ::std::collections::BTreeMap::<&str, &str>::new();
        body.insert("label", channel);
        match ::ruststream::asyncapi::Binding::extension("x-tape", &body) {
            ::core::result::Result::Ok(binding) => {
                ::ruststream::asyncapi::Bindings::new().with(binding)
            }
            ::core::result::Result::Err(_) => ::ruststream::asyncapi::Bindings::new(),
        }
    }
    #[cfg(feature = "asyncapi")]
    fn message_bindings(&self, _: &str) -> ::ruststream::asyncapi::Bindings {
        let mut body = ::std::collections::BTreeMap::<&str, &str>::new();
        if let ::core::option::Option::Some(value) = &self.track {
            body.insert("track", value);
        }
        if body.is_empty() {
            return ::ruststream::asyncapi::Bindings::new();
        }
        match ::ruststream::asyncapi::Binding::extension("x-tape", &body) {
            ::core::result::Result::Ok(binding) => {
                ::ruststream::asyncapi::Bindings::new().with(binding)
            }
            ::core::result::Result::Err(_) => ::ruststream::asyncapi::Bindings::new(),
        }
    }
}
/// What one publish goes out with.
#[derive(
    ::core::fmt::Debug,
    ::core::clone::Clone,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq
)]
pub(crate) struct ResolvedWriteOptions {
    /// Names the track.
    pub(crate) track: ::std::string::String,
    /// Names the ink of the label.
    pub(crate) ink: ::std::string::String,
}
/// Settles every option: the publish's own step, the call's header, the policy, and where
/// none of them names it, the fallback.
///
/// The headers of a retry copy are those of the delivery it copies. No caller wrote them,
/// so they rank below the policy.
pub(crate) fn resolve(
    options: ::core::option::Option<&WriteOptions>,
    headers: &::ruststream::HeaderMap,
    policy: &Write,
) -> ::core::result::Result<ResolvedWriteOptions, &'static str> {
    let retry_copy = headers.contains(::ruststream::runtime::RETRY_COUNT_HEADER);
    let by_step = options
        .and_then(|options| options.track.as_deref())
        .map(str::as_bytes);
    let by_header = headers.get(TRACK_HEADER);
    let by_policy = policy.track.as_deref().map(str::as_bytes);
    let named = if retry_copy {
        by_step.or(by_policy).or(by_header)
    } else {
        by_step.or(by_header).or(by_policy)
    };
    let resolved_track = match named {
        ::core::option::Option::Some(bytes) => {
            let ::core::result::Result::Ok(text) = ::core::str::from_utf8(bytes) else {
                return ::core::result::Result::Err("a track has a name");
            };
            ::std::borrow::ToOwned::to_owned(text)
        }
        ::core::option::Option::None => free_track(),
    };
    let accepts: fn(&str) -> bool = track;
    if !accepts(&resolved_track) {
        return ::core::result::Result::Err("a track has a name");
    }
    let by_step = options.and_then(|options| options.ink.as_deref()).map(str::as_bytes);
    let by_header = ::core::option::Option::<&[u8]>::None;
    let by_policy = ::core::option::Option::<&[u8]>::None;
    let named = if retry_copy {
        by_step.or(by_policy).or(by_header)
    } else {
        by_step.or(by_header).or(by_policy)
    };
    let resolved_ink = match named {
        ::core::option::Option::Some(bytes) => {
            let ::core::result::Result::Ok(text) = ::core::str::from_utf8(bytes) else {
                return ::core::result::Result::Err("an ink has a short name");
            };
            ::std::borrow::ToOwned::to_owned(text)
        }
        ::core::option::Option::None => blank(),
    };
    let accepts: fn(&str) -> bool = |ink| ink.len() < 4;
    if !accepts(&resolved_ink) {
        return ::core::result::Result::Err("an ink has a short name");
    }
    ::core::result::Result::Ok(ResolvedWriteOptions {
        track: resolved_track,
        ink: resolved_ink,
    })
}
