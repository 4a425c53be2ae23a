//! Wall time, CPU time and memory of this process, read from procfs so that no foreign call is needed.

use std::{fs, io, path::Path, time::Instant};

/// Wall and CPU time of a piece of work, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Wall time.
    pub(crate) wall: f64,
    /// CPU time of all threads of the process.
    pub(crate) cpu: f64,
}

/// The least of several costs, wall and CPU each for itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Best(pub(crate) Cost);

/// Work being measured.
pub(crate) struct Lap {
    cpu: u64,
    wall: Instant,
}

impl Lap {
    /// Starts measuring.
    pub(crate) fn start() -> io::Result<Self> {
        Ok(Self {
            cpu: cpu_nanos()?,
            wall: Instant::now(),
        })
    }

    /// What happened since.
    pub(crate) fn stop(&self) -> io::Result<Cost> {
        let wall = self.wall.elapsed().as_secs_f64();
        let cpu = cpu_nanos()?.saturating_sub(self.cpu) as f64 / 1e9;
        Ok(Cost { wall, cpu })
    }
}

impl Best {
    /// Nothing measured yet.
    pub(crate) const NONE: Self = Self(Cost {
        wall: f64::MAX,
        cpu: f64::MAX,
    });

    /// Takes another sample in.
    pub(crate) fn take(&mut self, cost: Cost) {
        self.0.wall = self.0.wall.min(cost.wall);
        self.0.cpu = self.0.cpu.min(cost.cpu);
    }
}

/// CPU time of all living threads of this process.
pub(crate) fn cpu_nanos() -> io::Result<u64> {
    // The kernel adds up a running thread's time only when it looks at the run queue.
    std::thread::yield_now();
    cpu_nanos_of(Path::new("/proc/self"))
}

/// CPU time of all living threads of a process.
pub(crate) fn cpu_nanos_of(process: &Path) -> io::Result<u64> {
    let mut nanos = 0;
    for thread in fs::read_dir(process.join("task"))? {
        // A thread may end between the listing and the reading.
        let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else {
            continue;
        };
        nanos += text
            .split(' ')
            .next()
            .and_then(|first| first.parse::<u64>().ok())
            .unwrap_or(0);
    }
    Ok(nanos)
}

/// Resident memory of this process, in KB.
pub(crate) fn rss_kb() -> io::Result<f64> {
    rss_kb_of(Path::new("/proc/self"))
}

/// Resident memory of a process, in KB.
pub(crate) fn rss_kb_of(process: &Path) -> io::Result<f64> {
    let status = fs::read_to_string(process.join("status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kb = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    kb.ok_or_else(|| io::Error::other("no VmRSS in the process status"))
}

/// The load of the machine over the last minute.
pub(crate) fn load1() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|first| first.parse().ok())
        .unwrap_or(0.0)
}

/// The least and the middle one of some seconds.
pub(crate) fn least_and_middle(mut seconds: Vec<f64>) -> (f64, f64) {
    seconds.sort_by(f64::total_cmp);
    let at = |n: usize| seconds.get(n).copied().unwrap_or(0.0);
    (at(0), at(seconds.len() / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_of_work_is_seen_at_once() {
        let lap = Lap::start().unwrap();
        while lap.wall.elapsed().as_micros() < 800 {
            std::hint::black_box(0);
        }
        let cost = lap.stop().unwrap();
        assert!(cost.cpu > 0.0);
        assert!(cost.wall >= 800e-6);
    }

    #[test]
    fn the_best_of_two_samples_is_the_lesser_of_each_kind() {
        let mut best = Best::NONE;
        best.take(Cost {
            wall: 2.0,
            cpu: 1.0,
        });
        best.take(Cost {
            wall: 1.0,
            cpu: 3.0,
        });
        assert_eq!((best.0.wall, best.0.cpu), (1.0, 1.0));
    }

    #[test]
    fn the_middle_of_three_is_the_second() {
        assert_eq!(least_and_middle(vec![3.0, 1.0, 2.0]), (1.0, 2.0));
    }
}
