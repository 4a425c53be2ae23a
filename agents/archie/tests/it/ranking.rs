//! How often the right section is among those that a model is shown: questions about a large folder with identifiers, twins
//! and deep sections, whose right lines are known.

use std::{fmt::Write, sync::Arc};

use superstep::model::{Script, script::Step};
use superstep_archie::Settings;

use crate::support::{TestEnv, answer, begin};

/// A question, the heading of the section that answers it, and its line.
const QUESTIONS: [[&str; 3]; 12] = [
    [
        "What is the default window size, and what is its limit?",
        "Settings object",
        "* `initialWindowSize` is `65535` bytes if nothing is set.",
    ],
    [
        "Do writes and compression compete for the same threads? How large is that pool?",
        "Threadpool usage",
        "All calls share four workers, set by `WORKER_POOL`.",
    ],
    [
        "In which unit is the memory of a session counted?",
        "Limits of sessions",
        "`maxSessionMemory` is counted in megabytes.",
    ],
    [
        "Which function renames a file?",
        "`fs.renameSync(from, to)`",
        "Takes two paths and gives nothing back.",
    ],
    [
        "Is exists() deprecated?",
        "`fs.exists(path)`",
        "Stability: 0, use `access` for new code.",
    ],
    [
        "what happens when the client is aborting a request",
        "Event: aborted",
        "It is emitted once, before `close`.",
    ],
    [
        "How do I find the number of processors?",
        "`os.processorCount()`",
        "It is never zero.",
    ],
    [
        "Wie lang darf die HeaderListe sein?",
        "Header lists",
        "`maxHeaderListSize` counts octets.",
    ],
    [
        "What does ENOSPC mean?",
        "Error constants",
        "| `ENOSPC` | no space is left on the device |",
    ],
    [
        "Can a worker share its environment?",
        "`SHARE_ENV`",
        "Both then see the same variables.",
    ],
    [
        "How are backpressured streams buffered?",
        "Buffering",
        "`write` says false above the `highWaterMark`.",
    ],
    [
        "Which scheduling policy do clusters have?",
        "`cluster.schedulingPolicy`",
        "Round robin, save on one system.",
    ],
];

/// Words of the sections that answer nothing, some of them in the questions too.
const FILLER: [&str; 24] = [
    "file", "stream", "what", "default", "request", "function", "client", "session", "write",
    "same", "number", "value", "returns", "callback", "large", "option", "object", "server",
    "class", "path", "memory", "data", "event", "error",
];

/// A section that answers nothing. Every fifth is followed by a twin.
fn filler(number: usize) -> String {
    let words = (0..90).map(|at| FILLER[(number * 7 + at * (1 + number % 5)) % FILLER.len()]);
    let words: Vec<&str> = words.collect();
    let lines: Vec<String> = words.chunks(9).map(|line| line.join(" ")).collect();
    let section = |name: &str| format!("#### `part{number}.{name}()`\n\n{}.\n\n", lines.join("\n"));
    match number % 5 {
        0 => section("start") + &section("startSync"),
        _ => section("start"),
    }
}

fn folder() -> TestEnv {
    let env = TestEnv::new();
    for document in 0..6 {
        let mut text = format!("# Document {document}\n\n## Reference\n\n");
        for part in 0..40 {
            write!(text, "{}", filler(document * 40 + part)).unwrap();
            if part == 31 || part == 37 {
                let [_, heading, line] = QUESTIONS[document * 2 + usize::from(part == 37)];
                write!(text, "#### {heading}\n\n{line}\n\n{}", filler(3)).unwrap();
            }
        }
        env.write(&format!("{document}.md"), text.as_bytes());
    }
    env
}

#[tokio::test]
async fn the_section_that_answers_a_question_is_among_those_that_are_shown() {
    let env = folder();
    let model = Arc::new(Script::new([Step::text("So it is.").always()]));
    let settings = Settings {
        document_tokens: Some(8_000),
        ..Settings::default()
    };
    let archie = env.archie_with(model.clone(), settings);
    begin(&archie, "t", &env.brief("We write a service.")).await;
    let mut missed = Vec::new();
    for [question, _, line] in QUESTIONS {
        answer(&archie, "t", question).await;
        let seen = model.seen();
        let messages = &seen.last().unwrap().messages;
        let shown = messages[messages.len() - 2].text();
        if !shown.contains(&format!(": {line}\n")) {
            missed.push(question);
        }
    }
    assert_eq!(missed, [""; 0]);
}
