//! A run in words: progress, documents that the model does not get, cost.

use serde_json::json;
use superstep::text::single_line;
use superstep_agent::{Block, Notice, Weight, count, faint, in_micro_usd};

use crate::{
    entry::{Entry, Fate},
    progress::Progress,
    usage::Spent,
};

/// The most files that are named.
const MOST_NAMED: usize = 8;

/// Progress of a node.
pub(super) fn told(progress: &Progress) -> Notice {
    let line = match progress {
        Progress::Read {
            included,
            reachable,
            left,
            tokens,
            budget,
        } => {
            let documents = count(included + reachable, "document");
            let size = format!("about {tokens} of {budget} tokens");
            match reachable {
                0 => format!("read {documents}, {size}; {left} not included"),
                _ => format!(
                    "read {documents}; the model gets the closest sections of them, up to {budget} tokens, and looks up the rest; {left} not included"
                ),
            }
        }
        Progress::LookedUp { tool, what } => {
            format!("{} {}", single_line(tool), single_line(what))
        }
        Progress::Sorting { passages } => {
            format!("sorting {}, one at a time", count(*passages, "sentence"))
        }
        Progress::Remembered { statements, .. } => {
            format!("added {} to the memory", count(*statements, "statement"))
        }
        Progress::Again { attempt } => {
            format!("the reply was interrupted; attempt {attempt}, from the start")
        }
        Progress::Notice(notice) => format!("note: {}", single_line(&notice.to_string())),
    };
    let more: &[String] = match progress {
        Progress::Remembered { lines, .. } => lines,
        _ => &[],
    };
    let more = more.iter().map(|it| format!("  {}", single_line(it)));
    let lines = [line].into_iter().chain(more);
    let lines = lines.map(|line| Block::Line(Weight::Note, vec![faint(line)]));
    Notice::named("told", json!(progress)).with(lines.collect())
}

/// Files that the model does not get, named before its first words. Those that it can look up are the first `reachable`.
pub(super) fn omissions(files: &[Entry], reachable: usize) -> Vec<Notice> {
    let is_left = |entry: &&Entry| !matches!(entry.fate, Fate::Whole { .. });
    let files = files.get(reachable..).unwrap_or_default();
    let left: Vec<&Entry> = files.iter().filter(is_left).collect();
    let named = left.iter().take(MOST_NAMED);
    let mut lines: Vec<String> = named.map(|entry| format!("  {entry}")).collect();
    if left.len() > MOST_NAMED {
        let more = left.len() - MOST_NAMED;
        lines.push(format!(
            "  and {more} more: /documents, or `threads show` with --json"
        ));
    }
    let notices = lines.into_iter();
    notices
        .map(|line| Notice::say([faint(line)]).for_people())
        .collect()
}

/// The cost of a call.
pub(super) fn usage(spent: &Spent) -> Notice {
    let line = Block::Line(Weight::Note, vec![faint(cost(spent))]);
    Notice::named("usage", in_micro_usd(json!(spent))).with(vec![line])
}

/// The cost of calls, in a line.
pub(super) fn cost(spent: &Spent) -> String {
    let model = &spent.model;
    let tokens = match spent.uncounted < spent.calls {
        true => format!("{} + {} tokens", spent.tokens.input, spent.tokens.output),
        false => "tokens n/a".to_owned(),
    };
    let cached = match spent.tokens.cached {
        0 => String::new(),
        cached => format!(" ({cached} cached)"),
    };
    let cost = match spent.cost {
        Some(cost) if cost.as_micros() == 0 => "free".to_owned(),
        Some(cost) => cost.to_string(),
        None => "price n/a".to_owned(),
    };
    format!("{model} · {tokens}{cached} · {cost}")
}
