//! Timing, and the numbers that keys are made of.

use std::time::{Duration, Instant};

/// As many as JMH's iterations in its two forks.
const ROUNDS: usize = 10;
const ROUND: Duration = Duration::from_millis(300);

/// Somebody who answers a question, and one pass over all keys by them.
pub type Contestant<'a> = (&'static str, Box<dyn FnMut() + 'a>);

/// Prints, as one line of JSON per contestant, the minimum and the median over rounds of the
/// mean nanoseconds per operation: what a JMH iteration reports. Contestants take turns, so that
/// other load on the machine meets all of them.
pub fn report(question: &str, case: &str, operations: usize, mut contestants: Vec<Contestant>) {
    let mut rounds = vec![Vec::new(); contestants.len()];
    for (_, pass) in &mut contestants {
        pass(); // touches the memory and warms the caches
    }
    for _ in 0..ROUNDS {
        for ((_, pass), means) in contestants.iter_mut().zip(&mut rounds) {
            means.push(mean_of_a_round(pass) / operations as f64);
        }
    }
    for ((contestant, _), means) in contestants.iter().zip(&mut rounds) {
        means.sort_by(f64::total_cmp);
        let (minimum, median) = (means[0], means[ROUNDS / 2]);
        println!(
            "{{\"question\": \"{question}\", \"case\": \"{case}\", \
             \"contestant\": \"{contestant}\", \"ns\": {minimum:.4}, \"median\": {median:.4}}}"
        );
    }
}

fn mean_of_a_round(pass: &mut dyn FnMut()) -> f64 {
    let started = Instant::now();
    let mut passes = 0;
    while started.elapsed() < ROUND {
        pass();
        passes += 1;
    }
    started.elapsed().as_nanos() as f64 / f64::from(passes)
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014):
/// for one seed always the same numbers, no two of them equal.
pub struct Random(u64);

impl Random {
    /// Seeds are spread, because a generator's state only counts up.
    pub fn new(seed: u64) -> Self {
        Random(mixed(seed))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next().unwrap_or_default()) * bound as u128) >> 64) as usize
    }
}

impl Iterator for Random {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        Some(mixed(self.0))
    }
}

fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
