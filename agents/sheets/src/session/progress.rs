//! Steps as they are taken.

use serde_json::json;
use superstep_agent::{Block, Notice, Span, Weight, bad, count, faint, good, plain, strong};

use crate::{FINISH, Progress};

/// The most lines of an observation or a thought that are shown.
const LINES: usize = 6;

pub(super) fn notice(progress: &Progress) -> Notice {
    let lines = lines(progress).into_iter();
    let blocks = lines.map(|spans| Block::Line(Weight::Note, spans));
    Notice::event(json!(progress)).with(blocks.collect())
}

fn lines(progress: &Progress) -> Vec<Vec<Span>> {
    match progress {
        Progress::Planned {
            step,
            max_steps,
            thought,
            action,
        } => {
            let number = match action.as_str() {
                FINISH => "end".to_owned(),
                _ => format!("step {step} of {max_steps}"),
            };
            let head = vec![strong(number), faint("  "), plain(action)];
            with_thought(head, thought)
        }
        Progress::NotTaken {
            max_steps,
            thought,
            action,
        } => {
            let limit = faint(format!(" of {max_steps} for "));
            let head = vec![strong("no step is left"), limit, plain(action)];
            with_thought(head, thought)
        }
        Progress::FormatError { count, why } => {
            vec![vec![bad(format!("format error {count}: ")), plain(why)]]
        }
        Progress::Observed {
            is_done,
            observation,
            ..
        } => observed(*is_done, observation),
        Progress::Informed { sql, text } => {
            let query = faint(sql.as_deref().unwrap_or("pass"));
            let rows = text.lines().take(LINES).filter(|_| sql.is_some());
            let rows = rows.map(|line| vec![faint("  "), faint(line)]);
            std::iter::once(vec![faint("informer  "), query])
                .chain(rows)
                .collect()
        }
    }
}

fn with_thought(head: Vec<Span>, thought: &str) -> Vec<Vec<Span>> {
    let lines = thought.lines().filter(|it| !it.trim().is_empty());
    let lines = lines.take(LINES).map(|line| vec![faint("  "), faint(line)]);
    std::iter::once(head).chain(lines).collect()
}

fn observed(is_done: bool, observation: &str) -> Vec<Vec<Span>> {
    let mut lines = observation.lines().filter(|it| !it.trim().is_empty());
    let mark = match is_done {
        true => good("  ok "),
        false => bad("  failed "),
    };
    let mut shown = vec![vec![mark, plain(lines.next().unwrap_or_default())]];
    let rest: Vec<&str> = lines.collect();
    let first = rest.iter().take(LINES);
    shown.extend(first.map(|line| vec![plain("     "), plain(line)]));
    if rest.len() > LINES {
        let more = count(rest.len() - LINES, "more line");
        shown.push(vec![faint(format!("     … {more}"))]);
    }
    shown
}
