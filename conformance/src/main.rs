//! `superstep-conformance`: runs every case file.

mod args;

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use clap::Parser;
use serde_json::Value as Json;
use superstep_conformance::{
    backing::Backing,
    case::Case,
    compare::{Mismatch, check_case},
    differences::{Differences, Judgement},
    profile::{Profile, Untyped},
    report,
    restart::{self, Unfit},
    runner::run_case,
};
use superstep_sqlite::Database;
use tempfile::TempDir;
use tokio::{
    runtime::Builder,
    task::{JoinSet, spawn_blocking},
};

use crate::args::{Args, Cases, Job, Way};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let ended = match Args::parse().job() {
        Job::Cases(cases) => run(&cases).await,
        Job::OneOp(part) => match part.run().await {
            Ok(never) => match never {},
            Err(error) => Err(error.to_string()),
        },
    };
    match ended {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

const STALE: &str = "  it is answered as recorded, and DIFFERENCES.md still lists it";

/// What came of a case.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum CaseVerdict {
    Passed,
    /// It differs on purpose, by this rule.
    Differs(String),
    Skipped(String),
    Failed(String),
}

/// Runs all cases and returns how many failed.
async fn run(args: &Cases) -> Result<usize, String> {
    let mut paths = Vec::new();
    for path in &args.paths {
        match path.is_file() {
            true => paths.push(path.clone()),
            false => files(path, &mut paths)?,
        }
    }
    if paths.is_empty() {
        return Err("no case files there".to_owned());
    }
    let at_once = match args.way {
        // Cases really wait where their programs say so; this many wait together.
        Way::Memory | Way::Sqlite => 16,
        // Each of these is a process.
        Way::Restart => 2,
    };
    let differences = Arc::new(Differences::load()?);
    let mut verdicts = Vec::with_capacity(paths.len());
    let mut running = JoinSet::new();
    let mut waiting = paths.into_iter();
    loop {
        for path in waiting.by_ref().take(at_once - running.len()) {
            let case = Case::load(&path).map_err(|error| error.to_string())?;
            let (way, profile) = (args.way, args.profile);
            let (level, quirks) = (args.level, args.quirks);
            let differences = differences.clone();
            running.spawn(async move {
                let verdict = match answers(&path, &case, way, profile).await {
                    Ok(results) => {
                        let mismatches = check_case(&case, &results, level, quirks);
                        let is_equal = mismatches.is_empty();
                        match differences.judge(&case.name, profile, is_equal) {
                            Judgement::Equal => CaseVerdict::Passed,
                            Judgement::Differs(rule) => CaseVerdict::Differs(rule),
                            Judgement::Unlisted => judge(&case, &mismatches),
                            Judgement::Stale => CaseVerdict::Failed(STALE.to_owned()),
                        }
                    }
                    Err(verdict) => verdict,
                };
                (path, verdict)
            });
        }
        let Some(ended) = running.join_next().await else {
            break;
        };
        verdicts.push(ended.map_err(|error| format!("a case did not finish: {error}"))?);
    }
    verdicts.sort();
    Ok(tell(&verdicts))
}

fn files(dir: &Path, into: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    for entry in entries {
        let path = entry
            .map_err(|error| format!("{}: {error}", dir.display()))?
            .path();
        if path.is_dir() {
            files(&path, into)?;
        } else if path.extension().is_some_and(|ending| ending == "json") {
            into.push(path);
        }
    }
    Ok(())
}

/// The results of a case, or the verdict if it has none.
async fn answers(
    path: &Path,
    case: &Case,
    way: Way,
    profile: Profile,
) -> Result<Vec<Json>, CaseVerdict> {
    let failed = |what: &str, why: String| CaseVerdict::Failed(format!("  {what}: {why}"));
    if profile == Profile::Typed {
        let skipped = |why: Untyped| CaseVerdict::Skipped(format!("not in the typed layer: {why}"));
        Untyped::check(case).map_err(skipped)?;
    }
    match way {
        Way::Memory => Ok(run_case(case, &Backing::memory(), profile).await),
        Way::Sqlite => {
            let case = case.clone();
            let ended = spawn_blocking(move || on_sqlite(&case, profile)).await;
            ended
                .map_err(|error| failed("sqlite", error.to_string()))?
                .map_err(|error| failed("sqlite", error.to_string()))
        }
        Way::Restart => {
            let skipped = |why: Unfit| CaseVerdict::Skipped(why.to_string());
            Unfit::check(case).map_err(skipped)?;
            let program = env::current_exe();
            let program = program.map_err(|error| failed("this program", error.to_string()))?;
            let (path, case) = (path.to_owned(), case.clone());
            let ended =
                spawn_blocking(move || restart::run_case(&program, &path, &case, profile)).await;
            ended
                .map_err(|error| failed("restart", error.to_string()))?
                .map_err(|error| failed("restart", error.to_string()))
        }
    }
}

/// Runs a case on a runtime of its own: some cases measure time, and the disk that another case waits
/// for must not stop their clock.
fn on_sqlite(case: &Case, profile: Profile) -> Result<Vec<Json>, Box<dyn Error + Send + Sync>> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()?;
    let folder = TempDir::with_prefix("superstep-case-")?;
    let database = Database::open(folder.path().join("case.db"))?;
    let results = runtime.block_on(run_case(case, &Backing::database(&database), profile));
    drop((runtime, database));
    folder.close()?;
    Ok(results)
}

/// What is wrong with a case's results, or nothing.
fn judge(case: &Case, mismatches: &[Mismatch]) -> CaseVerdict {
    let Some(first) = mismatches.first() else {
        return CaseVerdict::Passed;
    };
    let more = match mismatches.len() - 1 {
        0 => String::new(),
        n => format!("\n  and {n} more"),
    };
    CaseVerdict::Failed(format!("{}{more}", report::render(case, first)))
}

/// Prints what came of the cases and returns how many failed.
fn tell(verdicts: &[(PathBuf, CaseVerdict)]) -> usize {
    let (mut passed, mut failed) = (0, 0);
    let mut differing: BTreeMap<&str, usize> = BTreeMap::new();
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, verdict) in verdicts {
        match verdict {
            CaseVerdict::Passed => passed += 1,
            CaseVerdict::Differs(rule) => *differing.entry(rule).or_default() += 1,
            CaseVerdict::Skipped(why) => *skipped.entry(why).or_default() += 1,
            CaseVerdict::Failed(why) => {
                failed += 1;
                println!("FAIL {}\n{why}", path.display());
            }
        }
    }
    for (why, count) in skipped {
        println!("{count} skipped: {why}");
    }
    let differ: usize = differing.values().sum();
    for (rule, count) in differing {
        println!("{count} differ on purpose: {rule}");
    }
    match differ {
        0 => println!("{passed} passed, {failed} failed"),
        _ => println!("{passed} passed, {differ} differ on purpose, {failed} failed"),
    }
    failed
}
