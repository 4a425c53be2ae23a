//! A wall clock that is wrong, for one process: a library that the system loads in front of its own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{Fallible, harness::Harness};

/// How many seconds the clock is wrong by.
const JUMP: &str = "SUPERSTEP_CRASH_CLOCK";
/// When the process was started, by the true clock.
const TRUE: &str = "SUPERSTEP_CRASH_TRUE_TIME";

const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int done = next(clock, time);
    const char *jump = getenv("SUPERSTEP_CRASH_CLOCK");
    if (done == 0 && clock == CLOCK_REALTIME && jump) time->tv_sec += atol(jump);
    return done;
}
"#;

/// The library.
pub(super) struct Clock(PathBuf);

impl Clock {
    /// Builds it, or says why that cannot be done here.
    pub(super) fn build(harness: &Harness) -> Fallible<Result<Self, String>> {
        let dir = harness.folder()?;
        let (source, library) = (dir.join("clock.c"), dir.join("clock.so"));
        fs::write(&source, SOURCE)?;
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-o"])
            .arg(&library)
            .arg(&source);
        Ok(match cc.arg("-ldl").output() {
            Ok(built) if built.status.success() => Ok(Self(library)),
            Ok(built) => Err(format!(
                "cc cannot build a wrong clock: {}",
                String::from_utf8_lossy(&built.stderr).trim_end()
            )),
            Err(error) => Err(format!(
                "there is no cc to build a wrong clock with: {error}"
            )),
        })
    }

    /// Has a process see a wrong clock.
    pub(super) fn set(&self, command: &mut Command, seconds: i64) {
        let path: &Path = &self.0;
        command
            .env("LD_PRELOAD", path)
            .env(JUMP, seconds.to_string())
            .env(TRUE, now().to_string());
    }
}

/// Whether the clock of this process is as wrong as it was set.
pub(super) fn is_set() -> Fallible<bool> {
    let (Ok(jump), Ok(truth)) = (std::env::var(JUMP), std::env::var(TRUE)) else {
        return Ok(true);
    };
    let wanted = truth.parse::<i64>()? + jump.parse::<i64>()?;
    Ok((now() - wanted).abs() < 3_600)
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or(Duration::ZERO).as_secs()).unwrap_or(i64::MAX)
}
