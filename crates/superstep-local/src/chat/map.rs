//! Memory map of a weights file, paged in as it is used and evicted under pressure.
//!
//! Copied to the heap, the default model takes 1.1 GB that the system cannot take back. Mapped, it
//! is page cache: shared by processes, and dropped when memory is short.

#![allow(
    unsafe_code,
    reason = "mapping a file is unsafe because others can change it"
)]

use std::fs::File;
use std::io;
use std::path::Path;

/// The bytes of a file.
pub(super) struct Map(memmap2::Mmap);

impl Map {
    /// Maps the file at `path`.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        // Opening a pipe would block.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let file = File::open(path)?;
        // SAFETY: weights are written once, under a name that is their hash, and renamed into place.
        // If somebody changes the file all the same, the bytes read are wrong numbers; nothing in
        // them is used as an address, and every length in them was checked against the length
        // of the map. A file that is cut while it is mapped ends the process, as it would with any
        // other reader of a mapped file.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Ok(Self(map))
    }

    /// Brings the file into memory ahead of its use, as far as there is room. Where the system cannot, its parts come as they
    /// are used.
    pub(super) fn populate(&self) {
        #[cfg(target_os = "linux")]
        let _as_it_is_used = self.0.advise(memmap2::Advice::PopulateRead);
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
