//! Files that say what to ignore, before somebody reads them.

use std::{fs, path::Path};

/// A larger list of what to ignore is none.
const LARGEST: u64 = 1 << 20;

/// Why the `.gitignore` or `.ignore` of a folder must not be read: one that is a device, or endless, would hold whoever
/// walks through the folder.
pub fn bad_ignore_file(folder: &Path) -> Option<String> {
    [".gitignore", ".ignore"].into_iter().find_map(|name| {
        let facts = fs::metadata(folder.join(name)).ok()?;
        let is_fine = facts.is_file() && facts.len() <= LARGEST;
        (!is_fine).then(|| format!("its {name} is no file, or far too large"))
    })
}
