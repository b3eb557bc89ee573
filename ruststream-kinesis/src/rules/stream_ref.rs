//! How a caller names a stream: by its name or by its ARN.

/// The most characters a stream name holds.
///
/// Source: `CreateStream` API reference, `StreamName`.
const MAX_NAME_CHARACTERS: usize = 128;

/// The digits of an account in an ARN.
///
/// Source: `CreateStream` and `DescribeStreamSummary` API references, `StreamARN`.
const ACCOUNT_DIGITS: usize = 12;

/// A stream as it was named, borrowed from the caller's spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamRef<'a> {
    /// A bare name, in the region and account of the client.
    Name(&'a str),
    /// A full ARN and its parts.
    Arn {
        /// The whole ARN, as `StreamARN` takes it.
        arn: &'a str,
        /// The stream's name.
        name: &'a str,
    },
}

impl<'a> StreamRef<'a> {
    /// The stream's name, however it was given.
    pub(crate) const fn name(self) -> &'a str {
        match self {
            Self::Name(name) | Self::Arn { name, .. } => name,
        }
    }

    /// The stream as the caller spelt it.
    pub(crate) const fn text(self) -> &'a str {
        match self {
            Self::Name(text) | Self::Arn { arn: text, .. } => text,
        }
    }

    /// The ARN, where the stream was named by one.
    pub(crate) const fn arn(self) -> Option<&'a str> {
        match self {
            Self::Name(_) => None,
            Self::Arn { arn, .. } => Some(arn),
        }
    }
}

/// Reads a stream name or an ARN.
///
/// # Errors
///
/// A sentence that names the rule the text breaks.
pub(crate) fn parse(text: &str) -> Result<StreamRef<'_>, &'static str> {
    // A name holds no colon, so the prefix tells the two apart.
    match text.strip_prefix("arn:") {
        Some(rest) => parse_arn(text, rest),
        None => check_name(text).map(|()| StreamRef::Name(text)),
    }
}

fn parse_arn<'a>(arn: &'a str, rest: &'a str) -> Result<StreamRef<'a>, &'static str> {
    const SHAPE: &str =
        "a stream ARN reads `arn:<partition>:kinesis:<region>:<account>:stream/<name>`";
    let mut parts = rest.splitn(5, ':');
    let mut part = || parts.next().ok_or(SHAPE);
    let (partition, service, region, account, resource) =
        (part()?, part()?, part()?, part()?, part()?);
    if !is_partition(partition) {
        return Err("the partition of a stream ARN is `aws`, or `aws-` and a suffix");
    }
    if service != "kinesis" {
        return Err("the service of a stream ARN is `kinesis`");
    }
    if !is_label(region) {
        return Err("the region of a stream ARN is lower-case letters, digits and `-`");
    }
    if account.len() != ACCOUNT_DIGITS || !account.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("the account of a stream ARN is 12 digits");
    }
    let name = resource.strip_prefix("stream/").ok_or(SHAPE)?;
    if name.contains("/consumer/") {
        return Err("the ARN names a consumer; the ARN of its stream ends before `/consumer/`");
    }
    check_name(name)?;
    Ok(StreamRef::Arn { arn, name })
}

fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("a stream name has at least one character");
    }
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
    {
        return Err("a stream name holds only letters, digits, `_`, `.` and `-`");
    }
    if name.len() > MAX_NAME_CHARACTERS {
        return Err("a stream name has at most 128 characters");
    }
    Ok(())
}

/// New partitions appear (`aws-cn`, `aws-us-gov`, `aws-iso-b`), so the shape is checked, not a list.
fn is_partition(text: &str) -> bool {
    text == "aws" || text.strip_prefix("aws-").is_some_and(is_label)
}

fn is_label(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}
