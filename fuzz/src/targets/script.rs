//! Scripted models, as `--model script:FILE` reads them.

use superstep_model::Script;

use crate::target::{Target, files_of};

pub(crate) const TARGET: Target = Target {
    name: "script",
    run,
    seeds: || files_of("fuzz/corpus/script"),
};

/// A script is read, or refused with an error that names the file.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Err(error) = Script::parse("name.jsonl", text) {
        let message = error.to_string();
        assert!(message.contains("name.jsonl"), "no file in: {message}");
    }
}
