//! The header envelope: user headers written around a payload, and only when there are any.
//!
//! ```text
//! RSK2   "RSK2"  u32 BE block length  block  payload     read and written
//!        block   (u32 BE name length  name  u32 BE value length  value)*
//!
//! RSK1   "RSK1"  u32 BE block length  block  payload     read only
//!        block   ("name: value\n")*
//! ```
//!
//! A blob that is no sound envelope is somebody else's record: no headers, every byte payload.
//! The specification names `RSK1` a text envelope and gives no layout, so the one here mirrors
//! `RSK2` with lines for its block; [`next_line`] is the only place that knows it.

use bytes::Bytes;

const MAGIC_LENGTH: usize = 4;
const LENGTH_PREFIX: usize = size_of::<u32>();

/// The magic of the envelope this crate writes.
pub(crate) const MAGIC: [u8; MAGIC_LENGTH] = *b"RSK2";
/// The magic of the earlier text envelope, which is only read.
pub(crate) const TEXT_MAGIC: [u8; MAGIC_LENGTH] = *b"RSK1";

/// A checked header block: iterating it cannot fail.
#[derive(Debug, Clone)]
pub(crate) struct Headers {
    form: Form,
    block: Bytes,
    count: usize,
}

impl Headers {
    /// How many headers the block holds.
    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    /// Each header as `(name, value)`, slices of the record; a name is valid UTF-8.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Bytes, Bytes)> + '_ {
        let mut rest = &self.block[..];
        std::iter::from_fn(move || {
            let header = self.form.next(rest)?;
            rest = header.rest;
            Some((
                self.block.slice_ref(header.name),
                self.block.slice_ref(header.value),
            ))
        })
    }
}

/// Wraps `payload` with what `headers` iterates in one exact allocation; without headers it is returned as is.
///
/// The exception is a bare payload that reads as an envelope itself: it is wrapped with an empty
/// block, so that it comes back byte for byte.
pub(crate) fn encode<'a, Headers>(headers: impl Fn() -> Headers, payload: Vec<u8>) -> Vec<u8>
where
    Headers: Iterator<Item = (&'a str, &'a [u8])>,
{
    let block_length: usize = headers()
        .map(|(name, value)| 2 * LENGTH_PREFIX + name.len() + value.len())
        .sum();
    if block_length == 0 && split(&payload).is_none() {
        return payload;
    }
    let mut blob = Vec::with_capacity(MAGIC_LENGTH + LENGTH_PREFIX + block_length + payload.len());
    blob.extend_from_slice(&MAGIC);
    put_length(&mut blob, block_length);
    for (name, value) in headers() {
        put_length(&mut blob, name.len());
        blob.extend_from_slice(name.as_bytes());
        put_length(&mut blob, value.len());
        blob.extend_from_slice(value);
    }
    blob.extend_from_slice(&payload);
    blob
}

/// Where the payload of a record begins in its blob; the headers are before it.
pub(crate) fn payload_at(blob: &[u8]) -> usize {
    split(blob).map_or(0, |parts| blob.len() - parts.payload.len())
}

/// The headers of a blob, which may end where its payload begins. Copies nothing.
pub(crate) fn headers(blob: &Bytes) -> Headers {
    match split(blob) {
        None => Headers {
            form: Form::Framed,
            block: Bytes::new(),
            count: 0,
        },
        Some(parts) => Headers {
            form: parts.form,
            block: blob.slice_ref(parts.block),
            count: parts.count,
        },
    }
}

/// A length over `u32` belongs to a blob far past the record limit, which is refused after this.
fn put_length(blob: &mut Vec<u8>, length: usize) {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    blob.extend_from_slice(&length.to_be_bytes());
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `RSK2`.
    Framed,
    /// `RSK1`.
    Lines,
}

impl Form {
    fn next(self, block: &[u8]) -> Option<Header<'_>> {
        match self {
            Self::Framed => next_framed(block),
            Self::Lines => next_line(block),
        }
    }
}

struct Parts<'a> {
    form: Form,
    block: &'a [u8],
    count: usize,
    payload: &'a [u8],
}

struct Header<'a> {
    name: &'a [u8],
    value: &'a [u8],
    rest: &'a [u8],
}

/// The parts of a sound envelope; `None` for every other blob.
fn split(blob: &[u8]) -> Option<Parts<'_>> {
    let (magic, rest) = blob.split_first_chunk::<MAGIC_LENGTH>()?;
    let form = match *magic {
        MAGIC => Form::Framed,
        TEXT_MAGIC => Form::Lines,
        _ => return None,
    };
    let (block, payload) = prefixed(rest)?;
    let mut count = 0;
    let mut unread = block;
    while !unread.is_empty() {
        unread = form.next(unread)?.rest;
        count += 1;
    }
    Some(Parts {
        form,
        block,
        count,
        payload,
    })
}

/// Takes a length and that many bytes; `None` when fewer are left.
fn prefixed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH_PREFIX>()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}

fn next_framed(block: &[u8]) -> Option<Header<'_>> {
    let (name, rest) = prefixed(block)?;
    let (value, rest) = prefixed(rest)?;
    str::from_utf8(name).ok()?;
    Some(Header { name, value, rest })
}

/// One `name: value` line of an `RSK1` block; the last may lack its line feed.
///
/// A line of any other shape makes the blob a foreign record, which loses nothing of it.
fn next_line(block: &[u8]) -> Option<Header<'_>> {
    const SEPARATOR: &str = ": ";
    if block.is_empty() {
        return None;
    }
    let end = block.iter().position(|&byte| byte == b'\n');
    let (line, rest) = match end {
        Some(end) => (&block[..end], &block[end + 1..]),
        None => (block, &block[block.len()..]),
    };
    let (name, value) = str::from_utf8(line).ok()?.split_once(SEPARATOR)?;
    Some(Header {
        name: name.as_bytes(),
        value: value.as_bytes(),
        rest,
    })
}
