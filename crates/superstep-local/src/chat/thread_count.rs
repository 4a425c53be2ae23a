//! How many threads a pass over the weights gets, found out by the time that passes take.
//!
//! All processors are fastest while nobody else wants them. On a busy machine the threads of a pass wait
//! for the one that is held up, and fewer of them can be faster. Nothing the system says tells the two
//! apart: its load counts our own threads too. So other numbers of threads are tried now and then, and
//! the fastest is kept. Only passes of equally many tokens are compared.

use std::collections::BTreeMap;
use std::time::Duration;

use super::draft;

/// The most tokens of a short pass: one that is written, and a draft.
const SHORT: usize = 1 + draft::MOST;
/// Passes between two looks at other numbers: at first, and when nothing has changed for long.
const OFTEN: usize = 32;
const SELDOM: usize = 256;
/// A pass that takes this much of the time of the one before it is a reason to look at once.
const SLOWER: f64 = 1.5;
/// What another number has to be better by. Less is noise.
const BETTER: f64 = 0.95;

/// What passes are like: one over a token waits for memory, and one over many computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passes {
    /// Over few tokens, as when a reply is written.
    Short,
    /// Over many, as when a prompt is read. They take so long that they do not get fewer threads for a trial without reason.
    Long,
}

impl Passes {
    pub(super) fn over(tokens: usize) -> Self {
        match tokens > SHORT {
            true => Self::Long,
            false => Self::Short,
        }
    }
}

/// What is known about numbers of threads.
pub(super) struct ThreadCount {
    passes: Passes,
    most: usize,
    count: usize,
    /// How long the last pass of so many tokens took with `count` threads.
    known: BTreeMap<usize, Duration>,
    look: Look,
    /// How many passes lie between the last look and the next.
    rest: usize,
}

/// Whether other numbers are being tried.
enum Look {
    /// After so many more passes.
    Later(usize),
    /// These, the last one first.
    Now(Vec<usize>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    Time,
    Slower,
}

impl ThreadCount {
    /// At most `most` threads for such passes, which are tried first.
    pub(super) fn new(passes: Passes, most: usize) -> Self {
        let most = most.max(1);
        let mut count = Self {
            passes,
            most,
            count: most,
            known: BTreeMap::new(),
            look: Look::Later(0),
            rest: OFTEN,
        };
        count.look(Reason::Time);
        count
    }

    /// The number that is the fastest as far as is known.
    pub(super) fn best(&self) -> usize {
        self.count
    }

    /// How many threads the next pass gets, which reads so many tokens.
    pub(super) fn threads(&self, tokens: usize) -> usize {
        match &self.look {
            Look::Now(others) if self.known.contains_key(&tokens) => {
                others.last().copied().unwrap_or(self.count)
            }
            _ => self.count,
        }
    }

    /// Learns how long a pass took.
    pub(super) fn took(&mut self, tokens: usize, threads: usize, time: Duration) {
        match threads == self.count {
            true => self.went_on(tokens, time),
            false => self.tried(tokens, threads, time),
        }
    }

    fn went_on(&mut self, tokens: usize, time: Duration) {
        let before = self.known.insert(tokens, time);
        if before.is_some_and(|before| time > before.mul_f64(SLOWER)) {
            return self.look(Reason::Slower);
        }
        if let Look::Later(passes) = &mut self.look {
            *passes = passes.saturating_sub(1);
            if *passes == 0 {
                self.look(Reason::Time);
            }
        }
    }

    fn tried(&mut self, tokens: usize, threads: usize, time: Duration) {
        let known = self.known.get(&tokens);
        if known.is_some_and(|known| time < known.mul_f64(BETTER)) {
            let before = std::mem::replace(&mut self.count, threads);
            self.known = BTreeMap::from([(tokens, time)]);
            self.rest = OFTEN;
            // What was compared may have been held up by chance: it is tried once more.
            let mut others = self.others();
            others.retain(|other| *other != before);
            others.push(before);
            self.look = Look::Now(others);
            return;
        }
        if let Look::Now(others) = &mut self.look {
            others.retain(|other| *other != threads);
            if others.is_empty() {
                self.look = Look::Later(self.rest);
                self.rest = (2 * self.rest).min(SELDOM);
            }
        }
    }

    fn look(&mut self, reason: Reason) {
        let mut others = self.others();
        if self.passes == Passes::Long && reason == Reason::Time {
            others.retain(|other| *other > self.count);
        }
        self.look = match others.is_empty() {
            true => Look::Later(SELDOM),
            false => Look::Now(others),
        };
    }

