//! `cargo fuzz run workbook --features libfuzzer`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| superstep_fuzz::targets::workbook::run(data));
