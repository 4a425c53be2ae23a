//! What tests of all sandboxes share: the workbook, the programs, and how a workbook is shown.

pub(crate) mod language;
mod looks;

use std::{fmt::Write as _, path::PathBuf, sync::Arc, time::Duration};

use superstep_sandbox::{Ending, Job, Limits, ProgramRun, Sandbox, SandboxError, Worker};
use superstep_workbook::Workbook;

/// The worker of this crate.
pub(crate) fn worker() -> Worker {
    Worker::new(env!("CARGO_BIN_EXE_superstep-sandbox-worker"), [])
}

pub(crate) fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

pub(crate) fn sales() -> Workbook {
    let limits = superstep_workbook::Limits::default();
    Workbook::open(&folder("programs/sales.xlsx"), &limits).unwrap()
}

pub(crate) fn job(program: &str) -> Job {
    Job::new(program, sales()).called("sales.xlsx")
}

/// Little time and memory, for programs that want more.
pub(crate) fn tight() -> Limits {
    Limits {
        time: Duration::from_secs(3),
        memory: 256 << 20,
        ..Limits::default()
    }
}

/// Programs of a folder by their names.
pub(crate) fn programs(name: &str) -> Vec<(String, String)> {
    let mut found: Vec<_> = std::fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "py"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    found.sort();
    found
}

/// Whether a program says that a sandbox does not support it.
pub(crate) fn is_refused(program: &str, sandbox: &str) -> bool {
    let first = program.lines().next().unwrap_or_default();
    first
        .strip_prefix("# Sandboxes without it: ")
        .is_some_and(|names| names.split(", ").any(|name| name == sandbox))
}

/// Values and formulas of all sheets, and what was printed.
pub(crate) fn shown(book: &Workbook, printed: &str) -> String {
    let mut text = String::new();
    for sheet in &book.sheets {
        writeln!(text, "[{}]", sheet.name).unwrap();
        for (at, cell) in sheet.cells().filter(|(_, cell)| !cell.is_blank()) {
            let value = match cell.formula() {
                Some(formula) => format!("={}", formula.text),
                None => book.shown(cell),
            };
            match value.contains('\n') {
                true => writeln!(text, "{at} '{}'", value.replace('\n', "\\n")).unwrap(),
                false => writeln!(text, "{at} {value}").unwrap(),
            }
        }
    }
    let own: Vec<&str> = printed
        .lines()
        .filter(|line| !line.starts_with("[sandbox]"))
        .collect();
    if !own.is_empty() {
        writeln!(text, "[printed]\n{}", own.join("\n")).unwrap();
    }
    text
}

pub(crate) async fn run(sandbox: &dyn Sandbox, job: &Job) -> Result<ProgramRun, SandboxError> {
    sandbox.run(job).await
}

/// A file beside a program; nothing if there is none.
fn beside(name: &str, ending: &str) -> String {
    let path = folder("programs").join(format!("{name}.{ending}"));
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Runs all programs and lists what is not as openpyxl has it: values and formulas cell by cell, and
/// what else the program changed.
pub(crate) async fn wrong(sandbox: Arc<dyn Sandbox>) -> Vec<String> {
    let all = programs("programs");
    assert!(all.len() >= 80, "there are {} programs", all.len());
    let mut wrong = Vec::new();
    for (name, program) in all {
        let expected = beside(&name, "cells");
        assert!(!expected.is_empty(), "{name} has no cells");
        let ran = run(&*sandbox, &job(&program)).await.unwrap();
        let after = ran.workbook(&sales());
        let refused = is_refused(&program, sandbox.name());
        match (after, refused) {
            (Ok(book), false) => {
                let found = shown(&book, &ran.stdout);
                if let Some(lines) = difference(&expected, &found) {
                    wrong.push(format!("{name}: {lines}"));
                }
                let found = looks::changed(&sales(), &written(&book));
                if let Some(lines) = difference(&beside(&name, "looks"), &found) {
                    wrong.push(format!("{name}: {lines}"));
                }
            }
            (Err(SandboxError::Raised(raised)), true) if raised.class == "NotImplementedError" => {}
            (Err(error), _) => wrong.push(format!("{name}: {error}")),
            (Ok(_), true) => wrong.push(format!("{name}: it ran, and says that it cannot")),
        }
    }
    wrong
}

/// The workbook as it reads once it was written.
fn written(book: &Workbook) -> Workbook {
    let bytes = book.write(superstep_workbook::OnLoad::Trust).unwrap().bytes;
    Workbook::read(bytes, &superstep_workbook::Limits::default()).unwrap()
}

/// Writes down what a sandbox makes of all programs besides values and formulas.
pub(crate) async fn write_looks(sandbox: Arc<dyn Sandbox>) {
    for (name, program) in programs("programs") {
        let ran = run(&*sandbox, &job(&program)).await.unwrap();
        let book = ran.workbook(&sales()).unwrap();
        let cells = folder("programs").join(format!("{name}.cells"));
        if !cells.exists() {
            std::fs::write(cells, shown(&book, &ran.stdout)).unwrap();
        }
        let text = looks::changed(&sales(), &written(&book));
        let path = folder("programs").join(format!("{name}.looks"));
        match text.is_empty() {
            true => drop(std::fs::remove_file(path)),
            false => std::fs::write(path, text).unwrap(),
        }
    }
}

/// The first lines that differ.
fn difference(expected: &str, found: &str) -> Option<String> {
    if expected == found {
        return None;
    }
    let missing: Vec<_> = expected
        .lines()
        .filter(|line| !found.lines().any(|it| it == *line))
        .collect();
    let added: Vec<_> = found
        .lines()
        .filter(|line| !expected.lines().any(|it| it == *line))
        .collect();
    Some(format!("expected {missing:?}, found {added:?}"))
}

/// Runs all attempts to escape and lists those that were not contained.
pub(crate) async fn escaped(sandbox: Arc<dyn Sandbox>) -> Vec<String> {
    let all = programs("escapes");
    assert!(all.len() >= 25, "there are {} attempts", all.len());
    let canary = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(canary.path(), "alive").unwrap();
    let mut escaped = Vec::new();
    for (name, program) in all {
        let program = program.replace("CANARY", &canary.path().to_string_lossy());
        let ran = run(&*sandbox, &job(&program).within(tight())).await;
        let how = match &ran {
            Ok(ran) if ran.stdout.contains("ESCAPED") => Some(ran.stdout.clone()),
            Ok(ran) if ran.took > Duration::from_secs(30) => Some(format!("took {:?}", ran.took)),
            Ok(ran) => match (&ran.ending, program.contains("# ends: stopped")) {
                (Ending::Done(_), true) => Some("it reached its end".to_owned()),
                _ => None,
            },
            Err(SandboxError::Died { .. }) => None,
            Err(error) => Some(error.to_string()),
        };
        escaped.extend(how.map(|how| format!("{name}: {how}")));
        let kept = std::fs::read_to_string(canary.path()).unwrap();
        if kept != "alive" {
            escaped.push(format!("{name}: it wrote outside"));
        }
    }
    escaped
}
