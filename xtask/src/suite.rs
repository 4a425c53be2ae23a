//! The one build that every step of CI shares: all crates with all parts, in the profile of tests.
//!
//! A step that builds other features, or another profile, compiles most of the tree once more. So
//! programs are taken from the build of the tests, and what needs more than the repository (weights,
//! mail servers, a browser) is built with everything else and left out by name; see [`NEEDS_WEIGHTS`].

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::cargo::Cargo;
use crate::error::Error;

/// All crates, with the parts that are not built unless asked for.
pub(crate) const WORKSPACE: &str = "--workspace --features superstep-model/remote,\
                                    superstep-local/vectors,\
                                    superstep-local/chat,superstep-local/weights-tests,\
                                    superstep-tools/mcp,superstep-mail/google,\
                                    superstep-mail/imap,\
                                    superstep-mail/servers-tests,\
                                    superstep-server/browser-tests,\
                                    superstep-server/root-tests,superstep-cli/browser-tests,\
                                    superstep-examples/otlp,superstep/otlp,superstep/tracing,superstep/encryption,\
                                    superstep-workbook/recalc,\
                                    superstep-sandbox/cpython-tests";

/// The crates that every other one is built on, for the fast tier.
pub(crate) const RUNTIME: &str = "-p superstep-core -p superstep-engine -p superstep-sqlite \
                                  -p superstep-tools --features superstep-sqlite/encryption,\
                                  superstep-tools/mcp";

/// Tests below a module of this name need the weights of a model.
pub(crate) const NEEDS_WEIGHTS: &str = "needs_weights";

/// Tests below a module of this name need mail servers.
pub(crate) const NEEDS_SERVERS: &str = "needs_servers";

/// Tests below a module of this name need Chromium and its driver.
pub(crate) const NEEDS_BROWSER: &str = "needs_browser";

/// Tests below a module of this name need CPython with openpyxl, and what contains them.
pub(crate) const NEEDS_CPYTHON: &str = "needs_cpython";

/// Tests below a module of this name need root: they start processes as another user.
pub(crate) const NEEDS_ROOT: &str = "needs_root";

/// Tests that need something the repository does not have, by the name of their module. The plain run
/// leaves them out; each has a step of its own, which says so if it could not run them.
const NEEDS: [&str; 5] = [
    NEEDS_WEIGHTS, NEEDS_SERVERS, NEEDS_BROWSER, NEEDS_CPYTHON, NEEDS_ROOT,
];

/// A program that the build of the tests made besides the tests.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) name: String,
    /// The manifest of its package.
    pub(crate) manifest: PathBuf,
    pub(crate) path: PathBuf,
}

/// Builds the tests and returns all programs beside them.
pub(crate) fn programs(root: &Path) -> Result<Vec<Program>, Error> {
    let build = format!("test {WORKSPACE} --no-run -q --message-format=json-render-diagnostics");
    let mut programs = Vec::new();
    Cargo::new(root, &build).run_lines(|line| programs.extend(Program::parse(line)))?;
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// The program of this name.
pub(crate) fn program(root: &Path, name: &str) -> Result<Program, Error> {
    programs(root)?
        .into_iter()
        .find(|program| program.name == name)
        .ok_or_else(|| Error::failed(name, "the build has no program of this name"))
}

/// Runs all tests of these crates but those that need something.
pub(crate) fn test(root: &Path, crates: &str) -> Result<(), Error> {
    if has_nextest(root) {
        let filter: Vec<_> = NEEDS.iter().map(|need| format!("!test({need})")).collect();
        let filter = filter.join("&");
        return Cargo::new(root, &format!("nextest run {crates} -E {filter}")).run();
    }
    println!("cargo-nextest is not installed, so `cargo test` runs the tests");
    let skip: Vec<_> = NEEDS.iter().map(|need| format!("--skip {need}")).collect();
    let skip = skip.join(" ");
    Cargo::new(
        root,
        &format!("test {crates} --lib --bins --tests -- {skip}"),
    )
    .run()
}

/// Runs the tests below modules of this name; fails if there are none.
pub(crate) fn test_only(root: &Path, need: &str, env: &[(&str, &str)]) -> Result<(), Error> {
    let args = if has_nextest(root) {
        format!("nextest run {WORKSPACE} --no-tests=fail -E test({need})")
    } else {
        format!("test {WORKSPACE} --lib --tests -- {need}")
    };
    Cargo::new(root, &args).with_envs(env).run()
}

fn has_nextest(root: &Path) -> bool {
    Cargo::new(root, "nextest --version").works()
}

impl Program {
    /// One line of cargo's report, if it is about a program that is no test.
    fn parse(line: &str) -> Option<Self> {
        let message: Value = serde_json::from_str(line).ok()?;
        let path = message.get("executable")?.as_str()?;
        if message.get("profile")?.get("test")?.as_bool()? {
            return None;
        }
        Some(Self {
            path: PathBuf::from(path),
            name: message.get("target")?.get("name")?.as_str()?.to_owned(),
            manifest: PathBuf::from(message.get("manifest_path")?.as_str()?),
        })
    }

    /// A call of it, from the root of the workspace.
    pub(crate) fn command(&self, root: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(root);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &str = r#"{"manifest_path":"/w/examples/Cargo.toml","target":{"name":"hello"},
                            "profile":{"test":false},"executable":"/t/hello"}"#;

    #[test]
    fn a_built_program_is_taken_from_the_report_of_cargo() {
        let hello = Program {
            name: "hello".to_owned(),
            manifest: PathBuf::from("/w/examples/Cargo.toml"),
            path: PathBuf::from("/t/hello"),
        };
        assert_eq!(Program::parse(HELLO), Some(hello));
    }

    #[test]
    fn tests_libraries_and_other_lines_are_no_programs() {
        let test = HELLO.replace("false", "true");
        assert_eq!(Program::parse(&test), None);
        let library = HELLO.replace("\"/t/hello\"", "null");
        assert_eq!(Program::parse(&library), None);
        assert_eq!(Program::parse("warning: not json"), None);
    }
}
