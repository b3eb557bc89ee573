use proptest::collection::vec;
use proptest::prelude::*;

use crate::rules::packing::{BLOCK, Packed, Size};

type Record = (Vec<u8>, String, Option<String>);

fn record(data: &[u8], sequence: &str, key: Option<&str>) -> Record {
    (data.to_vec(), sequence.to_owned(), key.map(str::to_owned))
}

fn lengths((data, sequence, key): &Record) -> (usize, usize) {
    let key = key.as_ref().map_or(0, String::len);
    (data.len(), sequence.len() + key)
}

/// The records, block by block.
fn pack(mut records: &[Record]) -> Vec<Packed> {
    let mut blocks = Vec::new();
    while !records.is_empty() {
        let size = Size::of_next(records.iter().map(lengths));
        let (these, rest) = records.split_at(size.records);
        let mut packed = Packed::new(size);
        for (data, sequence, key) in these {
            packed.push(data.clone(), sequence, key.as_deref());
        }
        assert_eq!(packed.len(), size.records);
        assert_eq!(packed.bytes_allocated(), size.bytes());
        blocks.push(packed);
        records = rest;
    }
    blocks
}

fn unpack(blocks: &[Packed]) -> Vec<Record> {
    let of_block = |block| move |index| read(block, index);
    blocks
        .iter()
        .flat_map(|block| (0..block.len()).map(of_block(block)))
        .collect()
}

fn read(block: &Packed, index: usize) -> Record {
    record(
        block.data(index),
        block.sequence(index),
        block.partition_key(index),
    )
}

/// How many records each block has, for data of those lengths.
fn cut(lengths: &[usize]) -> Vec<usize> {
    let records: Vec<Record> = lengths
        .iter()
        .map(|length| record(&vec![7; *length], "1", None))
        .collect();
    let blocks = pack(&records);
    assert_eq!(unpack(&blocks), records);
    blocks.iter().map(Packed::len).collect()
}

#[test]
fn a_block_is_full_at_exactly_its_size() {
    assert_eq!(cut(&[BLOCK - 1, 1, 1]), [2, 1]);
    assert_eq!(cut(&[BLOCK - 1, 2]), [1, 1]);
    assert_eq!(cut(&[BLOCK / 2; 5]), [2, 2, 1]);
}

#[test]
fn a_record_larger_than_a_block_has_one_of_its_own() {
    assert_eq!(cut(&[BLOCK + 1]), [1]);
    assert_eq!(cut(&[1, BLOCK + 1, 1, 1]), [1, 1, 2]);
    assert_eq!(cut(&[3 * BLOCK, 3 * BLOCK]), [1, 1]);
}

#[test]
fn a_record_alone_is_not_copied() {
    let data = vec![7; 2 * BLOCK];
    let at = data.as_ptr();
    let mut packed = Packed::new(Size::of_next([(data.len(), 1)]));
    packed.push(data, "1", None);
    assert_eq!(packed.data(0).as_ptr(), at);
}

#[test]
fn records_without_data_share_a_block() {
    assert_eq!(cut(&[0; 100]), [100]);
    assert_eq!(cut(&[0, BLOCK, 0, 0, 1]), [4, 1]);
}

#[test]
fn no_records_are_no_block() {
    assert_eq!(Size::of_next([]), Size::default());
}

#[test]
fn a_record_without_a_partition_key_is_told_from_one_with_an_empty_one() {
    let records = [
        record(b"a", "10", Some("key")),
        record(b"", "11", None),
        record(b"bc", "12", Some("")),
        record(b"", "13", None),
        record(b"d", "14", Some("k")),
    ];
    assert_eq!(unpack(&pack(&records)), records);
}

proptest! {
    #[test]
    fn every_record_comes_back_as_it_was(
        records in vec(
            (
                prop_oneof![
                    vec(any::<u8>(), 0..20),
                    (0..2 * BLOCK).prop_map(|length| vec![7; length]),
                ],
                "[0-9]{1,129}",
                proptest::option::of("\\PC{0,20}"),
            ),
            0..30,
        ),
    ) {
        let blocks = pack(&records);
        prop_assert_eq!(unpack(&blocks), records);
        for block in &blocks {
            let data: usize = (0..block.len()).map(|index| block.data(index).len()).sum();
            prop_assert!(data <= BLOCK || block.len() == 1);
        }
    }
}
