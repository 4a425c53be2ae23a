//! The fast tier: 2,000 seeds with faults, in two halves, and some without.

use superstep_sim::{report::Counts, sim::FaultMode};

use crate::{settings, simulator};

fn run(seeds: std::ops::Range<u64>, fault_mode: FaultMode) -> Counts {
    let simulator = simulator();
    let mut all = Counts::default();
    for seed in seeds {
        match simulator.run(settings(seed, fault_mode, None)) {
            Ok(counts) => all.absorb(&counts),
            Err(violation) => panic!("{violation}"),
        }
    }
    all
}

/// Every fault that can be drawn, and every thing that a check looks at.
const HAPPENS: [&str; 22] = [
    "I/O errors after a write",
    "I/O errors before a write",
    "answers refused",
    "answers taken",
    "answers to answered questions",
    "asks",
    "clock jumps back",
    "clock jumps forward",
    "crashes",
    "effects",
    "effects reported unknown",
    "effects that were done before",
    "fenced writes",
    "frozen workers",
    "graphs in graphs",
    "leases that were not given back",
    "looks",
    "power losses",
    "refused: disk full",
    "retries",
    "takeovers",
    "writes that timed out and came later",
];

fn everything_happened(counts: &Counts) {
    for what in HAPPENS {
        assert!(counts.of(what) > 0, "never: {what}\n{counts}");
    }
}

#[test]
fn no_promise_is_broken_in_the_first_thousand_histories() {
    everything_happened(&run(0..1_000, FaultMode::Faults));
}

#[test]
fn no_promise_is_broken_in_the_second_thousand_histories() {
    everything_happened(&run(1_000..2_000, FaultMode::Faults));
}

#[test]
fn without_faults_only_the_order_of_things_is_drawn() {
    let counts = run(0..200, FaultMode::Quiet);
    for what in ["crashes", "I/O errors", "fenced writes", "power losses"] {
        assert_eq!(counts.of(what), 0, "{what}");
    }
    assert!(
        counts.of("asks") > 0 && counts.of("effects") > 0,
        "{counts}"
    );
}

#[test]
fn a_seed_gives_the_same_history_every_time() {
    let simulator = simulator();
    for seed in 0..20 {
        let once = || {
            simulator
                .trace(settings(seed, FaultMode::Faults, None))
                .unwrap()
        };
        assert_eq!(once(), once(), "seed {seed}");
    }
}
