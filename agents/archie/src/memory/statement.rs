//! Statements of a person: what a model takes from a conversation, checked against the person's own words.

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    model::{Schema, SchemaError},
    text::single_line,
};

use super::{Memory, Source};

/// The document of a source that is a person.
const PERSON: &str = "user";

/// How much is taken from one conversation.
const MOST: usize = 16;
const LONGEST: usize = 400;

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
    /// The statements whose words the person said, and how many there are that they did not.
    pub(crate) fn checked(self, said: &[String], date: &str) -> (Vec<Statement>, usize) {
        let said: Vec<String> = said.iter().map(|words| key(words)).collect();
        let is_said = |quote: &str| {
            let quote = key(quote.trim_matches(['"', '“', '”', '„']));
            !quote.is_empty() && said.iter().any(|words| words.contains(&quote))
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
    /// Takes over what the person stated in a thread, in place of what that thread stated before. Gives how many statements
    /// are new.
    pub fn state(&mut self, thread: &str, about: &str, statements: &[Statement]) -> usize {
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
        self.statements.iter().filter(is_new).count()
    }
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
        ];
        let found = stated(&[
            ("One server stays.", "“we stay with one server”"),
            ("The queue is taken.", "yes, the second one"),
            ("Everything is free.", "it costs nothing"),
            ("Nothing.", " "),
            (" ", "server"),
        ]);
        let (statements, dropped) = found.checked(&said, "2026-03-02");
        let texts: Vec<&str> = statements.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(
            (texts, dropped),
            (vec!["One server stays.", "The queue is taken."], 3)
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
        assert_eq!(
            memory.state("a", "shop", &[one("One server."), one("No queue.")]),
            2
        );
        assert_eq!(memory.state("b", "shop", &[one("one  SERVER.")]), 0);
        assert_eq!(memory.state("a", "shop", &[one("Two servers.")]), 1);
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
}