    /// Numbers worth a try: no fewer than half, for a pass with less costs more than it can teach.
    fn others(&self) -> Vec<usize> {
        let near = [
            2 * self.count,
            self.count + 1,
            self.count.div_ceil(2),
            self.count - 1,
        ];
        let near = near.map(|count| count.clamp(1, self.most));
        let mut others: Vec<usize> = Vec::new();
        for count in near {
            if count != self.count && !others.contains(&count) {
                others.push(count);
            }
        }
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: usize = 1;
    const CHUNK: usize = 64;

    /// Lets passes of so many tokens take what `time` says for their threads, and returns the threads.
    fn run(
        count: &mut ThreadCount,
        passes: usize,
        tokens: usize,
        time: impl Fn(usize) -> u64,
    ) -> Vec<usize> {
        let pass = |_| {
            let threads = count.threads(tokens);
            count.took(tokens, threads, Duration::from_millis(time(threads)));
            threads
        };
        (0..passes).map(pass).collect()
    }

    /// A machine that does nothing else.
    fn idle(threads: usize) -> u64 {
        840 / threads as u64
    }

    /// Others take up so many of eight processors.
    fn busy(others: usize) -> impl Fn(usize) -> u64 {
        move |threads| idle(threads) * if threads + others > 8 { 3 } else { 1 }
    }

    fn share(threads: &[usize], of: usize) -> f64 {
        threads.iter().filter(|threads| **threads == of).count() as f64 / threads.len() as f64
    }

    #[test]
    fn an_idle_machine_uses_all_processors_and_others_are_hardly_tried() {
        for cores in [1, 2, 4, 8] {
            let threads = run(
                &mut ThreadCount::new(Passes::Short, cores),
                1_000,
                ONE,
                idle,
            );
            assert_eq!(threads[0], cores);
            assert!(share(&threads, cores) > 0.97, "{cores}: {threads:?}");
        }
    }

    #[test]
    fn a_busy_machine_gets_the_number_that_is_fastest_there() {
        for (others, fastest) in [(1, 7), (2, 6), (4, 4)] {
            let mut count = ThreadCount::new(Passes::Short, 8);
            let threads = run(&mut count, 1_000, ONE, busy(others));
            assert!(share(&threads[100..], fastest) > 0.9, "{threads:?}");
        }
    }

    #[test]
    fn a_machine_that_becomes_idle_is_used_again() {
        let mut count = ThreadCount::new(Passes::Short, 8);
        run(&mut count, 300, ONE, busy(4));
        let threads = run(&mut count, 1_000, ONE, idle);
        assert!(share(&threads[600..], 8) > 0.95, "{threads:?}");
    }

    #[test]
    fn a_pass_that_is_much_slower_is_a_reason_to_look_at_once() {
        let mut count = ThreadCount::new(Passes::Long, 8);
        run(&mut count, 1_000, CHUNK, idle);
        // The first is slow, the second tries.
        let threads = run(&mut count, 20, CHUNK, busy(1));
        assert_eq!(threads[..2], [8, 7]);
        assert_eq!(threads[19], 7, "{threads:?}");
    }

    #[test]
    fn long_passes_get_all_processors_again_when_the_machine_becomes_idle() {
        let mut count = ThreadCount::new(Passes::Long, 8);
        run(&mut count, 10, CHUNK, idle);
        run(&mut count, 300, CHUNK, busy(4));
        let threads = run(&mut count, 1_000, CHUNK, idle);
        assert!(share(&threads[600..], 8) > 0.95, "{threads:?}");
    }

    #[test]
    fn long_passes_are_not_slowed_down_without_reason() {
        let threads = run(&mut ThreadCount::new(Passes::Long, 2), 100, CHUNK, idle);
        assert_eq!(threads, [2; 100]);
    }

    #[test]
    fn a_first_pass_that_waits_for_the_disk_misleads_for_two_passes_at_most() {
        let mut count = ThreadCount::new(Passes::Short, 2);
        count.took(ONE, count.threads(ONE), Duration::from_secs(9));
        let threads = run(&mut count, 20, ONE, idle);
        assert_eq!(threads[..2], [1, 2]);
        assert!(
            threads[3..].iter().all(|threads| *threads == 2),
            "{threads:?}"
        );
    }

    #[test]
    fn passes_of_other_lengths_are_not_compared() {
        let mut count = ThreadCount::new(Passes::Short, 2);
        count.took(CHUNK, 2, Duration::from_millis(700));
        // Nothing is known of single tokens yet, so the first is no trial.
        assert_eq!(count.threads(ONE), 2);
        count.took(ONE, 2, Duration::from_millis(80));
        assert_eq!(count.threads(3), 2);
        assert_eq!(count.threads(ONE), 1);
    }
}
