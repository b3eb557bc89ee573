//! The example of two instances.

use crate::program::Program;

/// The owners of the table's rows, block by block.
fn blocks(output: &str) -> Vec<Vec<&str>> {
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    for line in output.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [_, "s", "shard", "owner", ..] => blocks.push(Vec::new()),
            [shard, owner, ..] if shard.starts_with("shardId-") => {
                blocks.last_mut().expect("a heading first").push(owner);
            }
            _ => {}
        }
    }
    blocks
}

#[test]
fn two_instances_share_the_shards_and_the_one_that_stays_takes_them_all() {
    let ended = Program::example("leases", &[]).run();
    assert_eq!(ended.code, Some(0), "{}\n{}", ended.output, ended.errors);
    let blocks = blocks(&ended.output);
    assert_eq!(blocks[0], ["a"; 6], "{}", ended.output);
    let halves = blocks.iter().any(|owners| {
        let held = |name| owners.iter().filter(|owner| **owner == name).count();
        (held("a"), held("b")) == (3, 3)
    });
    assert!(halves, "{}", ended.output);
    assert_eq!(blocks[blocks.len() - 1], ["b"; 6], "{}", ended.output);
    // The README shows what it prints.
    let shown: String = include_str!("../../../README.md")
        .lines()
        .fold(String::new(), |text, line| text + line.trim() + "\n");
    for line in [
        "instance a starts",
        "instance b starts, while orders come in",
        "instance a stops",
    ] {
        assert!(
            ended.output.contains(line) && shown.contains(line),
            "{line}"
        );
    }
}
