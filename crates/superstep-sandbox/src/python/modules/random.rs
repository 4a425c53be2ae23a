//! What `random` and the clock need: the Mersenne Twister, whose sequence for a seed is that of CPython, and the time.

use std::time::{SystemTime, UNIX_EPOCH};

use num_bigint::{BigInt, BigUint};

use crate::python::{
    fault::Res,
    number::Number,
    value::{Args, Function, Value},
    vm::Vm,
};

/// How many words the state has.
const WORDS: usize = 624;
const MIDDLE: usize = 397;

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("new", |vm, _| {
        vm.random.push(Twister::default());
        Ok(Value::int(vm.random.len() - 1))
    }),
    ("seed", |vm, args| {
        let key = match Number::of(&args.get(1)) {
            Some(number) if !number.is_float() => number.to_big(),
            _ => return Err(vm.error("TypeError", "a seed is an integer in this sandbox")),
        };
        with(vm, &args, |twister| twister.seed(key.magnitude()))?;
        Ok(Value::None)
    }),
    ("random", |vm, args| {
        let (high, low) = with(vm, &args, |it| (it.word() >> 5, it.word() >> 6))?;
        let digits = f64::from(high) * 67_108_864.0 + f64::from(low);
        Ok(Value::Float(digits / 9_007_199_254_740_992.0))
    }),
    ("bits", |vm, args| {
        let Ok(mut missing) = i32::try_from(vm.int_argument(&args.get(1))?) else {
            let message = "Python int too large to convert to C int";
            return Err(vm.error("OverflowError", message));
        };
        vm.room(missing as usize / 8)?;
        let words = with(vm, &args, |twister| {
            let mut words = Vec::new();
            while missing > 0 {
                let word = twister.word();
                words.push(if missing < 32 {
                    word >> (32 - missing)
                } else {
                    word
                });
                missing = missing.saturating_sub(32);
            }
            words
        })?;
        Ok(Value::big(BigInt::from(BigUint::new(words))))
    }),
    ("now", |_, _| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Ok(Value::Float(now.map_or(0.0, |now| now.as_secs_f64())))
    }),
];

fn with<T>(vm: &mut Vm, args: &Args, run: impl FnOnce(&mut Twister) -> T) -> Res<T> {
    let at = usize::try_from(vm.int_argument(&args.get(0))?).ok();
    match at.and_then(|at| vm.random.get_mut(at)) {
        Some(twister) => Ok(run(twister)),
        None => Err(vm.error("ValueError", "there is no such generator")),
    }
}

/// A generator of random numbers.
pub(crate) struct Twister {
    words: [u32; WORDS],
    at: usize,
}

impl Default for Twister {
    fn default() -> Self {
        let mut twister = Self {
            words: [0; WORDS],
            at: WORDS,
        };
        twister.seed(&BigUint::from(0_u32));
        twister
    }
}

impl Twister {
    fn word_at(&self, at: usize) -> u32 {
        self.words.get(at % WORDS).copied().unwrap_or(0)
    }

    fn put(&mut self, at: usize, word: u32) {
        if let Some(slot) = self.words.get_mut(at % WORDS) {
            *slot = word;
        }
    }

    fn fill(&mut self, seed: u32) {
        let mut last = seed;
        for at in 0..WORDS {
            if at > 0 {
                last = (last ^ (last >> 30))
                    .wrapping_mul(1_812_433_253)
                    .wrapping_add(u32::try_from(at).unwrap_or(0));
            }
            self.put(at, last);
        }
        self.at = WORDS;
    }

    fn seed(&mut self, seed: &BigUint) {
        let mut key = seed.to_u32_digits();
        if key.is_empty() {
            key.push(0);
        }
        self.fill(19_650_218);
        let mut at = 1;
        let step = |at: &mut usize, twister: &mut Self| {
            *at += 1;
            if *at >= WORDS {
                let last = twister.word_at(WORDS - 1);
                twister.put(0, last);
                *at = 1;
            }
        };
        let places = (0..key.len()).cycle().take(WORDS.max(key.len()));
        for place in places {
            let last = self.word_at(at - 1);
            let mixed = self.word_at(at) ^ (last ^ (last >> 30)).wrapping_mul(1_664_525);
            let part = key.get(place).copied().unwrap_or(0);
            let place = u32::try_from(place).unwrap_or(0);
            self.put(at, mixed.wrapping_add(part).wrapping_add(place));
            step(&mut at, self);
        }
        for _ in 1..WORDS {
            let last = self.word_at(at - 1);
            let mixed = self.word_at(at) ^ (last ^ (last >> 30)).wrapping_mul(1_566_083_941);
            self.put(at, mixed.wrapping_sub(u32::try_from(at).unwrap_or(0)));
            step(&mut at, self);
        }
        self.put(0, 1 << 31);
    }

    fn word(&mut self) -> u32 {
        if self.at >= WORDS {
            for at in 0..WORDS {
                let joined = (self.word_at(at) & (1 << 31)) | (self.word_at(at + 1) & !(1 << 31));
                let odd = if joined & 1 == 1 { 0x9908_B0DF } else { 0 };
                let word = self.word_at(at + MIDDLE) ^ (joined >> 1) ^ odd;
                self.put(at, word);
            }
            self.at = 0;
        }
        let mut word = self.word_at(self.at);
        self.at += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9D2C_5680;
        word ^= (word << 15) & 0xEFC6_0000;
        word ^ (word >> 18)
    }
}
