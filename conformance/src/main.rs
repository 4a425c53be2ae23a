//! `superstep-conformance DIR... [--saver NAME] [--strict] [--quirks]`: runs every case file.

use std::{path::Path, path::PathBuf, process::ExitCode, sync::Arc};

use superstep_conformance::{
    case::Case,
    compare::{Level, Mismatch, Quirks, check_case},
    report,
    runner::{MakeSaver, run_case},
};
use superstep_engine::memory::MemorySaver;

const USAGE: &str =
    "usage: superstep-conformance DIR... [--saver NAME] [--strict] [--exact] [--quirks]
  DIR       folders of case files
  --saver   memory (default)
  --strict  task order must be as recorded
  --exact   as --strict, and names that begin with __ are compared too
  --quirks  operations marked as accidents must match too";

/// Cases really wait where their programs say so; this many wait together.
const AT_ONCE: usize = 16;

struct Args {
    dirs: Vec<PathBuf>,
    saver: String,
    level: Level,
    quirks: Quirks,
}

fn parse() -> Result<Args, String> {
    let mut args = Args {
        dirs: Vec::new(),
        saver: "memory".into(),
        level: Level::Normal,
        quirks: Quirks::Skip,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--saver" => args.saver = words.next().ok_or("--saver needs a name")?,
            "--strict" => args.level = Level::Strict,
            "--exact" => args.level = Level::Exact,
            "--quirks" => args.quirks = Quirks::Require,
            "--help" | "-h" => return Err(String::new()),
            flag if flag.starts_with('-') => return Err(format!("unknown option {flag}")),
            dir => args.dirs.push(dir.into()),
        }
    }
    if args.dirs.is_empty() {
        Err("name at least one folder of case files".into())
    } else {
        Ok(args)
    }
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

fn saver(name: &str) -> Result<Arc<MakeSaver>, String> {
    match name {
        "memory" => Ok(Arc::new(|| Arc::new(MemorySaver::new()))),
        other => Err(format!("no saver `{other}`; there is: memory")),
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let args = match parse() {
        Ok(args) => args,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&args).await {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

async fn run(args: &Args) -> Result<usize, String> {
    let make = saver(&args.saver)?;
    let mut paths = Vec::new();
    for dir in &args.dirs {
        files(dir, &mut paths)?;
    }
    if paths.is_empty() {
        return Err("no case files there".to_owned());
    }
    paths.sort();
    let mut verdicts = Vec::with_capacity(paths.len());
    for batch in paths.chunks(AT_ONCE) {
        let mut running = tokio::task::JoinSet::new();
        for path in batch {
            let case = Case::load(path).map_err(|error| error.to_string())?;
            let (path, make) = (path.clone(), make.clone());
            let (level, quirks) = (args.level, args.quirks);
            running.spawn(async move {
                let results = run_case(&case, &*make).await;
                let verdict = describe(&case, &check_case(&case, &results, level, quirks));
                (path, verdict)
            });
        }
        while let Some(ended) = running.join_next().await {
            verdicts.push(ended.map_err(|error| format!("a case did not finish: {error}"))?);
        }
    }
    verdicts.sort();
    let failed = verdicts
        .iter()
        .filter(|(_, verdict)| verdict.is_some())
        .count();
    for (path, verdict) in &verdicts {
        if let Some(why) = verdict {
            println!("FAIL {}\n{why}", path.display());
        }
    }
    println!("{} passed, {failed} failed", verdicts.len() - failed);
    Ok(failed)
}

/// What is wrong with a case's results, or nothing.
fn describe(case: &Case, mismatches: &[Mismatch]) -> Option<String> {
    let first = mismatches.first()?;
    let more = match mismatches.len() - 1 {
        0 => String::new(),
        n => format!("\n  and {n} more"),
    };
    Some(format!("{}{more}", report::render(case, first)))
}
