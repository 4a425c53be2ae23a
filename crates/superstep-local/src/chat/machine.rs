//! Available processors and memory of the machine.

use std::num::NonZeroUsize;

/// How many threads compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// One less than there are processors, and one when the machine is busy. Decided anew for every
    /// call: threads that wait for each other on a busy machine cost more than they give.
    #[default]
    Auto,
    /// Always as many.
    Exactly(NonZeroUsize),
}

impl Threads {
    /// How many to use now.
    pub(super) fn count(self) -> usize {
        match self {
            Self::Exactly(count) => count.get(),
            Self::Auto => {
                let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
                automatic(cores, load())
            }
        }
    }
}

fn automatic(cores: usize, load: Option<f64>) -> usize {
    if load.is_some_and(|load| load > cores as f64) {
        return 1;
    }
    cores.saturating_sub(1).max(1)
}

/// How many threads wanted to run in the last minute, where the system says so.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
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

/// What is left of the limit of a container.
fn group_limit() -> Option<u64> {
    let read = |name: &str| {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    Some(read("memory.max")?.saturating_sub(read("memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_gets_one_thread() {
        assert_eq!(automatic(8, Some(9.0)), 1);
        assert_eq!(automatic(8, Some(2.0)), 7);
        assert_eq!(automatic(1, Some(0.0)), 1);
        assert_eq!(automatic(4, None), 3);
    }

    #[test]
    fn free_memory_is_read_in_bytes() {
        let text = "MemTotal: 10 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(available(text), Some(2_097_152));
        assert_eq!(available("MemTotal: 10 kB\n"), None);
    }
}
