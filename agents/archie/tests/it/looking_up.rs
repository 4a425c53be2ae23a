//! Large folders: sections that are close to the message, tools for the rest, and citations that are checked.

use std::{fmt::Write, sync::Arc};

use serde_json::json;
use superstep::{
    Event,
    model::{Caps, Finish, Request, Script, ToolChoice, script::Step},
};
use superstep_archie::{Progress, Settings, Stage};

use crate::support::{TestEnv, answer, begin, question, said, says};

/// A manual whose parts fill far more than a small budget; part 70 has the line that is asked about.
fn manual() -> String {
    let mut text = String::from("# Manual\n\n");
    for part in 1..=90 {
        let about = match part {
            70 => "`pool.maxIdle` is the number of idle connections; the default is 30.",
            _ => "It does what its name says, and nothing else is known about it.",
        };
        let filler = "More words follow that say little. ".repeat(12);
        writeln!(text, "## Part {part}\n\n{about}\n\n{filler}\n").unwrap();
    }
    text
}

/// Where the line is.
const LINE: &str =
    "manual.md:419: `pool.maxIdle` is the number of idle connections; the default is 30.";

fn little() -> Settings {
    Settings {
        document_tokens: Some(4_000),
        ..Settings::default()
    }
}

fn last(request: &Request) -> String {
    request.messages.last().unwrap().text()
}

