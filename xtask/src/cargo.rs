//! Cargo as a child process: started in the workspace root, shown before it runs, judged by its
//! exit status.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use crate::error::Error;

/// One call of cargo; its arguments are as typed, parted by single spaces.
pub(crate) struct Cargo<'a> {
    root: &'a Path,
    args: &'a str,
    env: &'a [(&'a str, &'a str)],
}

impl<'a> Cargo<'a> {
    pub(crate) fn new(root: &'a Path, args: &'a str) -> Self {
        Self {
            root,
            args,
            env: &[],
        }
    }

    pub(crate) fn with_envs(self, env: &'a [(&'a str, &'a str)]) -> Self {
        Self { env, ..self }
    }

    /// Runs it on our own terminal; fails unless it exits with 0.
    pub(crate) fn run(&self) -> Result<(), Error> {
        println!("$ {}", self.shown());
        let status = self.command().status();
        self.judged(status.map_err(|source| self.not_started(source))?)
    }

    /// Runs it, hands every line of its stdout to `each`, and fails unless it exits with 0.
    pub(crate) fn run_lines(&self, mut each: impl FnMut(&str)) -> Result<(), Error> {
        println!("$ {}", self.shown());
        let mut child = self
            .command()
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| self.not_started(source))?;
        if let Some(stdout) = child.stdout.take() {
            for line in BufReader::new(stdout).split(b'\n') {
                let line = line.map_err(|source| self.not_started(source))?;
                each(&String::from_utf8_lossy(&line));
            }
        }
        self.judged(child.wait().map_err(|source| self.not_started(source))?)
    }

    /// Runs it silently and returns its stdout.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Error> {
        let output = self
            .command()
            .stderr(Stdio::inherit())
            .output()
            .map_err(|source| self.not_started(source))?;
        self.judged(output.status)?;
        Ok(output.stdout)
    }

    /// Whether it exits with 0; whatever it says is dropped.
    pub(crate) fn works(&self) -> bool {
        self.command().output().is_ok_and(|o| o.status.success())
    }

    fn command(&self) -> Command {
        // Cargo names itself to its children; that one is of the same toolchain as we are.
        let program = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = Command::new(program);
        command
            .current_dir(self.root)
            .args(self.args.split(' '))
            .envs(self.env.iter().copied())
            .stdin(Stdio::null());
        command
    }

    fn judged(&self, status: ExitStatus) -> Result<(), Error> {
        if status.success() {
            return Ok(());
        }
        Err(Error::failed(
            format!("`{}`", self.shown()),
            status.to_string(),
        ))
    }

    fn not_started(&self, source: std::io::Error) -> Error {
        Error::Start {
            program: format!("`{}`", self.shown()),
            source,
        }
    }

    fn shown(&self) -> String {
        let mut shown = String::new();
        for (name, value) in self.env {
            shown.push_str(&format!("{name}={value:?} "));
        }
        shown + "cargo " + self.args
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_shown_as_one_would_type_it() {
        let call = Cargo::new(Path::new("."), "doc --no-deps");
        let call = call.with_envs(&[("RUSTDOCFLAGS", "-D warnings")]);
        assert_eq!(
            call.shown(),
            r#"RUSTDOCFLAGS="-D warnings" cargo doc --no-deps"#
        );
    }

    #[test]
    fn a_failing_call_is_named_in_the_error() {
        let call = Cargo::new(Path::new("."), "no-such-subcommand-of-cargo");
        assert!(!call.works());
        let error = call.run().unwrap_err().to_string();
        assert!(error.contains("no-such-subcommand-of-cargo"), "{error}");
    }
}
