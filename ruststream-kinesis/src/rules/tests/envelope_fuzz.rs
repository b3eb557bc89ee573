//! A million damaged records, the same ones every time: none of them may panic the decoder.

use bytes::Bytes;

use crate::rules::envelope::{encode, headers, payload_at};

const INPUTS: u32 = 1_200_000;
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// xorshift64*: enough spread for a fuzz test, and replays exactly.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap();
        usize::try_from(self.next() % limit).unwrap()
    }

    fn byte(&mut self) -> u8 {
        self.next().to_be_bytes()[0]
    }
}

/// Sound envelopes of both forms, which the mutations start from.
fn sound() -> Vec<Vec<u8>> {
    let headers = [("tenant", &b"acme"[..]), ("k", b"\0\xff"), ("", b"")];
    (0..=headers.len())
        .map(|count| {
            encode(
                || headers[..count].iter().copied(),
                b"RSK2\0\0\0\0".to_vec(),
            )
        })
        .chain([
            b"RSK1\0\0\0\x0ba: b\ncd: e\npayload".to_vec(),
            b"RSK1\0\0\0\0".to_vec(),
        ])
        .collect()
}

fn mutate(blob: &mut Vec<u8>, random: &mut Random) {
    const EDGES: [u32; 6] = [0, 1, 4, 0x7FFF_FFFF, 0x8000_0000, u32::MAX];
    if blob.is_empty() {
        return;
    }
    let at = random.below(blob.len());
    match random.below(5) {
        0 => blob.truncate(at),
        1 => blob[at] = random.byte(),
        2 => blob.insert(at, random.byte()),
        3 => drop(blob.remove(at)),
        _ => {
            let edge = EDGES[random.below(EDGES.len())].to_be_bytes();
            let end = blob.len().min(at + edge.len());
            blob[at..end].copy_from_slice(&edge[..end - at]);
        }
    }
}

fn noise(random: &mut Random) -> Vec<u8> {
    const OPENINGS: [&[u8]; 4] = [b"", b"RSK1", b"RSK2", b"RSK2\0\0\0"];
    let mut blob = OPENINGS[random.below(OPENINGS.len())].to_vec();
    let length = random.below(32);
    blob.extend((0..length).map(|_| random.byte()));
    blob
}

#[test]
fn a_million_damaged_records_decode_without_a_panic_or_a_byte_made_up() {
    let mut random = Random(SEED);
    let sound = sound();
    let mut enveloped = 0_u32;
    for input in 0..INPUTS {
        let blob = if input % 4 == 0 {
            noise(&mut random)
        } else {
            let mut blob = sound[random.below(sound.len())].clone();
            for _ in 0..=random.below(3) {
                mutate(&mut blob, &mut random);
            }
            blob
        };
        let blob = Bytes::from(blob);
        let at = payload_at(&blob);
        assert!(at <= blob.len(), "{blob:?}");
        let headers = headers(&blob);
        let mut count = 0;
        for (name, value) in headers.iter() {
            assert!(str::from_utf8(&name).is_ok(), "{blob:?}");
            assert!(name.len() + value.len() <= at, "{blob:?}");
            count += 1;
        }
        assert_eq!(count, headers.len(), "{blob:?}");
        if at == 0 {
            assert_eq!(count, 0, "{blob:?}");
        } else {
            enveloped += 1;
        }
    }
    // The mutations must reach both sides of the decision, or the test shows little.
    assert!(
        (INPUTS / 20..INPUTS / 2).contains(&enveloped),
        "{enveloped}"
    );
}
