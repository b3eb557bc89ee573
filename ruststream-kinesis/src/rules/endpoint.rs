//! The endpoint a user named.

/// `url` without the user name and the password it may carry: calls are signed, so nothing would read
/// them, and what the SDK does not know none of its errors can show.
pub(crate) fn without_credentials(url: &str) -> String {
    let authority = url.find("://").map_or(0, |scheme| scheme + "://".len());
    let rest = &url[authority..];
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest[..end].rfind('@').map_or(0, |at| at + 1);
    format!("{}{}", &url[..authority], &rest[host..])
}
