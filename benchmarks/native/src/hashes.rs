//! What does XXH64 of a batch of keys cost? Each contestant writes the hashes into an array.

use std::hint::black_box;

use twox_hash::XxHash64;
use xxhash_rust::xxh64::xxh64;

use crate::measure::{report, Random};
use crate::{hash_of, KEYS};

/// Few enough byte strings that they and their hashes stay in the caches.
const BYTE_STRINGS: usize = 1 << 16;

pub fn measure() {
    let longs: Vec<_> = Random::new(1).take(KEYS).map(u64::to_le_bytes).collect();
    let ints: Vec<_> = Random::new(1)
        .take(KEYS)
        .map(|key| (key as u32).to_le_bytes())
        .collect();
    ask("hash long", "1M", || longs.iter().map(|key| &key[..]));
    ask("hash int", "1M", || ints.iter().map(|key| &key[..]));
    for (case, shortest, longest) in [
        ("8", 8, 8),
        ("16", 16, 16),
        ("36", 36, 36),
        ("64", 64, 64),
        ("4-40", 4, 40),
    ] {
        let (bytes, ends) = byte_strings(shortest, longest);
        ask("hash bytes", case, || {
            ends.windows(2).map(|end| &bytes[end[0]..end[1]])
        });
    }
}

/// Keys one after the other in one array, and where each ends, after a leading 0.
fn byte_strings(shortest: usize, longest: usize) -> (Vec<u8>, Vec<usize>) {
    let mut random = Random::new(2);
    let mut ends = vec![0];
    for _ in 0..BYTE_STRINGS {
        ends.push(ends[ends.len() - 1] + shortest + random.below(longest - shortest + 1));
    }
    let bytes = random.flat_map(u64::to_le_bytes).take(ends[BYTE_STRINGS]);
    (bytes.collect(), ends)
}

fn ask<'a, Keys: Iterator<Item = &'a [u8]>>(
    question: &str,
    case: &str,
    keys: impl Fn() -> Keys + Copy,
) {
    for key in keys() {
        assert_eq!(hash_of(key), xxh64(key, 0), "the crates' hashes differ");
    }
    let contestants = vec![
        ("twox-hash", pass(keys, |key| XxHash64::oneshot(0, key))),
        ("xxhash-rust", pass(keys, |key| xxh64(key, 0))),
    ];
    report(question, case, keys().count(), contestants);
}

fn pass<'a, 'b, Keys: Iterator<Item = &'a [u8]>>(
    keys: impl Fn() -> Keys + 'b,
    hash: impl Fn(&[u8]) -> u64 + 'b,
) -> Box<dyn FnMut() + 'b> {
    let mut hashes = vec![0; keys().count()];
    Box::new(move || {
        for (slot, key) in hashes.iter_mut().zip(keys()) {
            *slot = hash(key);
        }
        black_box(&mut hashes);
    })
}
