//! Statements of a person: what a model takes from a conversation, checked against the person's own words.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    model::{Schema, SchemaError},
    text::single_line,
};

use super::{Memory, Source};
use crate::approval::{Keywords, Verdict};

/// The document of a source that is a person.
const PERSON: &str = "user";

/// How much is taken from one conversation.
const MOST: usize = 16;
const LONGEST: usize = 400;

/// How many words a quote has at least, unless it is a whole message.
const FEWEST_WORDS: usize = 3;

/// Something a person stated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Statement {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: StatementKind,
    /// The statement, in a sentence.
    pub text: String,
    /// The words of the person that it rests on.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub quote: String,
    /// The folder of documents it was said about.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The day it was said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// The threads it is known from.
    pub sources: Vec<Source>,
}

/// Kinds of statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementKind {
    /// Something was decided.
    Decision,
    /// Something is so.
    #[default]
    Fact,
    /// Something is preferred, or limited.
    Preference,
}

impl StatementKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Fact => "fact",
            Self::Preference => "preference",
        }
    }
}

impl fmt::Display for Statement {
    /// On one line, with the words it rests on.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, text) = (self.kind.name(), single_line(&self.text));
        write!(f, "{kind}: {text} (“{}”)", single_line(&self.quote))
    }
}

/// What a model found in a conversation.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Stated {
    statements: Vec<Quoted>,
}

#[derive(Clone, Debug, Deserialize)]
struct Quoted {
    kind: StatementKind,
    statement: String,
    quote: String,
}

/// The shape of what a model is asked for.
pub(crate) fn schema() -> Result<Schema, SchemaError> {
    let text = json!({"type": "string"});
    let statement = json!({
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["decision", "fact", "preference"]},
            "statement": text,
            "quote": text,
        },
        "required": ["kind", "statement", "quote"],
        "additionalProperties": false,
    });
    Schema::new(
        "statements",
        json!({
            "type": "object",
            "properties": {"statements": {"type": "array", "items": statement}},
            "required": ["statements"],
            "additionalProperties": false,
        }),
    )
}

impl Stated {
    /// The statements that rest on words of the person, and how many there are that do not. A quote is a run of whole words
    /// of one message: several, or all of a short message. Words that approve a result state nothing.
    pub(crate) fn checked(
        self,
        said: &[String],
        keywords: &Keywords,
        date: &str,
    ) -> (Vec<Statement>, usize) {
        let said = said.iter().map(|text| (words(text), keywords.judge(text)));
        let said: Vec<(Vec<String>, Verdict)> = said.collect();
        let is_said = |quote: &str| {
            let (judged, quote) = (keywords.judge(quote), words(quote));
            let is_in = |(message, verdict): &(Vec<String>, Verdict)| {
                let is_statement = match verdict {
                    Verdict::Approves => false,
                    Verdict::MayApprove => judged == Verdict::GoesOn,
                    Verdict::GoesOn => judged != Verdict::Approves,
                };
                let is_enough = quote.len() >= FEWEST_WORDS || quote == *message;
                let mut runs = message.windows(quote.len().max(1));
                is_statement && is_enough && runs.any(|run| run == quote)
            };
            said.iter().any(is_in)
        };
        let short = |text: &str| single_line(text).chars().take(LONGEST).collect::<String>();
        let all = self.statements.into_iter().take(MOST);
        let (right, wrong): (Vec<Quoted>, Vec<Quoted>) =
            all.partition(|it| is_said(&it.quote) && !it.statement.trim().is_empty());
        let statements = right.into_iter().map(|it| Statement {
            kind: it.kind,
            text: short(&it.statement),
            quote: short(&it.quote),
            date: date.to_owned(),
            ..Statement::default()
        });
        (statements.collect(), wrong.len())
    }
}

impl Memory {
    /// Takes over what the person stated in a thread, in place of what that thread stated before. Gives the statements that
    /// are new.
    pub fn state(&mut self, thread: &str, about: &str, statements: &[Statement]) -> Vec<Statement> {
        let known: Vec<String> = self.statements.iter().map(|it| key(&it.text)).collect();
        self.statements.retain_mut(|it| {
            let before = it.sources.len();
            it.sources.retain(|source| source.thread != thread);
            before == 0 || !it.sources.is_empty()
        });
        let source = Source {
            thread: thread.to_owned(),
            document: PERSON.to_owned(),
        };
        for statement in statements {
            let name = key(&statement.text);
            match self.statements.iter_mut().find(|it| key(&it.text) == name) {
                Some(known) if known.sources.contains(&source) => {}
                Some(known) => known.sources.push(source.clone()),
                None => self.statements.push(Statement {
                    about: about.to_owned(),
                    sources: vec![source.clone()],
                    ..statement.clone()
                }),
            }
        }
        let is_new = |it: &&Statement| !known.contains(&key(&it.text));
        self.statements.iter().filter(is_new).cloned().collect()
    }

