//! What does XXH64 of a batch of keys cost? Each contestant writes batch after batch of hashes into
//! the same array.

use std::hint::black_box;
use std::ops::Range;

use twox_hash::XxHash64;
use xxhash_rust::xxh64::xxh64;

use crate::measure::{report, Random};
use crate::{hash_of, KEYS};

/// Few enough byte strings that they stay in the caches.
const BYTE_STRINGS: usize = 1 << 16;

/// Hashes that are used before the next ones are made; it divides the numbers of keys.
const BATCH: usize = 1 << 12;

pub fn measure() {
    let longs: Vec<_> = Random::new(1).take(KEYS).map(u64::to_le_bytes).collect();
    let ints: Vec<_> = Random::new(1)
        .take(KEYS)
        .map(|key| (key as u32).to_le_bytes())
        .collect();
    ask("hash long", "1M", KEYS, |batch| {
        longs[batch].iter().map(|key| &key[..])
    });
    ask("hash int", "1M", KEYS, |batch| {
        ints[batch].iter().map(|key| &key[..])
    });
    for (case, shortest, longest) in [
        ("8", 8, 8),
        ("16", 16, 16),
        ("36", 36, 36),
        ("64", 64, 64),
        ("4-40", 4, 40),
    ] {
        let (bytes, ends) = byte_strings(shortest, longest);
        ask("hash bytes", case, BYTE_STRINGS, |batch| {
            ends[batch.start..=batch.end]
                .windows(2)
                .map(|end| &bytes[end[0]..end[1]])
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

/// `keys` gives those of one batch.
fn ask<'a, Keys: Iterator<Item = &'a [u8]>>(
    question: &str,
    case: &str,
    count: usize,
    keys: impl Fn(Range<usize>) -> Keys + Copy,
) {
    for key in keys(0..count) {
        assert_eq!(hash_of(key), xxh64(key, 0), "the crates' hashes differ");
    }
    let twox_hash = pass(count, keys, |key| XxHash64::oneshot(0, key));
    let xxhash_rust = pass(count, keys, |key| xxh64(key, 0));
    let contestants = vec![("twox-hash", twox_hash), ("xxhash-rust", xxhash_rust)];
    report(question, case, count, contestants);
}

fn pass<'a, 'b, Keys: Iterator<Item = &'a [u8]>>(
    count: usize,
    keys: impl Fn(Range<usize>) -> Keys + 'b,
    hash: impl Fn(&[u8]) -> u64 + 'b,
) -> Box<dyn FnMut() + 'b> {
    let mut hashes = vec![0; BATCH];
    Box::new(move || {
        for from in (0..count).step_by(BATCH) {
            for (slot, key) in hashes.iter_mut().zip(keys(from..from + BATCH)) {
                *slot = hash(key);
            }
            black_box(&mut hashes);
        }
    })
}
