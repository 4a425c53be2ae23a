//! Archives of threads, as `threads import` reads them.

use superstep_core::archive::Archive;

use crate::target::{Target, files_of};

pub(crate) const TARGET: Target = Target {
    name: "archive",
    run,
    seeds: || files_of("fuzz/corpus/archive"),
};

/// An archive that is read can be written, and reading that gives the same again.
pub fn run(data: &[u8]) {
    let Ok(archive) = Archive::read(data) else {
        return;
    };
    let once = written(&archive);
    let again = Archive::read(once.as_slice());
    assert!(again.is_ok(), "what was written is refused: {again:?}");
    assert_eq!(
        again.ok().map(|again| written(&again)),
        Some(once),
        "reading and writing changed an archive"
    );
}

fn written(archive: &Archive) -> Vec<u8> {
    let mut out = Vec::new();
    let done = archive.write(&mut out);
    assert!(
        done.is_ok(),
        "an archive that was read is not written: {done:?}"
    );
    out
}
