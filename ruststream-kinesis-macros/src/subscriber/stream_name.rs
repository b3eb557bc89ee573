//! How a stream is named: by its name or by its ARN.
//!
//! The broker's crate reads the same grammar when a subscription opens; a macro cannot call it, so
//! it stands here again, and a test of that crate holds the two equal.

/// The sentence for a text that names no stream.
pub(crate) fn refusal(text: &str) -> Option<&'static str> {
    match text.strip_prefix("arn:") {
        Some(rest) => refused_arn(rest),
        None => refused_name(text),
    }
}

fn refused_arn(rest: &str) -> Option<&'static str> {
    const SHAPE: &str =
        "a stream ARN reads `arn:<partition>:kinesis:<region>:<account>:stream/<name>`";
    let parts: Vec<&str> = rest.splitn(5, ':').collect();
    let [partition, service, region, account, resource] = parts[..] else {
        return Some(SHAPE);
    };
    if partition != "aws" && !partition.strip_prefix("aws-").is_some_and(is_label) {
        return Some("the partition of a stream ARN is `aws`, or `aws-` and a suffix");
    }
    if service != "kinesis" {
        return Some("the service of a stream ARN is `kinesis`");
    }
    if !is_label(region) {
        return Some("the region of a stream ARN is lower-case letters, digits and `-`");
    }
    if account.len() != 12 || !account.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some("the account of a stream ARN is 12 digits");
    }
    match resource.strip_prefix("stream/") {
        None => Some(SHAPE),
        Some(name) if name.contains("/consumer/") => {
            Some("the ARN names a consumer; the ARN of its stream ends before `/consumer/`")
        }
        Some(name) => refused_name(name),
    }
}

fn refused_name(name: &str) -> Option<&'static str> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    if name.is_empty() {
        Some("a stream name has at least one character")
    } else if !name.bytes().all(allowed) {
        Some("a stream name holds only letters, digits, `_`, `.` and `-`")
    } else if name.len() > 128 {
        Some("a stream name has at most 128 characters")
    } else {
        None
    }
}

fn is_label(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(allowed)
}
