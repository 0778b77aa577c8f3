//! What XXH64 and split-block bloom filters cost in the best native code that is published, on
//! one thread: the questions and cases of the JMH benchmarks, one line of JSON per contestant.

mod filters;
mod hashes;
mod measure;

use twox_hash::XxHash64;

/// So many that no CPU learns their branches by heart, which would make early exits look free.
const KEYS: usize = 1 << 20;

/// XXH64 with seed 0, the hash of Parquet's bloom filters.
fn hash_of(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}

fn main() {
    hashes::measure();
    filters::measure_probes();
    filters::measure_inserts();
    filters::measure_many();
}
