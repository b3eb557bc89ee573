//! A million damaged inputs for each decoder, the same ones every time: none of them may panic it.

mod envelope;
mod numbers;
mod stream_ref;

use fastrand::Rng;

const INPUTS: u32 = 1_200_000;
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Noise behind one of the openings, or a sound input with up to three wounds.
fn inputs(openings: &[&[u8]], sound: &[Vec<u8>]) -> impl Iterator<Item = Vec<u8>> {
    let mut random = Rng::with_seed(SEED);
    (0..INPUTS).map(move |input| {
        if input % 4 == 0 {
            let mut blob = openings[random.usize(..openings.len())].to_vec();
            let length = random.usize(..32);
            blob.extend((0..length).map(|_| random.u8(..)));
            blob
        } else {
            let mut blob = sound[random.usize(..sound.len())].clone();
            for _ in 0..=random.usize(..3) {
                wound(&mut blob, &mut random);
            }
            blob
        }
    })
}

fn wound(blob: &mut Vec<u8>, random: &mut Rng) {
    const EDGES: [u32; 6] = [0, 1, 4, 0x7FFF_FFFF, 0x8000_0000, u32::MAX];
    if blob.is_empty() {
        return;
    }
    let at = random.usize(..blob.len());
    match random.u8(..6) {
        0 => blob.truncate(at),
        1 => blob[at] = random.u8(..),
        2 => blob.insert(at, random.u8(..)),
        3 => drop(blob.remove(at)),
        4 => blob.extend_from_within(at..),
        _ => {
            let edge = EDGES[random.usize(..EDGES.len())].to_be_bytes();
            let end = blob.len().min(at + edge.len());
            blob[at..end].copy_from_slice(&edge[..end - at]);
        }
    }
}

/// The mutations must reach both sides of a decision, or a test of it shows little.
fn assert_both_sides(sound: u32) {
    assert!((INPUTS / 20..INPUTS * 3 / 4).contains(&sound), "{sound}");
}
