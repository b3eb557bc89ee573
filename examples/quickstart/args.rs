//! The command line.

pub(crate) const USAGE: &str = "\
usage: cargo run --example quickstart [-- --endpoint URL | -- --aws]

  (nothing)       on a Kinesis inside this process
  --endpoint URL  on another Kinesis, such as a local stack's, with dummy credentials
  --aws           on the environment's AWS account: says what it creates, deletes it at the end
";

pub(crate) enum Asked {
    Run(Target),
    Help,
}

pub(crate) enum Target {
    Embedded,
    Endpoint(String),
    Aws,
}

/// # Errors
///
/// What is wrong with the command line, in one line.
pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Asked, String> {
    let target = match args.next().as_deref() {
        None => Target::Embedded,
        Some("--help" | "-h") => return Ok(Asked::Help),
        Some("--aws") => Target::Aws,
        Some("--endpoint") => match args.next() {
            Some(url) if url.starts_with("http://") || url.starts_with("https://") => {
                Target::Endpoint(url)
            }
            Some(other) => return Err(format!("not an http:// or https:// URL: {other}")),
            None => return Err("--endpoint takes a URL".to_owned()),
        },
        Some(other) => return Err(format!("unknown argument: {other}")),
    };
    match args.next() {
        None => Ok(Asked::Run(target)),
        Some(more) => Err(format!("unexpected argument: {more}")),
    }
}
