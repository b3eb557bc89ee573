//! The endpoint a user named.

/// `url` without the user name and the password it may carry: calls are signed, so nothing would read
/// them, and what the SDK does not know none of its errors can show.
pub(crate) fn without_credentials(url: &str) -> String {
    // A misspelt scheme is refused by the SDK, which shows what it was given.
    let introduced = ["://", ":/", "//"].iter().find_map(|mark| {
        let at = url.find(mark)?;
        (*mark != "//" || at == 0).then_some(at + mark.len())
    });
    let authority = introduced.unwrap_or_default();
    let rest = &url[authority..];
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    // A password may hold what ends an authority; what stands before it is then no host.
    let within = if is_host(&rest[..end]) {
        end
    } else {
        rest.len()
    };
    let host = rest[..within].rfind('@').map_or(0, |at| at + 1);
    format!("{}{}", &url[..authority], &rest[host..])
}

/// Whether it is a host, maybe with a port, and no user name with a password.
fn is_host(text: &str) -> bool {
    let (_, last) = text.rsplit_once('@').unwrap_or(("", text));
    let (_, port) = match last.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (last, ""),
    };
    !last.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}
