//! Prefix files: keys and values of fixed instructions, for the next process.
//!
//! A file is named by a hash of the weights file (where it is, its size and time) and of the tokens it is about, so it holds for
//! exactly these; its content is checked by a hash of its own, and one that fails is removed. What was not used for longest goes when they
//! become too many. Whatever is wrong with a file or the folder, the tokens are read instead.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use sha2::{Digest, Sha256};
use superstep_fs::{Rights, Staged, open_regular, private_dir};
use superstep_text::hex;

use super::prefix_cache::CachedPrefix;

/// Fewer tokens are read as fast.
const WORTH_STORING: usize = 64;

/// How much all files may have, in bytes.
const MOST: u64 = 256 << 20;

const HASH: usize = 32;

/// Counts how keys and values were stored.
const FORMAT: u8 = 2;

/// Prefixes of one model in a folder.
pub(super) struct PrefixFiles {
    folder: PathBuf,
    /// Which file the model's weights are in. Not the hash that it may be named by: nobody has checked that here, and
    /// other weights under the same name must not speak for these.
    weights: Vec<u8>,
}

impl PrefixFiles {
    /// Those of the model in the file at `path`, if that can be told from others.
    pub(super) fn of(path: &Path, folder: PathBuf) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let about = path.metadata().ok()?;
        let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let mut weights = path.into_os_string().into_encoded_bytes();
        weights.push(0);
        weights.extend(about.len().to_le_bytes());
        weights.extend(changed.as_nanos().to_le_bytes());
        Some(Self { folder, weights })
    }

    /// Fills a prefix with these tokens, if there is a file about them; says whether it did.
    pub(super) fn load(&self, tokens: &[u32], prefix: &mut CachedPrefix) -> bool {
        let path = self.path(tokens);
        let loaded = fill(&path, tokens, prefix);
        if !loaded {
            // Else it would be in the way of a good one.
            let _there_was_none = fs::remove_file(&path);
        } else if let Ok(file) = File::options().append(true).open(&path) {
            // Only the order in which files go depends on it.
            let _old = file.set_modified(SystemTime::now());
        }
        loaded
    }

    /// Stores the first tokens of a prefix, unless they are stored already or not worth it.
    pub(super) fn store(&self, tokens: &[u32], prefix: &CachedPrefix) {
        let size = (HASH + prefix.size(tokens.len())) as u64;
        let path = self.path(tokens);
        if tokens.len() < WORTH_STORING || size > MOST || path.exists() {
            return;
        }
        let content = prefix.content(tokens.len());
        let mut bytes = Sha256::digest(&content).to_vec();
        bytes.extend(content);
        // A folder that cannot be written costs the next process its time, and this one nothing.
        let _unstored = private_dir(&self.folder).and_then(|()| {
            make_room(&self.folder, MOST - size);
            Staged::new(&path, &bytes, Rights::Private)?.create()
        });
    }

    fn path(&self, tokens: &[u32]) -> PathBuf {
        let mut hash = Sha256::new();
        // Another version may compute them otherwise.
        hash.update(env!("CARGO_PKG_VERSION"));
        hash.update([0, FORMAT]);
        hash.update(&self.weights);
        hash.update([0]);
        for token in tokens {
            hash.update(token.to_le_bytes());
        }
        let name = hex(&hash.finalize());
        self.folder.join(name).with_extension(EXTENSION)
    }
}

const EXTENSION: &str = "kv";

/// Fills a prefix from a file, if that is whole. It is read piece by piece: a piece is hashed and copied while the processor
/// has it at hand.
fn fill(path: &Path, tokens: &[u32], prefix: &mut CachedPrefix) -> bool {
    let mut expected = [0; HASH];
    let file = open_regular(path).and_then(|mut file| {
        file.read_exact(&mut expected)?;
        Ok(file)
    });
    let Ok(mut file) = file else {
        return false;
    };
    let mut hash = Sha256::new();
    let has_all = prefix.fill(tokens, |piece| {
        let read = file.read_exact(piece);
        hash.update(piece);
        read.is_ok()
    });
    let is_at_end = matches!(file.read(&mut [0]), Ok(0));
    let is_whole = has_all && is_at_end && hash.finalize().as_slice() == expected;
    if !is_whole {
        prefix.truncate(0);
    }
    is_whole
}

