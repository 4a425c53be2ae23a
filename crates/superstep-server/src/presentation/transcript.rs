//! The conversation of a thread: its turns by the agent, or what its runs were given and what the agent reports.

use serde_json::Value as Json;
use superstep::{RunRecord, dynamic::Resume, runs::QueuedInput};
use superstep_agent::{Card, Notice, OpenAgent, Speaker, Turn};

use crate::runs::view::{is_taken_back, status};

/// The most turns that are shown; earlier ones are left out.
const MOST: usize = 400;

/// The turns of a thread, oldest first. `runs` are newest first; `report` is what the agent reports of a finished thread.
pub(super) fn transcript(
    agent: &dyn OpenAgent,
    card: &Card,
    values: &Json,
    runs: &[RunRecord],
    report: &[Notice],
) -> Vec<Turn> {
    let mut turns = agent.turns(values);
    if turns.is_empty() {
        turns = runs.iter().rev().flat_map(|run| given(card, run)).collect();
        if !report.is_empty() {
            let newest = runs.first();
            turns.push(Turn {
                at: newest.and_then(|run| run.ended),
                run: newest.map(|run| run.id.to_string()),
                ..Turn::shown(report.to_vec())
            });
        }
    } else if let Some(last) = runs.iter().find(|run| is_new_input(run))
        && status(last) != "success"
    {
        // What a run is working on, or failed at, may not be in the values. What one ended with is, or is on another branch.
        let said = |text: &str| {
            let mut own = turns.iter().filter(|turn| turn.role == Speaker::Person);
            own.any(|turn| turn.text.as_deref().map(str::trim) == Some(text.trim()))
        };
        let new = given(card, last).into_iter();
        let new: Vec<Turn> = new
            .filter(|turn| turn.text.as_deref().is_some_and(|text| !said(text)))
            .collect();
        turns.extend(new);
    }
    let early = turns.len().saturating_sub(MOST);
    turns.split_off(early)
}

fn is_new_input(run: &RunRecord) -> bool {
    let queued = run.queued.as_ref();
    queued.is_some_and(|queued| matches!(queued.input, QueuedInput::Value(_)))
}

/// What a person gave a run: the words of its input, or answers.
fn given(card: &Card, run: &RunRecord) -> Vec<Turn> {
    let Some(queued) = run.queued.as_ref().filter(|_| !is_taken_back(run)) else {
        return Vec::new();
    };
    let turns = match &queued.input {
        QueuedInput::Value(input) => {
            let input = input.to_json();
            match card.words_of(&input) {
                Some(words) => vec![Turn::person(words)],
                None => said(input.get("messages")),
            }
        }
        QueuedInput::Command(_, Some(Resume::ById(answers))) => {
            let answers = answers.values().map(|answer| answer.to_json());
            answers
                .map(|answer| Turn::person(in_words(&answer)))
                .collect()
        }
        _ => Vec::new(),
    };
    let of_run = |turn| Turn {
        at: Some(run.created),
        run: Some(run.id.to_string()),
        ..turn
    };
    turns.into_iter().map(of_run).collect()
}

/// Messages of the person.
fn said(messages: Option<&Json>) -> Vec<Turn> {
    let turns = messages.map(Turn::of_messages).unwrap_or_default();
    let turns = turns.into_iter();
    turns.filter(|turn| turn.role == Speaker::Person).collect()
}

/// An answer in words: a text as it is, and the type of a verdict with its words.
fn in_words(answer: &Json) -> String {
    let one = match answer.as_array().map(Vec::as_slice) {
        Some([one]) => one,
        _ => answer,
    };
    let verdict = one.get("type").and_then(Json::as_str);
    let words = one.get("args").and_then(Json::as_str);
    match (one, verdict, words) {
        (Json::String(text), ..) => text.clone(),
        (Json::Bool(true), ..) => "Yes".to_owned(),
        (Json::Bool(false), ..) => "No".to_owned(),
        (_, Some(_), Some(words)) => words.to_owned(),
        (_, Some(verdict), None) => verdict.to_owned(),
        (other, None, _) => other.to_string(),
    }
}
