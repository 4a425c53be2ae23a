//! `cargo xtask crash`: every campaign of the crash crate, and the table of `docs/reliability.md` with
//! what they gave.
//!
//! A campaign that fails, or that could not be run, makes the whole of it fail.

use std::collections::BTreeMap;

use crate::cargo::Cargo;
use crate::error::Error;
use crate::workspace::Workspace;

const PROGRAM: &str = "run --release -q -p superstep-crash --";

/// A row of the table.
struct Row {
    name: &'static str,
    what: &'static str,
    /// The words of the program, one command after the other.
    commands: &'static [&'static str],
}

/// What is run, in this order.
const ROWS: [Row; 12] = [
    Row {
        name: "kills",
        what: "a worker dies before, within and after each write, sync, truncation and deletion \
               that SQLite makes, and at each named point of the saver",
        commands: &["matrix --at ops --ways all", "matrix --at points"],
    },
    Row {
        name: "two kills",
        what: "the second worker dies too, while it recovers",
        commands: &["matrix --at pairs --pairs 200"],
    },
    Row {
        name: "kills by the system",
        what: "the same from outside, at each system call that changes a file",
        commands: &["strace"],
    },
    Row {
        name: "power cuts",
        what: "the disk holds what was synced, or that and any part of the rest",
        commands: &["power --seeds 2", "power --seeds 1 --durability normal"],
    },
    Row {
        name: "failed syncs",
        what: "each sync fails once and Linux drops what it should have written; later the power is cut",
        commands: &["syncs"],
    },
    Row {
        name: "disk faults",
        what: "each I/O fails once or from then on: error, no room, half a write",
        commands: &["faults --width turns"],
    },
    Row {
        name: "damage",
        what: "each bit of the header of the write-ahead log flipped, its beginning moved, removed or \
               overwritten, the log cut, bits flipped anywhere, the file cut, foreign files",
        commands: &["damage --flips 2000 --step 3"],
    },
    Row {
        name: "files",
        what: "links, a log without its file, a file removed, replaced or of a newer format while \
               it is open, wall clocks a day apart, processes killed as they open",
        commands: &["files --rounds 20"],
    },
    Row {
        name: "resumers",
        what: "64 answers to one question at once, as threads and as processes",
        commands: &[
            "resumers --rounds 500 --threads 64",
            "resumers --rounds 100 --processes 64",
        ],
    },
    Row {
        name: "stopped worker",
        what: "a worker is stopped past its lease, another takes over, the first wakes up",
        commands: &["stopped --rounds 100"],
    },
    Row {
        name: "recovery",
        what: "kill -9, then open and resume, with 10,000 steps",
        commands: &["recover --steps 10000"],
    },
    Row {
        name: "load",
        what: "10,000 threads of 10 steps, then 10,000 open questions",
        commands: &["load --threads 10000"],
    },
];

/// Runs them all, also when one has failed; the closing text is the table.
pub(crate) fn run(workspace: &Workspace) -> Result<String, Error> {
    let (mut table, mut failed) = (String::new(), Vec::new());
    for row in &ROWS {
        let mut results = Vec::new();
        for campaign in row.commands {
            let mut lines = Vec::new();
            let command = format!("{PROGRAM} {campaign}");
            let outcome = Cargo::new(&workspace.root, &command).run_lines(|line| {
                println!("{line}");
                lines.extend(Line::parse(line));
            });
            if let Err(error) = outcome {
                println!("{error}");
                failed.push(*campaign);
            }
            results.push(sum(&lines));
        }
        table.push_str(&row.shown(&results.join("; ")));
        table.push('\n');
    }
    let table = format!("\n{HEAD}{table}");
    if failed.is_empty() {
        return Ok(format!("{table}\ncrash: all campaigns ran and passed"));
    }
    println!("{table}");
    Err(Error::failed("crash", failed.join(", ")))
}

/// How the table begins.
const HEAD: &str = "| campaign | what is done | commands | result |\n|---|---|---|---|\n";

impl Row {
    /// As it is in the document.
    fn shown(&self, result: &str) -> String {
        let commands = self.commands.iter().map(|words| format!("`{words}`"));
        let commands: Vec<String> = commands.collect();
        let (name, what) = (self.name, self.what);
        format!("| {name} | {what} | {} | {result} |", commands.join(", "))
    }
}

/// The line that closes a campaign of one graph, or of one kind.
struct Line {
    name: String,
    /// Name and value, in order.
    figures: Vec<(String, String)>,
}

