//! What do inserts into split-block bloom filters cost, and probes?
//!
//! sbbf-rs takes hashes. The `parquet` crate takes values only, so its times hold its XXH64 too,
//! as its contestant's name says.

use std::hint::black_box;

use parquet::bloom_filter::Sbbf;
use sbbf_rs::{FilterFn, BUCKET_SIZE};

use crate::measure::{report, Random};
use crate::{hash_of, KEYS};

/// A core's own cache; its edge; shared cache or memory.
const SIZES: [usize; 3] = [128 << 10, 2 << 20, 32 << 20];
const MANY_FILTERS: usize = 2000;
const MANY_KEYS: usize = 1000;
const SBBF_RS: &str = "sbbf-rs";
const PARQUET: &str = "parquet with its hash";

/// sbbf-rs asks for aligned bitsets.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u8; sbbf_rs::ALIGNMENT]);

struct Filter {
    bitset: Vec<Line>,
    kernel: FilterFn,
}

impl Filter {
    /// An empty filter of this many bytes, a multiple of 64.
    fn new(bytes: usize) -> Self {
        Filter {
            bitset: vec![Line([0; sbbf_rs::ALIGNMENT]); bytes / sbbf_rs::ALIGNMENT],
            kernel: FilterFn::new(),
        }
    }

    /// At 10.5 bits a value, which is an FPP of 1 % (the specification's "Sizing an SBBF").
    fn filled(bytes: usize, keys: impl Iterator<Item = u64>) -> Self {
        let mut filter = Filter::new(bytes);
        for key in keys.take(values_of(bytes)) {
            filter.insert(hash_of(&key.to_le_bytes()));
        }
        filter
    }

    fn blocks(&self) -> usize {
        size_of_val(&self.bitset[..]) / BUCKET_SIZE
    }

    fn insert(&mut self, hash: u64) -> bool {
        let (bitset, blocks) = (self.bitset.as_mut_ptr().cast(), self.blocks());
        // SAFETY: a Line is aligned as asked for, and the bitset holds this many blocks.
        unsafe { self.kernel.insert(bitset, blocks, hash) }
    }

    fn contains(&self, hash: u64) -> bool {
        // SAFETY: as above.
        unsafe {
            self.kernel
                .contains(self.bitset.as_ptr().cast(), self.blocks(), hash)
        }
    }

    fn bytes(&self) -> Vec<u8> {
        self.bitset.iter().flat_map(|line| line.0).collect()
    }
}

fn values_of(bytes: usize) -> usize {
    bytes * 80 / 105
}

fn hashes_of(keys: &[u64]) -> Vec<u64> {
    keys.iter().map(|key| hash_of(&key.to_le_bytes())).collect()
}

/// Hits, so many in a hundred, come in random order.
pub fn measure_probes() {
    for bytes in SIZES {
        let present: Vec<u64> = Random::new(1).take(values_of(bytes)).collect();
        let filter = Filter::filled(bytes, present.iter().copied());
        let parquet = Sbbf::new(&filter.bytes());
        let hashes = hashes_of(&present);
        assert!(hashes.iter().all(|hash| filter.contains(*hash)), "lost");
        for hit_percent in [0, 50, 100] {
            let mut random = Random::new(3);
            let mut keys: Vec<u64> = Random::new(2).take(KEYS).collect();
            for key in &mut keys {
                if random.below(100) < hit_percent {
                    *key = present[random.below(present.len())];
                }
            }
            let hashes = hashes_of(&keys);
            for (key, hash) in keys.iter().zip(&hashes) {
                assert_eq!(filter.contains(*hash), parquet.check(key), "answers differ");
            }
            let probe = || count(&hashes, |hash| filter.contains(*hash));
            let check = || count(&keys, |key| parquet.check(key));
            report(
                "probe",
                &format!("{bytes}/{hit_percent}"),
                KEYS,
                vec![(SBBF_RS, consumed(probe)), (PARQUET, consumed(check))],
            );
        }
    }
}

