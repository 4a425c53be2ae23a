//! Sections made of facts: quotes with their sources, and the person's own words.

use superstep::{model::Body, text::single_line};

use crate::{
    fact::{Fact, Label},
    state::Analysis,
};

/// How many quotes a section of a question has; the result has them all.
const MOST_ASKED: usize = 8;

/// How many items an answer of the person is asked about.
const MOST_OPEN: usize = 6;

/// A quote with its source.
fn quote(fact: &Fact) -> String {
    format!(
        "- “{}” [{}:{}]",
        single_line(&fact.text),
        single_line(&fact.document),
        fact.line
    )
}

fn quotes(facts: &[Fact], label: Label, most: usize) -> Vec<String> {
    let all: Vec<&Fact> = facts.iter().filter(|fact| fact.label == label).collect();
    let mut lines: Vec<String> = all.iter().take(most).map(|fact| quote(fact)).collect();
    if all.len() > most {
        lines.push(format!("- and {} more", all.len() - most));
    }
    lines
}

/// A section with these quotes, or what there is not.
fn section(heading: &str, lines: Vec<String>, none: &str) -> String {
    match lines.is_empty() {
        true => format!("## {heading}\n\n{none}\n"),
        false => format!("## {heading}\n\n{}\n", lines.join("\n")),
    }
}

/// What the person is told and asked: what the documents say, what they leave open, and what nobody judged.
pub(super) fn question(facts: &[Fact], state: &Analysis, is_first: bool) -> String {
    let open = quotes(facts, Label::Open, MOST_OPEN);
    if !is_first {
        let said = single_line(&state.user_input);
        return format!(
            "Noted, in your words: “{said}”\n\nWhat else is decided, or should the analysis say? /approve finishes it."
        );
    }
    let mut text = format!(
        "Goal: {}\n\nWhat the documents say, word for word:\n",
        single_line(&state.user_input)
    );
    for (name, label) in [
        ("Purpose", Label::Purpose),
        ("Parts", Label::Part),
        ("Limits and rules", Label::Rule),
        ("Decided", Label::Decision),
        ("Possible ways", Label::Option),
    ] {
        let lines = quotes(facts, label, MOST_ASKED);
        if !lines.is_empty() {
            text.push_str(&format!("\n{name}:\n{}\n", lines.join("\n")));
        }
    }
    match open.is_empty() {
        true => {
            text.push_str("\nThe documents leave no question open in words that can be found.\n")
        }
        false => text.push_str(&format!("\nLeft open:\n{}\n", open.join("\n"))),
    }
    text.push_str(
        "\nA small model sorted these; it has judged nothing. What do you decide, which of the ways do you take, and why? \
         Your words go into the analysis as they are. /approve finishes it.",
    );
    text
}

/// The person's words behind the goal, in order. An approval is none.
fn said(state: &Analysis) -> Vec<String> {
    let users = state
        .analysis_history
        .iter()
        .filter(|it| matches!(it.body, Body::User { .. }));
    users
        .skip(1)
        .map(|message| message.text().trim().to_owned())
        .filter(|it| !it.is_empty())
        .collect()
}

/// The analysis, with the headings that every profile has.
pub(super) fn analysis(facts: &[Fact], state: &Analysis) -> String {
    let goal = state
        .analysis_history
        .first()
        .map(|message| message.text())
        .unwrap_or_default();
    let all = usize::MAX;
    let nothing = "The documents say nothing about it that was found.";
    let mut summary = vec![format!(
        "Goal, in the words of the person: “{}”",
        single_line(&goal)
    )];
    summary.push(String::new());
    summary.extend(quotes(facts, Label::Purpose, all));
    let said = said(state);
    let own: Vec<String> = said
        .iter()
        .map(|it| format!("- “{}” [conversation]", single_line(it)))
        .collect();
    let mut decisions = own.clone();
    decisions.extend(quotes(facts, Label::Decision, all));
    let mut options = vec![
        "The alternatives were not judged: a small model sorts and quotes, and does not weigh. What speaks for which is for a \
         person to say."
            .to_owned(),
        String::new(),
    ];
    options.extend(quotes(facts, Label::Option, all));
    let mut open = quotes(facts, Label::Open, all);
    if !open.is_empty() && !own.is_empty() {
        open.push(
            "\nWhether what was said in the conversation settles one of them was not judged."
                .to_owned(),
        );
    }
    let mut text = section("Summary", summary, nothing);
    text.push('\n');
    text.push_str(&section(
        "Assumptions",
        quotes(facts, Label::Rule, all),
        nothing,
    ));
    text.push('\n');
    text.push_str(&section(
        "Components",
        quotes(facts, Label::Part, all),
        nothing,
    ));
    text.push('\n');
    text.push_str(&section("Alternatives and trade-offs", options, nothing));
    text.push('\n');
    text.push_str(&section("Decisions and why", decisions, nothing));
    text.push('\n');
    let none =
        "None was found by its words: no sentence asks, and none says that something is open.";
    text.push_str(&section("Open questions", open, none));
    text.push_str(&format!(
        "\n---\n\nEvery quote is word for word from the line it names; {} were read. A model chose the sections, the program made \
         the text.\n",
        match state.inputs.included().count() {
            1 => "one document".to_owned(),
            count => format!("{count} documents"),
        }
    ));
    text
}

/// A context document, with the headings that every profile has.
pub(super) fn context(facts: &[Fact], name: &str) -> String {
    let all = usize::MAX;
    let nothing = "The documents say nothing about it that was found.";
    let mut rules = quotes(facts, Label::Rule, all);
    rules.extend(quotes(facts, Label::Decision, all));
    let parts = [
        section("Purpose", quotes(facts, Label::Purpose, all), nothing),
        section("Parts", quotes(facts, Label::Part, all), nothing),
        section(
            "How they work together",
            Vec::new(),
            "Not worked out: a small model sorts and quotes. The parts above say what each does.",
        ),
        section("Rules and constraints", rules, nothing),
        section("Terms", Vec::new(), "Not collected."),
        section(
            "Not known",
            quotes(facts, Label::Open, all),
            "No sentence asks, and none says that something is open.",
        ),
    ];
    format!("# {}\n\n{}", single_line(name), parts.join("\n"))
}
