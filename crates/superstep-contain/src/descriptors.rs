//! Inherited file descriptors: a contained process has its input, its output and its errors, and no other file.
//!
//! Neither namespaces nor Landlock take away a file that is open already.

use std::{fs, os::fd::RawFd};

use rustix::process::{Resource, getrlimit};

/// The first descriptor that is neither input, output nor errors.
const FIRST: RawFd = 3;

/// The most descriptors that are closed one by one where the kernel does not list them.
const MOST: u64 = 1 << 16;

/// Closes every inherited descriptor above the three standard ones.
///
/// A process calls it before it opens anything: it has no descriptor of its own then.
pub(crate) fn close_inherited() {
    for descriptor in open() {
        // One that is closed already was the listing itself.
        let _ = nix::unistd::close(descriptor);
    }
}

fn open() -> Vec<RawFd> {
    let Ok(listed) = fs::read_dir("/proc/self/fd") else {
        let most = getrlimit(Resource::Nofile)
            .current
            .unwrap_or(MOST)
            .min(MOST);
        return (FIRST..RawFd::try_from(most).unwrap_or(RawFd::MAX)).collect();
    };
    let names = listed.flatten().map(|entry| entry.file_name());
    let numbers = names.filter_map(|name| name.to_str()?.parse().ok());
    numbers.filter(|number| *number >= FIRST).collect()
}