pub fn measure_inserts() {
    let keys: Vec<u64> = Random::new(1).take(KEYS).collect();
    let hashes = hashes_of(&keys);
    for bytes in SIZES {
        let mut filter = Filter::new(bytes);
        let mut parquet = Sbbf::new_with_num_of_bytes(bytes);
        let insert = || {
            for hash in &hashes {
                filter.insert(*hash);
            }
            black_box(&mut filter);
        };
        let insert_parquet = || {
            for key in &keys {
                parquet.insert(key);
            }
            black_box(&mut parquet);
        };
        report(
            "insert",
            &bytes.to_string(),
            KEYS,
            vec![
                (SBBF_RS, Box::new(insert)),
                (PARQUET, Box::new(insert_parquet)),
            ],
        );
        assert!(hashes.iter().all(|hash| filter.contains(*hash)), "lost");
        let mut bytes = Vec::new();
        parquet
            .write_bitset(&mut bytes)
            .expect("memory to write to");
        assert!(filter.bytes() == bytes, "the crates' bitsets differ");
    }
}

/// Absent keys asked of filters of 64 KiB, filter by filter: all answers, or each filter's first
/// yes ("any"). Nanoseconds are per pair of key and filter that there is, asked or not. Sorting,
/// once for all filters, is part of the time.
pub fn measure_many() {
    let mut present = Random::new(1);
    let filters: Vec<Filter> = (0..MANY_FILTERS)
        .map(|_| Filter::filled(64 << 10, present.by_ref()))
        .collect();
    let parquets: Vec<Sbbf> = filters
        .iter()
        .map(|filter| Sbbf::new(&filter.bytes()))
        .collect();
    let keys: Vec<u64> = Random::new(2).take(MANY_KEYS).collect();
    let hashes = hashes_of(&keys);

    let all = |hashes: &[u64]| -> usize {
        let found = |filter: &Filter| count(hashes, |hash| filter.contains(*hash));
        filters.iter().map(found).sum()
    };
    let parquet_all = |keys: &[u64]| -> usize {
        let found = |filter: &Sbbf| count(keys, |key| filter.check(key));
        parquets.iter().map(found).sum()
    };
    let any = |hashes: &[u64]| {
        count(&filters, |filter| {
            hashes.iter().any(|hash| filter.contains(*hash))
        })
    };
    let parquet_any =
        |keys: &[u64]| count(&parquets, |filter| keys.iter().any(|key| filter.check(key)));
    assert_eq!(all(&hashes), parquet_all(&keys), "answers differ");
    assert_eq!(
        any(&sorted(&hashes)),
        parquet_any(&by_hash(&keys)),
        "answers differ"
    );

    let ask = |case, ours: Box<dyn FnMut() + '_>, parquet: Box<dyn FnMut() + '_>| {
        let contestants = vec![(SBBF_RS, ours), (PARQUET, parquet)];
        report("many", case, MANY_KEYS * MANY_FILTERS, contestants);
    };
    ask(
        "1000x2000 all",
        consumed(|| all(&hashes)),
        consumed(|| parquet_all(&keys)),
    );
    ask(
        "1000x2000 all sorted",
        consumed(|| all(&sorted(&hashes))),
        consumed(|| parquet_all(&by_hash(&keys))),
    );
    ask(
        "1000x2000 any",
        consumed(|| any(&hashes)),
        consumed(|| parquet_any(&keys)),
    );
    ask(
        "1000x2000 any sorted",
        consumed(|| any(&sorted(&hashes))),
        consumed(|| parquet_any(&by_hash(&keys))),
    );
}

/// Hashes in the order of the blocks that they ask.
fn sorted(hashes: &[u64]) -> Vec<u64> {
    let mut sorted = hashes.to_vec();
    sorted.sort_unstable();
    sorted
}

/// Keys in the order of the blocks that they ask.
fn by_hash(keys: &[u64]) -> Vec<u64> {
    let mut sorted = keys.to_vec();
    sorted.sort_by_cached_key(|key| hash_of(&key.to_le_bytes()));
    sorted
}

fn count<T>(all: &[T], is: impl Fn(&T) -> bool) -> usize {
    all.iter().map(|one| usize::from(is(one))).sum()
}

fn consumed<'a>(count: impl Fn() -> usize + 'a) -> Box<dyn FnMut() + 'a> {
    Box::new(move || {
        black_box(count());
    })
}
