//! `cargo xtask ci`: all that a change must pass, step by step, stopping at the first failure; with
//! `--fast` the steps that find most mistakes in minutes.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::book;
use crate::cargo::Cargo;
use crate::error::Error;
use crate::examples;
use crate::suite::{
    self, NEEDS_BROWSER, NEEDS_CPYTHON, NEEDS_ROOT, NEEDS_SERVERS, NEEDS_WEIGHTS, Program, RUNTIME,
    WORKSPACE,
};
use crate::tidy;
use crate::weights;
use crate::workspace::Workspace;

/// One step; what it returns is repeated in the summary.
struct Step {
    name: &'static str,
    run: fn(&Workspace) -> Result<String, Error>,
}

const FORMAT: Step = Step {
    name: "format",
    run: |w| plain(&w.root, "fmt --all --check"),
};

const TIDY: Step = Step {
    name: "tidy",
    run: tidy::run,
};

/// The fast tier: what most mistakes show in, of the crates that all others are built on.
const FAST: [Step; 4] = [
    FORMAT,
    TIDY,
    Step {
        name: "lints",
        run: |w| lints(w, RUNTIME),
    },
    Step {
        name: "tests",
        run: |w| tests(w, RUNTIME),
    },
];

const STEPS: [Step; 15] = [
    FORMAT,
    Step {
        name: "lints",
        run: |w| lints(w, WORKSPACE),
    },
    Step {
        name: "tests",
        run: |w| tests(w, WORKSPACE),
    },
    Step {
        name: "doctests",
        run: |w| plain(&w.root, &format!("test {WORKSPACE} --doc")),
    },
    Step {
        name: "docs",
        run: docs,
    },
    TIDY,
    Step {
        name: "dependencies",
        run: dependencies,
    },
    Step {
        name: "conformance",
        run: conformance,
    },
    Step {
        name: "examples",
        run: examples::run,
    },
    Step {
        name: "pages",
        run: pages,
    },
    Step {
        name: "model",
        run: model,
    },
    Step {
        name: "browser",
        run: browser,
    },
    Step {
        name: "servers",
        run: servers,
    },
    Step {
        name: "cpython",
        run: cpython,
    },
    Step {
        name: "root",
        run: root,
    },
];

const CASES: [&str; 2] = ["conformance/cases", "conformance/generated"];
/// Set to 1 where there is a network: then what cannot be fetched is a failure, and not left out.
const FULL: &str = "SUPERSTEP_CI_FULL";
/// The file `axe.min.js` of axe-core, which checks the pages in the browser.
const AXE: &str = "SUPERSTEP_AXE";
/// What the recorded cases run on, with the default options, those of a typed graph, and LangGraph's own rules.
const WAYS: [&str; 7] = [
    "--saver memory",
    "--saver sqlite",
    "--restart",
    "--options typed",
    "--options langgraph --saver memory",
    "--options langgraph --saver sqlite",
    "--options langgraph --restart",
];

/// Runs all steps.
pub(crate) fn run(workspace: &Workspace) -> Result<String, Error> {
    run_steps(workspace, &STEPS)
}

/// Runs the steps of the fast tier.
pub(crate) fn run_fast(workspace: &Workspace) -> Result<String, Error> {
    let passed = run_steps(workspace, &FAST)?;
    Ok(format!("{passed}; `cargo xtask ci` runs the full tier"))
}

/// Runs steps up to the first that fails; the closing line says how long they took.
fn run_steps(workspace: &Workspace, steps: &[Step]) -> Result<String, Error> {
    let start = Instant::now();
    let mut passed = String::new();
    for (number, step) in (1..).zip(steps) {
        println!("\n== {number}/{} {}", steps.len(), step.name);
        let begun = Instant::now();
        let outcome = (step.run)(workspace);
        let took = begun.elapsed().as_secs_f64();
        let note = match outcome {
            Ok(note) => note,
            Err(error) => {
                println!("== {} failed after {took:.1} s", step.name);
                return Err(Error::failed(
                    format!("ci: step {} failed", step.name),
                    error.to_string(),
                ));
            }
        };
        println!("== {} passed in {took:.1} s", step.name);
        passed.push_str(format!("{:<12} {took:>7.1} s  {note}", step.name).trim_end());
        passed.push('\n');
    }
    let took = start.elapsed().as_secs_f64();
    Ok(format!(
        "\n{passed}ci: all {} steps passed in {took:.1} s",
        steps.len()
    ))
}

fn plain(root: &Path, args: &str) -> Result<String, Error> {
    Cargo::new(root, args).run().map(|()| String::new())
}

fn lints(workspace: &Workspace, crates: &str) -> Result<String, Error> {
    let lints = format!("clippy {crates} --all-targets -- -D warnings");
    plain(&workspace.root, &lints)
}

fn tests(workspace: &Workspace, crates: &str) -> Result<String, Error> {
    suite::test(&workspace.root, crates).map(|()| String::new())
}

