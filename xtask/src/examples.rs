//! `cargo xtask examples`: every example of the package `superstep-examples` is built and run.
//!
//! An example is run as a reader would, but with nobody at the keyboard: it must end by itself
//! within [`LIMIT`], exit with 0, and have printed something: what its head says, if that has a block of
//! output.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::suite::{self, Program};
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(20);

/// Runs them all; each failure is shown with its output, the error names every one.
pub(crate) fn run(workspace: &Workspace) -> Result<String, Error> {
    let root = &workspace.root;
    let manifest = root.join("examples").join("Cargo.toml");
    let examples: Vec<Program> = suite::programs(root)?
        .into_iter()
        .filter(|program| program.manifest == manifest)
        .collect();
    if examples.is_empty() {
        return Err(Error::failed("examples", "there are none"));
    }
    let mut failed = Vec::new();
    for example in &examples {
        let begun = Instant::now();
        let source = manifest.with_file_name("examples").join(&example.name);
        let verdict = read(&source.with_extension("rs"))
            .and_then(|source| {
                let promised = promised(&source);
                judge(example.command(root), &example.path, promised, LIMIT)
            })
            .map_err(|source| Error::Start {
                program: format!("the example {}", example.name),
                source,
            })?;
        let took = begun.elapsed().as_secs_f64();
        match verdict {
            Verdict::Fine => println!("example {}: ok in {took:.1} s", example.name),
            Verdict::Wrong { why, output } => {
                println!("example {}: {why}\n{}", example.name, output.trim_end());
                failed.push(example.name.as_str());
            }
        }
    }
    if failed.is_empty() {
        return Ok(format!("examples: all {} ran", examples.len()));
    }
    Err(Error::failed(
        "examples",
        format!("{} failed: {}", failed.len(), failed.join(", ")),
    ))
}

/// How a run of an example ended.
#[derive(Debug)]
enum Verdict {
    Fine,
    Wrong { why: String, output: String },
}

/// What the head of an example says that it prints: its first block of text.
fn promised(source: &str) -> Option<String> {
    let head = source.lines().map_while(|line| line.strip_prefix("//!"));
    let mut block = head.skip_while(|line| line.trim() != "```text");
    block.next()?;
    let lines = block.take_while(|line| line.trim() != "```");
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// The first line in which an output is not what was promised.
fn difference(promised: &str, printed: &str) -> Option<String> {
    let (mut promised, mut printed) = (promised.trim_end().lines(), printed.trim_end().lines());
    (1..).find_map(|number| match (promised.next(), printed.next()) {
        (None, None) => Some(None),
        (wanted, got) => {
            let (wanted, got) = (wanted.map(str::trim_end), got.map(str::trim_end));
            let shown =
                |line: Option<&str>| line.map_or("nothing".to_owned(), |it| format!("{it:?}"));
            (wanted != got).then(|| {
                let (wanted, got) = (shown(wanted), shown(got));
                Some(format!(
                    "line {number} is {got}, and its head says {wanted}"
                ))
            })
        }
    })?
}

/// Runs a program; what it prints goes to `beside` with other extensions.
///
/// Files instead of pipes: a pipe nobody reads would stop an example that prints much.
fn judge(
    mut command: Command,
    beside: &Path,
    promised: Option<String>,
    limit: Duration,
) -> io::Result<Verdict> {
    let stdout = beside.with_extension("stdout");
    let stderr = beside.with_extension("stderr");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(File::create(&stdout)?)
        .stderr(File::create(&stderr)?)
        .spawn()?;
    let ended = wait(&mut child, limit)?;
    let printed = read(&stdout)?;
    let why = match ended {
        None => format!("did not end within {} s", limit.as_secs_f64()),
        Some(status) if !status.success() => status.to_string(),
        Some(_) if printed.trim().is_empty() => "printed nothing".to_owned(),
        Some(_) => match promised.and_then(|promised| difference(&promised, &printed)) {
            Some(why) => why,
            None => return Ok(Verdict::Fine),
        },
    };
    Ok(Verdict::Wrong {
        why,
        output: printed + &read(&stderr)?,
    })
}

/// The exit status, or nothing if the child had to be killed at the limit.
fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

fn read(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;
    use std::process;

    #[cfg(unix)]
    fn why(name: &str, script: &str, limit: Duration) -> Option<(String, String)> {
        why_not(name, script, None, limit)
    }

    #[cfg(unix)]
    fn why_not(
        name: &str,
        script: &str,
        head: Option<&str>,
        limit: Duration,
    ) -> Option<(String, String)> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let beside = env::temp_dir().join(format!("superstep-xtask-{}-{name}", process::id()));
        let verdict = judge(command, &beside, head.and_then(promised), limit).unwrap();
        for kind in ["stdout", "stderr"] {
            fs::remove_file(beside.with_extension(kind)).unwrap();
        }
        match verdict {
            Verdict::Fine => None,
            Verdict::Wrong { why, output } => Some((why, output)),
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_example_that_prints_and_exits_with_0_is_fine() {
        assert_eq!(why("fine", "echo hi", LIMIT), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_failing_example_is_shown_with_all_it_said() {
        let (why, output) = why("failing", "echo hi; echo no >&2; exit 3", LIMIT).unwrap();
        assert!(why.contains('3'), "{why}");
        assert_eq!(output, "hi\nno\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_mute_example_is_wrong() {
        let (why, _) = why("mute", "echo only here >&2", LIMIT).unwrap();
        assert_eq!(why, "printed nothing");
    }

    #[cfg(unix)]
    #[test]
    fn an_example_prints_what_its_head_says() {
        const HEAD: &str =
            "//! Greets.\n//!\n//! ```text\n//! hi\n//!   you\n//! ```\n\nuse std;\n";
        let why =
            |name: &str, script: &str| why_not(name, script, Some(HEAD), LIMIT).map(|(why, _)| why);
        assert_eq!(why("same", "echo 'hi '; echo '  you'"), None);
        assert_eq!(
            why("other", "echo hi; echo you").unwrap(),
            "line 2 is \"you\", and its head says \"  you\""
        );
        assert_eq!(
            why("less", "echo hi").unwrap(),
            "line 2 is nothing, and its head says \"  you\""
        );
        assert_eq!(
            why("more", "echo hi; echo '  you'; echo all").unwrap(),
            "line 3 is \"all\", and its head says nothing"
        );
    }

    #[cfg(unix)]
    #[test]
    fn an_example_that_reads_the_keyboard_finds_it_closed() {
        assert_eq!(why("reads", "cat; echo end", LIMIT), None);
    }

    #[cfg(unix)]
    #[test]
    fn an_example_that_does_not_end_is_stopped_at_the_limit() {
        let limit = Duration::from_millis(50);
        let (why, _) = why("endless", "while :; do :; done", limit).unwrap();
        assert_eq!(why, "did not end within 0.05 s");
    }
}