#[tokio::test]
async fn a_model_with_tools_reads_any_place_of_a_large_folder() {
    let env = TestEnv::with(&[("manual.md", &manual()), ("notes.md", "The pool is ours.")]);
    let model = Arc::new(Script::new([
        Step::call("search", json!({"text": "POOL.maxidle"})),
        Step::call(
            "read",
            json!({"document": "manual.md", "from": 417, "to": 419}),
        ),
        Step::text("30 by default [manual.md:419]."),
    ]));
    let archie = env.archie_with(model.clone(), little());
    let input = archie.analyze(&env.brief("How large may it be?"));
    let mut events = archie.graph().stream("t", input);
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        if let Event::Custom(value) = event {
            told.push(value.take::<Progress>().unwrap());
        }
    }
    assert_eq!(
        question(&archie, "t").await.query,
        "30 by default [manual.md:419]."
    );
    let looked_up: Vec<&str> = told
        .iter()
        .filter_map(|it| match it {
            Progress::LookedUp { what, .. } => Some(what.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(looked_up, ["POOL.maxidle", "manual.md:417"]);

    let seen = model.seen();
    let [first, second, third] = seen.as_slice() else {
        panic!("three calls: {}", seen.len());
    };
    let overview = first.messages[1].text();
    assert!(overview.contains("- manual.md (542 lines)"), "{overview}");
    let tools: Vec<&str> = first.tools.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(tools, ["read", "search"]);
    assert!(last(second).contains(LINE), "{}", last(second));
    let read = last(third);
    assert!(
        read.starts_with("manual.md, lines 417-419 of 542:\n417: ## Part 70\n\n419: "),
        "{read}"
    );
    // The calls are no part of what was said, and each was paid for.
    let state = archie.graph().state("t").await.unwrap().state;
    assert_eq!(said(&state).len(), 2);
    let usage: Vec<_> = state.usage.iter().map(|it| (it.stage, it.turn)).collect();
    assert_eq!(usage, [(Some(Stage::Initial), 1); 3]);
}

#[tokio::test]
async fn sections_close_to_each_message_are_shown_with_their_lines() {
    let env = TestEnv::with(&[("manual.md", &manual())]);
    let model = says(["What about it?", "So it is."]);
    let archie = env.archie_with(model.clone(), little());
    begin(&archie, "t", &env.brief("What is pool.maxIdle?")).await;
    answer(&archie, "t", "And what is part 12?").await;
    let shown = |request: &Request| request.messages[request.messages.len() - 2].text();
    let seen = model.seen();
    let first = shown(&seen[0]);
    assert!(
        first.contains("419: `pool.maxIdle` is the number"),
        "{first}"
    );
    let second = shown(&seen[1]);
    assert!(second.contains("69: ## Part 12\n"), "{second}");
    // What stays the same comes first, so a provider reads it once.
    assert_eq!(seen[0].messages[..2], seen[1].messages[..2]);
}

#[tokio::test]
async fn what_fits_is_shown_whole_and_no_tool_is_offered() {
    let env = TestEnv::with(&[("manual.md", &manual())]);
    let model = says(["Why?"]);
    let archie = env.archie(model.clone());
    begin(&archie, "t", &env.brief("What is part 3?")).await;
    let request = &model.seen()[0];
    assert!(request.tools.is_empty());
    assert!(request.messages[1].text().contains("537: ## Part 90\n"));
}

#[tokio::test]
async fn a_model_without_tools_gets_the_closest_sections_and_is_told_so() {
    let env = TestEnv::with(&[("manual.md", &manual())]);
    let mut caps = Caps::local();
    caps.tools = false;
    let model = Script::new([Step::text("30.")]).with_caps(caps);
    let model = Arc::new(model);
    let archie = env.archie_with(model.clone(), little());
    let outcome = begin(&archie, "t", &env.brief("What is pool.maxIdle?")).await;
    let request = &model.seen()[0];
    assert!(request.tools.is_empty());
    let shown = request.messages[1].text();
    assert!(
        shown.contains("419: `pool.maxIdle` is the number"),
        "{shown}"
    );
    assert!(last(request).contains("Not all of the documents are shown"));
    let notices = &outcome.state().notices;
    assert!(notices[0].message.contains("sections of it"), "{notices:?}");
}

#[tokio::test]
async fn nothing_but_the_documents_can_be_read_and_not_without_end() {
    let env = TestEnv::with(&[("manual.md", &manual())]);
    let outside = env.path("secret.md");
    std::fs::write(&outside, "SECRET").unwrap();
    let names = ["../secret.md", &outside.to_string_lossy()];
    let steps = names.map(|name| Step::call("read", json!({"document": name})));
    let more = Step::call("read", json!({"document": "manual.md", "to": 400}));
    let steps = steps.into_iter().chain([
        Step::call("read", json!({"from": 1})),
        more.times(9),
        Step::text("Enough."),
    ]);
    let model = Arc::new(Script::new(steps));
    let archie = env.archie_with(model.clone(), little());
    begin(&archie, "t", &env.brief("What is known?")).await;
    assert_eq!(question(&archie, "t").await.query, "Enough.");
    let seen = model.seen();
    assert_eq!(seen.len(), 13);
    for at in [1, 2] {
        let found = last(&seen[at]);
        assert!(found.contains("is not one of the documents"), "{found}");
    }
    assert!(last(&seen[3]).contains("`document` is missing"));
    assert!(last(&seen[12]).contains("nothing more can be looked up in this turn"));
    assert_eq!(seen[11].tool_choice, ToolChoice::Auto);
    assert_eq!(seen[12].tool_choice, ToolChoice::None);
    let read: usize = seen[12].messages.iter().map(|it| it.text().len()).sum();
    assert!(read < 40_000, "{read} bytes");
}

#[tokio::test]
async fn a_citation_that_points_to_nothing_is_put_right_or_marked() {
    let env = TestEnv::with(&[("a.md", "The shop has 40 rows.\nIt has 3 doors.")]);
    let replies = [
        "It has 40 rows [a.md:1], 3 doors [a.md:9] and 7 owners [b.md:2].",
        "[a.md:2]\nnone",
    ];
    let model = says(replies);
    let archie = env.archie(model.clone());
    let outcome = begin(&archie, "t", &env.brief("What is it?")).await;
    let reply = "It has 40 rows [a.md:1], 3 doors [a.md:2] and 7 owners [b.md:2 — not found].";
    assert_eq!(question(&archie, "t").await.query, reply);
    let state = outcome.state();
    assert_eq!(said(state), ["What is it?", reply]);
    let notices: Vec<&str> = state.notices.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(
        notices,
        [
            "citations that pointed to nothing were put right: a.md:9 is now a.md:2",
            "citations that point to nothing are marked: b.md:2 (there is no such document)",
        ]
    );
    let asked = last(&model.seen()[1]);
    assert!(
        asked.contains("1. [a.md:9]: it has 2 lines\n2. [b.md:2]: there is no such document\n"),
        "{asked}"
    );
    assert_eq!(state.usage.len(), 2);
}

#[tokio::test]
async fn a_reply_that_was_cut_is_continued() {
    let env = TestEnv::with(&[("a.md", "text")]);
    let cut = Step {
        finish: Some(Finish::Length),
        ..Step::text("One, two,")
    };
    let model = Arc::new(Script::new([cut, Step::text(" three.")]));
    let archie = env.archie(model.clone());
    let outcome = begin(&archie, "t", &env.brief("Count")).await;
    assert_eq!(said(outcome.state()), ["Count", "One, two, three."]);
    assert_eq!(outcome.state().notices, []);
    let more = &model.seen()[1].messages;
    assert_eq!(more[more.len() - 2].text(), "One, two,");
}

#[tokio::test]
async fn a_figure_of_a_result_must_be_in_a_document_that_is_cited() {
    let env = TestEnv::with(&[
        ("a.md", "The shop has 40 rows."),
        ("b.md", "250 people came."),
    ]);
    let replies = ["Why?", "# Rows\n\n40 rows [a.md:1] for 250 EUR."];
    let archie = env.archie(says(replies));
    begin(&archie, "t", &env.brief("What is it?")).await;
    let state = answer(&archie, "t", "/approve").await.done().unwrap();
    let notices: Vec<&str> = state.notices.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(
        notices,
        ["figures that are in no cited document and that you did not name: 250"]
    );
}