/// Builds rustdoc and, where mdBook is installed, the docs site.
fn docs(workspace: &Workspace) -> Result<String, Error> {
    Cargo::new(&workspace.root, &format!("doc {WORKSPACE} --no-deps"))
        .with_envs(&[("RUSTDOCFLAGS", "-D warnings")])
        .run()?;
    if !book::is_installed() {
        return Ok(format!(
            "NOT RUN: the docs site: mdBook is {}",
            book::INSTALL
        ));
    }
    book::run(workspace)
}

/// Licenses, bans and sources of dependencies, by `deny.toml`. Advisories need a database from the
/// network and belong to the workflow on the server, which has cargo-deny; not everybody has it.
fn dependencies(workspace: &Workspace) -> Result<String, Error> {
    if !Cargo::new(&workspace.root, "deny --version").works() {
        return Ok("NOT RUN: cargo-deny is not installed".to_owned());
    }
    plain(
        &workspace.root,
        "deny --offline --log-level error check bans licenses sources",
    )
}

/// The tests of the modules of the web pages.
const PAGES: [&str; 2] = ["figures", "texts"];

/// How the types in the comments of these modules are checked.
const TYPES: &str = "--noEmit --allowJs --checkJs --strict false --target es2022 --module es2022 \
                     --moduleResolution bundler --lib es2023,dom,dom.iterable \
                     crates/superstep-server/ui/app.js";

/// Runs the tests of the modules of the web pages, where node is installed, and checks their types, where tsc is.
fn pages(workspace: &Workspace) -> Result<String, Error> {
    let run = |program: &str, args: Vec<String>| {
        let mut command = Command::new(program);
        command.args(args).current_dir(&workspace.root);
        command.stdin(Stdio::null()).status()
    };
    let failed = |program: &str, why: String| Error::failed(program, why);
    let file = |name| format!("crates/superstep-server/tests/pages/{name}.test.mjs");
    let tests = ["--test".to_owned()].into_iter().chain(PAGES.map(file));
    match run("node", tests.collect()) {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(failed("node --test", status.to_string())),
        Err(error) => return not_run("no node", failed("node", error.to_string())),
    }
    match run("tsc", TYPES.split_whitespace().map(str::to_owned).collect()) {
        Ok(status) if status.success() => Ok(String::new()),
        Ok(status) => Err(failed("tsc", status.to_string())),
        Err(_) => Ok("NOT RUN: the types of the modules: tsc is not installed".to_owned()),
    }
}

fn conformance(workspace: &Workspace) -> Result<String, Error> {
    let runner = suite::program(&workspace.root, "superstep-conformance")?;
    let mut notes = Vec::new();
    for way in WAYS {
        let tally = cases(&runner, &workspace.root, way)?;
        notes.push(format!("{way}: {tally}"));
    }
    Ok(notes.join(", "))
}

/// Runs the tests with real models, which are kept in the build folder.
fn model(workspace: &Workspace) -> Result<String, Error> {
    let cache = workspace.target.join("weights");
    let pull = |name| weights::run_in(workspace, name, &cache);
    let pulled = pull("tiny").and_then(|tiny| Ok((tiny, pull("minilm")?)));
    let (tiny, minilm) = match pulled {
        Ok(paths) => paths,
        Err(error) => return not_run("the weights could not be fetched", error),
    };
    let env = [
        ("SUPERSTEP_TEST_MODEL", tiny.as_str()),
        ("SUPERSTEP_TEST_MINILM", minilm.as_str()),
    ];
    suite::test_only(&workspace.root, NEEDS_WEIGHTS, &env).map(|()| String::new())
}

/// Runs the tests of the pages in a real browser, where there is one.
fn browser(workspace: &Workspace) -> Result<String, Error> {
    let found = Command::new("chromedriver")
        .arg("--version")
        .stdin(Stdio::null())
        .output();
    if let Err(error) = found {
        let error = Error::failed("chromedriver", error.to_string());
        return not_run("no browser with chromedriver", error);
    }
    suite::test_only(&workspace.root, NEEDS_BROWSER, &[])?;
    match std::env::var_os(AXE) {
        Some(_) => Ok(String::new()),
        None => Ok(format!("NOT RUN: axe-core: {AXE} does not name it")),
    }
}

/// Runs the tests with real mail servers, whose packages are kept in the build folder.
fn servers(workspace: &Workspace) -> Result<String, Error> {
    if !is_full() {
        return Ok(format!("NOT RUN: part of the full tier, {FULL}=1"));
    }
    let root = &workspace.root;
    let folder = workspace.target.join("tmp").join("mail-servers");
    let script = "agents/mail/tests/servers/servers.sh";
    println!("$ sh {script} fetch {}", folder.display());
    let fetched = Command::new("sh")
        .args([script, "fetch"])
        .arg(folder)
        .current_dir(root)
        .stdin(Stdio::null())
        .status();
    let failed = |why: String| Error::failed("servers.sh fetch", why);
    match fetched {
        Ok(status) if status.success() => {}
        Ok(status) => return not_run("no mail servers", failed(status.to_string())),
        Err(error) => return not_run("no mail servers", failed(error.to_string())),
    }
    suite::test_only(root, NEEDS_SERVERS, &[]).map(|()| String::new())
}

