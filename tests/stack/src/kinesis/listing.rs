//! Pages of `ListShards`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::wire::{Received, Reply};

/// A token lives for 300 seconds (`ListShards` API reference).
const TOKEN_LIFETIME: Duration = Duration::from_mins(5);
/// A page has 1,000 shards unless the call says otherwise (`ListShards` API reference).
const PAGE: u64 = 1_000;

/// A token that stands alone: it names the stream, the last shard of the page before and when it was given.
struct Token<'a> {
    given: Duration,
    stream: &'a str,
    shard: &'a str,
}

impl<'a> Token<'a> {
    fn parse(token: &'a str) -> Option<Self> {
        let mut parts = token.splitn(3, '/');
        let given = Duration::from_millis(parts.next()?.parse().ok()?);
        Some(Self {
            given,
            stream: parts.next()?,
            shard: parts.next()?,
        })
    }
}

pub(super) fn stream_of_token(token: &str) -> Option<&str> {
    Token::parse(token).map(|token| token.stream)
}

/// Makes a request the emulator understands. The service takes `NextToken` without a stream, as the token names it; the
/// emulator looks for a stream without a name.
pub(super) fn resolve(received: &mut Received) -> Result<(), Box<Reply>> {
    if received.body["MaxResults"].is_null() && received.body.is_object() {
        received.replace_body(|body| body["MaxResults"] = PAGE.into());
    }
    filter(received)?;
    if received.text("StreamName").is_some() {
        // Refused by the emulator when there is a token too, as the service does.
        return Ok(());
    }
    let Some(token) = received.text("NextToken").map(str::to_owned) else {
        return Ok(());
    };
    let Some(Token {
        given,
        stream,
        shard,
    }) = Token::parse(&token)
    else {
        return Err(invalid("NextToken is invalid."));
    };
    if since_epoch() > given + TOKEN_LIFETIME {
        return Err(Box::new(Reply::error(
            400,
            "ExpiredNextTokenException",
            "NextToken expired.",
        )));
    }
    received.replace_body(|body| {
        body["NextToken"].take();
        body["StreamName"] = stream.into();
        body["ExclusiveStartShardId"] = shard.into();
    });
    Ok(())
}

/// The emulator ignores `ShardFilter`. What cannot be served is refused, so that nobody trusts a listing that was not
/// filtered; no shard ages out here, so everything is "from the trim horizon".
fn filter(received: &mut Received) -> Result<(), Box<Reply>> {
    let shard = received.body["ShardFilter"]["ShardId"].clone();
    match received.body["ShardFilter"]["Type"].as_str() {
        None | Some("FROM_TRIM_HORIZON") => {}
        Some("AFTER_SHARD_ID") => {
            received.replace_body(|body| body["ExclusiveStartShardId"] = shard);
        }
        Some(_) => {
            return Err(invalid(
                "The local stack does not serve this type of ShardFilter.",
            ));
        }
    }
    Ok(())
}

/// Replaces the emulator's token, a bare shard id, by one that stands alone.
pub(super) fn give_token(received: &Received, body: &mut Value) {
    let (Some(stream), Some(shard)) = (received.text("StreamName"), body["NextToken"].as_str())
    else {
        return;
    };
    body["NextToken"] = format!("{}/{stream}/{shard}", since_epoch().as_millis()).into();
}

fn invalid(message: &str) -> Box<Reply> {
    Box::new(Reply::error(400, "InvalidArgumentException", message))
}

fn since_epoch() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("the clock is past 1970")
}
