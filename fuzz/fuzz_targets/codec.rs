//! `cargo fuzz run codec --features libfuzzer`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superstep_fuzz::targets::codec::run(data));
