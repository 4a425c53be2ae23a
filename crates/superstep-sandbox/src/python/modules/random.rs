//! What `random` and the clock need: numbers that look random, and the time.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::python::value::{Function, Value};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("seed", |vm, args| {
        let seed = vm.hash(&args.get(0))?;
        vm.random = (seed as u64) ^ 0x9E37_79B9_7F4A_7C15;
        Ok(Value::None)
    }),
    ("random", |vm, _| {
        // SplitMix64: small, and good enough for data that is made up.
        vm.random = vm.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = vm.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        Ok(Value::Float((mixed >> 11) as f64 / (1_u64 << 53) as f64))
    }),
    ("now", |_, _| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Ok(Value::Float(now.map_or(0.0, |now| now.as_secs_f64())))
    }),
];
