/// Where on the tape the record stands.
pub const INDEX_HEADER: &str = "tape-index";
/// Who cut it.
pub const CUTTER_HEADER: &str = "tape-cutter";
/// The headers every delivery carries.
pub(crate) const DELIVERY_HEADERS: [&str; 2] = [INDEX_HEADER, CUTTER_HEADER];
/// What one record carries.
#[derive(::core::fmt::Debug, ::core::clone::Clone)]
#[non_exhaustive]
pub struct TapeContext {
    /// Where the record stands.
    pub index: u64,
    /// Winds the tape back.
    pub rewinder: Rewinder,
}
impl ::ruststream::BuildContext<TapeMessage> for TapeContext {
    fn build(m: &TapeMessage) -> Self {
        Self {
            index: m.index,
            rewinder: m.rewinder.clone(),
        }
    }
}
/// What one batch carries.
#[derive(::core::fmt::Debug, ::core::clone::Clone)]
#[non_exhaustive]
pub struct TapeBatchContext {
    /// Winds the tape back.
    pub rewinder: Rewinder,
    /// Where the batch starts.
    pub start: u64,
}
impl ::ruststream::BuildBatchContext<TapeMessage> for TapeBatchContext {
    fn build(first: &TapeMessage) -> Self {
        Self {
            rewinder: first.rewinder.clone(),
            start: first.index,
        }
    }
}
/// Where the record stands.
#[derive(
    ::core::fmt::Debug,
    ::core::default::Default,
    ::core::clone::Clone,
    ::core::marker::Copy,
)]
pub struct Index;
impl ::ruststream::ContextField for Index {
    type Context = TapeContext;
    type Value = u64;
    fn read(self, context: &TapeContext) -> u64 {
        ::core::clone::Clone::clone(&context.index)
    }
}
impl ::ruststream::Field<TapeContext> for Index {
    type Value<'a> = u64;
    fn get(self, context: &TapeContext) -> u64 {
        ::core::clone::Clone::clone(&context.index)
    }
}
/// Winds the tape back.
#[derive(
    ::core::fmt::Debug,
    ::core::default::Default,
    ::core::clone::Clone,
    ::core::marker::Copy,
)]
pub struct Rewind;
impl ::ruststream::ContextField for Rewind {
    type Context = TapeContext;
    type Value = Rewinder;
    fn read(self, context: &TapeContext) -> Rewinder {
        ::core::clone::Clone::clone(&context.rewinder)
    }
}
impl ::ruststream::Field<TapeContext> for Rewind {
    type Value<'a> = &'a Rewinder;
    fn get(self, context: &TapeContext) -> &Rewinder {
        &context.rewinder
    }
}
impl ::ruststream::Field<TapeBatchContext> for Rewind {
    type Value<'a> = &'a Rewinder;
    fn get(self, context: &TapeBatchContext) -> &Rewinder {
        &context.rewinder
    }
}