impl Line {
    /// `name: figure 1, other (a 1, b 2), violations 0, took 1.0 s`
    fn parse(line: &str) -> Option<Self> {
        if !line.contains(", violations ") || !line.contains(", took ") {
            return None;
        }
        let (name, rest) = line.split_once(": ")?;
        let figures = parts(rest).into_iter().filter_map(|part| {
            let is_value = |at: &usize| {
                let rest = part.get(at + 1..).unwrap_or_default();
                rest.starts_with(|c: char| c.is_ascii_digit() || c == '(')
            };
            let at = part.match_indices(' ').map(|(at, _)| at).find(is_value)?;
            let (name, value) = part.split_at(at);
            Some((name.to_owned(), value.trim().to_owned()))
        });
        let mut figures: Vec<_> = figures.filter(|(name, _)| name != "took").collect();
        if let Some(why) = rest.strip_prefix("NOT RUN: ") {
            figures = vec![(format!("NOT RUN: {why}"), String::new())];
        }
        Some(Self {
            name: name.to_owned(),
            figures,
        })
    }
}

/// Cuts at commas that are not inside parentheses.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut begun, mut found) = (0_u32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.extend(text.get(begun..at));
                begun = at + 1;
            }
            _ => {}
        }
    }
    found.extend(text.get(begun..));
    found.into_iter().map(str::trim).collect()
}

/// Numbers of all graphs are added up; of several kinds each has its own.
fn sum(lines: &[Line]) -> String {
    let kinds = lines.iter().filter(|line| line.name.starts_with("damage"));
    if kinds.count() > 1 {
        let kinds = lines.iter().map(|line| {
            let (_, kind) = line.name.split_once(", ").unwrap_or(("", &line.name));
            format!("{kind}: {}", shown(&line.figures))
        });
        return kinds.collect::<Vec<_>>().join("; ");
    }
    let (mut order, mut sums) = (Vec::new(), BTreeMap::<&str, Vec<&str>>::new());
    for (name, value) in lines.iter().flat_map(|line| &line.figures) {
        if !sums.contains_key(name.as_str()) {
            order.push(name);
        }
        sums.entry(name).or_default().push(value);
    }
    let summed = order.into_iter().filter_map(|name| {
        let values = sums.get(name.as_str())?;
        let numbers: Option<Vec<u64>> = values.iter().map(|value| value.parse().ok()).collect();
        let value = match (numbers, values.as_slice()) {
            (Some(numbers), _) => numbers.iter().sum::<u64>().to_string(),
            (None, [one]) => (*one).to_owned(),
            // Lists of what single graphs did are in the output above.
            (None, _) => return None,
        };
        Some((name.clone(), value))
    });
    shown(&summed.collect::<Vec<_>>())
}

/// Figures as in the document; those that are 0 count only for violations.
fn shown(figures: &[(String, String)]) -> String {
    let figures = figures
        .iter()
        .filter(|(name, value)| name == "violations" || (value != "0" && value != "()"));
    let figures = figures.map(|(name, value)| format!("{name} {value}").trim().to_owned());
    figures.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_of_a_campaign_is_told_from_its_violations() {
        let line = Line::parse("stopped: rounds 5, refused 5, violations 0, took 0.9 s").unwrap();
        assert_eq!(shown(&line.figures), "rounds 5, refused 5, violations 0");
        assert!(Line::parse("violation: it took two").is_none());
    }

    #[test]
    fn numbers_of_several_graphs_are_added_up() {
        let lines = [
            "a: cases 5, ends (x 1, y 2), violations 0, took 1 s",
            "b: cases 7, ends (x 3), violations 1, took 2 s",
        ];
        let lines: Vec<Line> = lines.into_iter().filter_map(Line::parse).collect();
        assert_eq!(sum(&lines), "cases 12, violations 1");
    }

    #[test]
    fn a_figure_may_have_a_digit_in_its_name() {
        let line = Line::parse("strace of a: pwrite64 9, violations 0, took 1 s").unwrap();
        assert_eq!(shown(&line.figures), "pwrite64 9, violations 0");
    }

    #[test]
    fn a_campaign_that_was_not_run_says_so_in_the_table() {
        let line = "strace of asks: NOT RUN: strace is missing, violations n/a, took 0.0 s";
        let said = sum(&[Line::parse(line).unwrap()]);
        assert!(said.starts_with("NOT RUN: strace is missing"), "{said}");
    }

    #[test]
    fn kinds_of_damage_keep_their_own_figures() {
        let lines = [
            "damage, torn log: cases 5, empty 0, refused (), violations 0, took 1 s",
            "damage, cut file: cases 7, empty 0, refused (SS2005: 7), violations 0, took 1 s",
        ];
        let lines: Vec<Line> = lines.into_iter().filter_map(Line::parse).collect();
        assert_eq!(
            sum(&lines),
            "torn log: cases 5, violations 0; cut file: cases 7, refused (SS2005: 7), violations 0"
        );
    }

    #[test]
    fn the_document_has_the_rows_that_are_run() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reliability.md");
        let text = std::fs::read_to_string(path).unwrap();
        let mut at = text.find(HEAD).expect("the head of the table");
        for row in &ROWS {
            let shown = row.shown("");
            let begun = shown.trim_end_matches(" |").trim_end();
            let found = text[at..].find(begun);
            at += found.unwrap_or_else(|| panic!("no row `{begun}` in its place"));
        }
    }
}
