//! Available processors and memory of the machine.

use std::num::NonZeroUsize;

/// How many threads compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// As many as are fastest, which is found out while they compute: all processors if nobody else wants
    /// them, fewer on a busy machine, where threads that wait for each other cost more than they give.
    #[default]
    Auto,
    /// Always as many.
    Exactly(NonZeroUsize),
}

/// Bytes of memory that can be had without swapping, where the system says so.
pub(super) fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let free = available(&text)?;
    Some(group_limit().map_or(free, |limit| limit.min(free)))
}

fn available(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// What is left of the limit of a container, with what it has of files: the system takes that back.
fn group_limit() -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok();
    let number = |text: String| text.trim().parse::<u64>().ok();
    let (most, used) = (
        number(read("memory.max")?)?,
        number(read("memory.current")?)?,
    );
    let files = read("memory.stat").and_then(|text| files(&text));
    let used = used.saturating_sub(files.unwrap_or(0));
    Some(most.saturating_sub(used))
}

fn files(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("file "))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_read_in_bytes() {
        let text = "MemTotal: 10 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(available(text), Some(2_097_152));
        assert_eq!(available("MemTotal: 10 kB\n"), None);
        assert_eq!(files("anon 5\nfile 4096\nfile_mapped 7\n"), Some(4096));
    }
}
