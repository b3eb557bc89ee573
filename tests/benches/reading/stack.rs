//! A table or a stream in a process of its own, which tells the calls it got.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use aws_sdk_kinesis::Client;
use kinesis_stack::{Call, Calls, DynamoStack, KinesisStack};
use serde_json::{Value, json};

use crate::client::STREAM;
use crate::{Outcome, by_hand, runtime};

/// Serves a `DynamoDB`. Prints its address, and for every line of the standard input the calls since
/// the line before. Ends with the standard input.
pub(crate) fn table() -> Outcome<()> {
    let stack = DynamoStack::start();
    tell(stack.endpoint(), stack.calls())
}

/// Serves a Kinesis with one stream of that many shards, in the same way.
pub(crate) fn stream(shards: &str) -> Outcome<()> {
    let stack = KinesisStack::start();
    let client = Client::new(&by_hand::config(stack.endpoint()));
    let created = client
        .create_stream()
        .stream_name(STREAM)
        .shard_count(shards.parse()?);
    runtime()?.block_on(created.send())?;
    stack.calls().clear();
    tell(stack.endpoint(), stack.calls())
}

fn tell(endpoint: &str, calls: &Calls) -> Outcome<()> {
    println!("{endpoint}");
    std::io::stdout().flush()?;
    for line in std::io::stdin().lock().lines() {
        line?;
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for call in calls.all() {
            *counts.entry(kind(&call)).or_default() += 1;
        }
        calls.clear();
        println!("{}", json!(counts));
        std::io::stdout().flush()?;
    }
    Ok(())
}

/// The operation, and of a write what it is for.
fn kind(call: &Call) -> String {
    if call.operation == "UpdateItem" {
        format!("UpdateItem {}", purpose(&call.request))
    } else {
        call.operation.clone()
    }
}

/// What a write of a lease is for, by the attributes it sets and removes.
fn purpose(request: &Value) -> &'static str {
    let update = request["UpdateExpression"].as_str().unwrap_or_default();
    let (set, removed) = update.split_once("REMOVE").unwrap_or((update, ""));
    let names = &request["ExpressionAttributeNames"];
    let has = |clause: &str, attribute: &str| {
        let mut words = clause.split([' ', ',']);
        words.any(|word| names[word] == attribute)
    };
    let key = &request["Key"]["lease_key"]["S"];
    if key.as_str().is_some_and(|key| key.ends_with(":members")) {
        "(member)"
    } else if has(set, "lease_owner") {
        "(take)"
    } else if has(removed, "lease_owner") {
        "(release)"
    } else if has(set, "checkpoint") {
        "(checkpoint)"
    } else if has(set, "lease_expiry") {
        "(renewal)"
    } else if has(set, "lease_cursor") {
        "(cursor)"
    } else {
        "(other)"
    }
}
