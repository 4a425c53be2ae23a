//! SHA-256 of files, read in pieces.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use superstep_fs::StopFlag;

use super::blocking::check;
use super::error::WeightsError;

/// How much is read at a time.
pub(super) const PIECE: usize = 1 << 18;

/// The SHA-256 of a file in lower-case hex; reads it piece by piece.
pub fn hash_file(path: &Path) -> Result<String, WeightsError> {
    hash_while(path, &StopFlag::default()).map(hex)
}

/// As [`hash_file`], and stops early when nobody waits any more.
pub(super) fn hash_while(path: &Path, stop: &StopFlag) -> Result<Sha256, WeightsError> {
    let mut file = File::open(path).map_err(|source| WeightsError::file(path, source))?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        check(stop, path)?;
        let count = file
            .read(&mut piece)
            .map_err(|source| WeightsError::file(path, source))?;
        match piece.get(..count) {
            None | Some([]) => return Ok(hasher),
            Some(bytes) => hasher.update(bytes),
        }
    }
}

/// The end of a hash, in lower-case hex.
pub(super) fn hex(hasher: Sha256) -> String {
    superstep_text::hex(&hasher.finalize())
}

/// Whether a text can be the hash of a file.
pub(super) fn is_hex(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == 64 && text.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_file_is_that_of_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "abc").unwrap();
        let found = hash_file(&path).unwrap();
        assert_eq!(
            found,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert!(is_hex(&found));
        assert!(!is_hex(&found.to_uppercase()));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = hash_file(Path::new("no/such/file")).unwrap_err();
        assert_eq!(error.code(), "SS3413");
        assert!(error.to_string().contains("no/such/file"));
    }
}