/// Removes files that were not used for longest, until the others have at most so many bytes.
fn make_room(folder: &Path, most: u64) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter(|entry| entry.path().extension().is_some_and(|it| it == EXTENSION))
        .filter_map(|entry| {
            let about = entry.metadata().ok()?;
            Some((about.modified().ok()?, about.len(), entry.path()))
        })
        .collect();
    files.sort();
    let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
    for (_, size, path) in files {
        if total <= most {
            return;
        }
        // One that cannot be removed is counted as gone: it is no reason to remove all others.
        let _left = fs::remove_file(path);
        total = total.saturating_sub(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: usize = 128;

    fn prefix(tokens: &[u32]) -> CachedPrefix {
        let mut prefix = CachedPrefix::new(2, 4, CONTEXT).unwrap();
        for layer in 0..2 {
            let numbers = (0..tokens.len() * 4).map(|at| (at + 1000 * layer) as f32);
            let numbers: Vec<f32> = numbers.collect();
            prefix.store(layer, 0, &numbers, &numbers);
        }
        prefix.extend(tokens);
        prefix
    }

    fn files(folder: &Path, weights: &str) -> PrefixFiles {
        let path = folder.join(weights);
        if !path.exists() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, weights).unwrap();
        }
        PrefixFiles::of(&path, folder.join("prefixes")).unwrap()
    }

    fn only(folder: &Path) -> PathBuf {
        let found = fs::read_dir(folder.join("prefixes")).unwrap();
        let found: Vec<PathBuf> = found.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(found.len(), 1);
        found[0].clone()
    }

    #[test]
    fn what_was_stored_is_loaded_for_the_same_tokens_and_weights_alone() {
        let folder = tempfile::tempdir().unwrap();
        let tokens: Vec<u32> = (0..100).collect();
        let fixed = &tokens[..80];
        let written = prefix(&tokens);
        files(folder.path(), "a").store(fixed, &written);
        let mut read = CachedPrefix::new(2, 4, CONTEXT).unwrap();
        assert!(!files(folder.path(), "b").load(fixed, &mut read));
        assert!(!files(folder.path(), "a").load(&tokens[1..81], &mut read));
        assert!(files(folder.path(), "a").load(fixed, &mut read));
        assert_eq!(read.len(), 80);
        assert_eq!(read.content(80), written.content(80));
    }

    #[test]
    fn a_damaged_file_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let tokens: Vec<u32> = (0..100).collect();
        files(folder.path(), "a").store(&tokens, &prefix(&tokens));
        let path = only(folder.path());
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        flipped[500] ^= 1;
        for damaged in [
            &whole[..20],
            &whole[..whole.len() - 1],
            &flipped,
            &[&*whole, b"x"].concat(),
        ] {
            fs::write(&path, damaged).unwrap();
            let mut read = CachedPrefix::new(2, 4, CONTEXT).unwrap();
            assert!(!files(folder.path(), "a").load(&tokens, &mut read));
            assert_eq!(read.len(), 0);
            assert!(!path.exists());
        }
        files(folder.path(), "a").store(&tokens, &prefix(&tokens));
        assert_eq!(fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn weights_of_the_same_name_and_weights_that_changed_have_prefixes_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let tokens: Vec<u32> = (0..100).collect();
        files(folder.path(), "a/weights").store(&tokens, &prefix(&tokens));
        let mut read = CachedPrefix::new(2, 4, CONTEXT).unwrap();
        assert!(!files(folder.path(), "b/weights").load(&tokens, &mut read));
        assert!(files(folder.path(), "a/weights").load(&tokens, &mut read));
        fs::write(folder.path().join("a/weights"), "others").unwrap();
        assert!(!files(folder.path(), "a/weights").load(&tokens, &mut read));
    }

    #[test]
    #[cfg(unix)]
    fn files_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let tokens: Vec<u32> = (0..100).collect();
        files(folder.path(), "a").store(&tokens, &prefix(&tokens));
        let path = only(folder.path());
        for path in [&*path, path.parent().unwrap()] {
            let mode = fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{}", path.display());
        }
    }

    #[test]
    fn a_few_tokens_are_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let tokens: Vec<u32> = (0..30).collect();
        files(folder.path(), "a").store(&tokens, &prefix(&tokens));
        assert!(!folder.path().join("prefixes").exists());
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::now() - std::time::Duration::from_secs(1000);
        for (name, size, age) in [
            ("a.kv", 10, 0),
            ("b.kv", 10, 500),
            ("c.kv", 10, 900),
            ("d", 10, 0),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, vec![0; size]).unwrap();
            let file = File::options().append(true).open(&path).unwrap();
            file.set_modified(long_ago + std::time::Duration::from_secs(age))
                .unwrap();
        }
        make_room(folder.path(), 20);
        let left = |name: &str| folder.path().join(name).exists();
        assert_eq!(
            ["a.kv", "b.kv", "c.kv", "d"].map(left),
            [false, true, true, true]
        );
    }
}
