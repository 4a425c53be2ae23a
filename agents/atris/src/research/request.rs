//! The beginning of the conversation with a model: how it works, what was asked before, the question.
//!
//! Earlier answers hold text from records of strangers, so they stand between the marks of untrusted data. The
//! question is the person's own.

use std::fmt::Write as _;

use jiff::Zoned;
use serde_json::{Value as Json, json};
use superstep::model::Message;

use super::is_offered;
use crate::{
    answer::Answer,
    catalogue::{Catalogue, Operation},
    error::Error,
    mention::Mention,
    settings::Settings,
};

const HOW: &str = include_str!("../../prompts/research.md");

/// The most earlier answers that a model reads, and the most things named by each.
const MAX_EARLIER: usize = 6;
const MAX_NAMED: usize = 12;

/// The conversation before the first reply. The day is the real one unless settings give it.
pub(crate) fn messages(
    before: &[Answer],
    question: &str,
    settings: &Settings,
) -> Result<Vec<Message>, Error> {
    let today = settings.today.as_deref().map_or_else(
        || {
            Zoned::now()
                .strftime("%A, %Y-%m-%d, time zone %Q")
                .to_string()
        },
        str::to_owned,
    );
    let mut system =
        format!("{HOW}\nOperations by group (find_operations shows their parameters):\n");
    for (group, ids) in groups(Catalogue::get()?, settings.client.token.is_some()) {
        writeln!(system, "- {group}: {}", ids.join(", ")).ok();
    }
    // What changes from day to day comes last: providers keep what is before it.
    write!(system, "\nToday is {today}.").ok();
    let mut messages = vec![Message::system(system)];
    let earlier = before.iter().rev().take(MAX_EARLIER);
    let earlier: Vec<Json> = earlier.rev().map(told).collect();
    if !earlier.is_empty() {
        let said = "Next comes what was asked and answered before in this conversation, oldest first. It shows what words \
            such as \"they\", \"it\" or \"the second one\" mean. After it comes the question to answer now.";
        messages.push(Message::user(said));
        messages.push(Message::untrusted(Json::from(earlier).to_string()));
    }
    messages.push(Message::user(question));
    Ok(messages)
}

/// An earlier answer with what it named.
fn told(answer: &Answer) -> Json {
    let named = |all: &[Mention]| -> Vec<Json> {
        let all = all.iter().take(MAX_NAMED);
        all.map(
            |it| json!({"is": it.entity_type, "id": it.id, "name": it.name, "handle": it.handle}),
        )
        .collect()
    };
    json!({
        "question": answer.question,
        "understood": answer.understood,
        "answer": answer.answer,
        "about": named(&answer.mentions.subjects),
        "listed": named(&answer.mentions.listed),
    })
}

/// The operations that can be called, by group.
fn groups(catalogue: &Catalogue, has_token: bool) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let offered = |it: &&Operation| is_offered(it, has_token);
    for operation in catalogue.operations().iter().filter(offered) {
        let (group, id) = (operation.tag.as_str(), operation.id.as_str());
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, ids)) => ids.push(id),
            None => groups.push((group, vec![id])),
        }
    }
    groups
}