/// Runs the tests of the sandbox with CPython, where it and openpyxl are installed.
fn cpython(workspace: &Workspace) -> Result<String, Error> {
    let found = Command::new("python3")
        .args(["-I", "-c", "import openpyxl"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match found {
        Ok(status) if status.success() => {}
        _ => {
            let error = Error::failed("python3", "it is not installed, or has no openpyxl");
            return not_run("no CPython with openpyxl", error);
        }
    }
    suite::test_only(&workspace.root, NEEDS_CPYTHON, &[]).map(|()| String::new())
}

/// Runs the tests that start processes as another user. The full tier gets root by `sudo` where that
/// asks for no password, as on most CI machines; nothing else of CI runs as root.
fn root(workspace: &Workspace) -> Result<String, Error> {
    let id = Command::new("id").arg("-u").output();
    if id.is_ok_and(|id| id.stdout.trim_ascii() == b"0") {
        return suite::test_only(&workspace.root, NEEDS_ROOT, &[]).map(|()| String::new());
    }
    let sudo = || Command::new("sudo").args(["-n", "true"]).status();
    if !is_full() || !sudo().is_ok_and(|status| status.success()) {
        return not_run("not root", Error::failed("id -u", "the user is not root"));
    }
    let arch = std::env::consts::ARCH.to_uppercase();
    let runner = format!("CARGO_TARGET_{arch}_UNKNOWN_LINUX_GNU_RUNNER");
    let env = [(runner.as_str(), "sudo -n")];
    suite::test_only(&workspace.root, NEEDS_ROOT, &env).map(|()| String::new())
}

/// A step whose needs are not met is named in the summary, and a failure in the full tier.
fn not_run(why: &str, error: Error) -> Result<String, Error> {
    if is_full() {
        return Err(error);
    }
    println!("{error}");
    Ok(format!("NOT RUN: {why}; {FULL}=1 makes that a failure"))
}

fn is_full() -> bool {
    std::env::var_os(FULL).is_some_and(|value| value == "1")
}

/// Runs cases and returns how many passed; one that failed is an error.
fn cases(runner: &Program, root: &Path, way: &str) -> Result<Tally, Error> {
    println!("$ {} {} {way}", runner.name, CASES.join(" "));
    let output = runner
        .command(root)
        .args(CASES)
        .args(way.split(' '))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| Error::Start {
            program: runner.name.clone(),
            source,
        })?;
    let printed = String::from_utf8_lossy(&output.stdout);
    print!("{printed}");
    if !output.status.success() {
        return Err(Error::failed("conformance", output.status.to_string()));
    }
    let tally = printed.lines().filter_map(Tally::parse).next_back();
    // An exit status of 0 is not enough: a runner that found no cases would have it too.
    match tally {
        Some(tally) if tally.passed > 0 && tally.failed == 0 => Ok(tally),
        Some(tally) => Err(Error::failed("conformance", tally.to_string())),
        None => Err(Error::failed(
            "conformance",
            "the runner did not close with `N passed, N failed`",
        )),
    }
}

/// The closing line of the conformance runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tally {
    passed: u64,
    /// On purpose, as listed in `conformance/DIFFERENCES.md`.
    differ: u64,
    failed: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            differ,
            failed,
        } = self;
        write!(f, "{passed} passed")?;
        if *differ > 0 {
            write!(f, ", {differ} differ on purpose")?;
        }
        match failed {
            0 => Ok(()),
            _ => write!(f, ", {failed} failed"),
        }
    }
}

impl Tally {
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line
            .split([' ', ','])
            .filter(|word| !word.is_empty())
            .collect();
        let count = |what: &str| {
            let at = words.iter().position(|word| *word == what)?;
            words.get(at.checked_sub(1)?)?.parse().ok()
        };
        Some(Self {
            passed: count("passed")?,
            differ: count("differ").unwrap_or(0),
            failed: count("failed")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_of_the_runner_is_understood() {
        let tally = |passed, differ, failed| {
            Some(Tally {
                passed,
                differ,
                failed,
            })
        };
        assert_eq!(Tally::parse("411 passed, 0 failed"), tally(411, 0, 0));
        assert_eq!(Tally::parse("total: 9 passed, 2 failed"), tally(9, 0, 2));
        let listed = "408 passed, 12 differ on purpose, 0 failed";
        assert_eq!(Tally::parse(listed), tally(408, 12, 0));
    }

    #[test]
    fn other_lines_are_no_tally() {
        for line in [
            "",
            "passed",
            "case a passed",
            "3 passed",
            "many passed, 0 failed",
            "6 skipped: the node cache ends with its process",
            "4 differ on purpose: keeps_finished_tasks",
        ] {
            assert_eq!(Tally::parse(line), None, "{line}");
        }
    }

    #[test]
    fn every_step_has_a_name_of_its_own() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }

    #[test]
    fn the_full_tier_has_every_step_of_the_fast_one() {
        for step in &FAST {
            assert!(STEPS.iter().any(|it| it.name == step.name), "{}", step.name);
        }
    }
}
