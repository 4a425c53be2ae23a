//! Memory map of a weights file, paged in ahead of its use and evicted under pressure.
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
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::thread;

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

    /// Maps its pages ahead of their use, in another thread, as long as somebody has the map. Where the system cannot, each
    /// page is mapped when it is first used, and the first pass over the weights waits for that.
    #[cfg(target_os = "linux")]
    pub(super) fn populate(self: &Arc<Self>) {
        /// As much at a time, so that whoever else maps memory does not wait for all of it.
        const PIECE: usize = 16 << 20;
        let map = Arc::downgrade(self);
        let populate = move || {
            for start in (0..).step_by(PIECE) {
                let Some(map) = map.upgrade() else {
                    return;
                };
                let length = PIECE.min(map.0.len().saturating_sub(start));
                let advice = memmap2::Advice::PopulateRead;
                if length == 0 || map.0.advise_range(advice, start, length).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("superstep-weights".to_owned());
        let _as_they_are_used = thread.spawn(populate);
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn populate(self: &Arc<Self>) {}

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