    /// Leaves out what is known from this thread alone, which has the person's own words.
    pub(crate) fn forget(&mut self, thread: &str) {
        let is_other = |source: &Source| source.thread != thread;
        self.statements
            .retain(|it| it.sources.is_empty() || it.sources.iter().any(is_other));
    }
}

/// The words of a text in lower case, without punctuation. In a script that has no blanks, each character is one.
fn words(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for c in text.chars() {
        // Chinese, Japanese and Thai.
        let is_alone =
            matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{e00}'..='\u{e7f}');
        if is_alone || !c.is_alphanumeric() {
            all.push(String::new());
        }
        if let Some(last) = all.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
        if is_alone {
            all.push(String::new());
        }
    }
    all.retain(|word| !word.is_empty());
    all
}

/// What makes texts equal.
fn key(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(pairs: &[(&str, &str)]) -> Stated {
        let statements = pairs.iter().map(|(statement, quote)| Quoted {
            kind: StatementKind::Decision,
            statement: (*statement).into(),
            quote: (*quote).into(),
        });
        Stated {
            statements: statements.collect(),
        }
    }

    #[test]
    fn words_that_the_person_did_not_say_carry_no_statement() {
        let said = [
            "We stay with one\n server.".to_owned(),
            "yes, the second one".to_owned(),
            "キューを一つ使います".to_owned(),
            "Take two queues, then we are done.".to_owned(),
            "/approve".to_owned(),
        ];
        let found = stated(&[
            ("One server stays.", "“we stay with one server”"),
            ("The queue is taken.", "yes, the second one"),
            ("Everything is free.", "it costs nothing"),
            ("Nothing.", " "),
            (" ", "we stay with one server"),
            ("One queue is used.", "キューを一つ"),
            ("Two queues.", "Take two queues"),
            ("Sixteen streams, as proposed.", "/approve"),
            ("Sixteen streams, as proposed.", "we are done"),
            ("Sixteen streams, as proposed.", "a"),
            ("Sixteen streams, as proposed.", "we stay"),
            ("Sixteen streams, as proposed.", "ay with one serv"),
        ]);
        let (statements, dropped) = found.checked(&said, &Keywords::default(), "2026-03-02");
        let texts: Vec<&str> = statements.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(
            (texts, dropped),
            (
                vec![
                    "One server stays.", "The queue is taken.", "One queue is used.", "Two queues."
                ],
                8
            )
        );
    }

    #[test]
    fn a_thread_replaces_its_own_statements_and_no_others() {
        let one = |text: &str| Statement {
            text: text.into(),
            ..Statement::default()
        };
        let mut memory = Memory {
            statements: vec![one("Written by hand.")],
            ..Memory::default()
        };
        let new = memory.state("a", "shop", &[one("One server."), one("No queue.")]);
        assert_eq!(new.len(), 2);
        assert_eq!(memory.state("b", "shop", &[one("one  SERVER.")]), []);
        let new = memory.state("a", "shop", &[one("Two servers.")]);
        assert_eq!(new.len(), 1);
        let texts: Vec<(&str, usize)> = memory
            .statements
            .iter()
            .map(|it| (it.text.as_str(), it.sources.len()))
            .collect();
        let wanted = [
            ("Written by hand.", 0),
            ("One server.", 1),
            ("Two servers.", 1),
        ];
        assert_eq!(texts, wanted);
    }

    #[test]
    fn what_a_thread_stated_alone_is_left_out_for_it() {
        let one = |text: &str| Statement {
            text: text.into(),
            ..Statement::default()
        };
        let mut memory = Memory {
            statements: vec![one("Written by hand.")],
            ..Memory::default()
        };
        memory.state("a", "shop", &[one("One server."), one("No queue.")]);
        memory.state("b", "shop", &[one("No queue.")]);
        memory.forget("a");
        let texts: Vec<&str> = memory.statements.iter().map(|it| &*it.text).collect();
        assert_eq!(texts, ["Written by hand.", "No queue."]);
    }
}
