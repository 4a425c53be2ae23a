//! A decision of a person, put into words by a model and checked by program.

use serde::Deserialize;
use serde_json::json;
use superstep_model::{Message, Model, ModelError, Schema, SchemaError, Usage};

use super::{Guide, Sources, grounding};

/// How a decision is put into words. Answers are in the field `reply`.
#[derive(Clone, Debug)]
pub struct Wording {
    guide: Guide,
}

/// A text that says what was decided.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Worded {
    /// The text.
    pub text: String,
    /// Who worded it.
    pub by: WordedBy,
    /// What was wrong with what the model wrote last, if that is not the text.
    pub problems: Vec<String>,
    /// What the calls cost together.
    pub usage: Usage,
}

/// Who worded a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordedBy {
    /// The model, at once.
    Model,
    /// The model, when it was told what was wrong.
    Repaired,
    /// The person: what the model wrote did not keep to the decision.
    Person,
}

#[derive(Deserialize)]
struct Written {
    reply: String,
}

/// How much of what is wrong is named to the model.
const MOST_NAMED: usize = 8;

impl Wording {
    /// With these instructions and examples, whose answers are the texts themselves.
    pub fn new(
        name: &str,
        instructions: impl Into<String>,
        examples: &[(&str, &str)],
        longest: usize,
    ) -> Result<Self, SchemaError> {
        let schema = json!({
            "type": "object",
            "properties": {"reply": {"type": "string", "minLength": 1, "maxLength": longest}},
            "required": ["reply"],
            "additionalProperties": false,
        });
        let guide = Guide::form(Schema::new(name, schema)?, instructions);
        let guide = examples.iter().fold(guide, |guide, (asked, reply)| {
            guide.example(*asked, json!({"reply": reply}).to_string())
        });
        Ok(Self { guide })
    }

    /// The same with a limit of what an answer may have.
    #[must_use]
    pub fn max_tokens(mut self, tokens: Option<u32>) -> Self {
        self.guide = self.guide.max_tokens(tokens);
        self
    }

    /// Has the decision put into words. `about` is what the model is asked; `known` is all that the text may name besides
    /// the decision. A text that leaves out words of the decision, says yes for no, or names figures, days or people of its
    /// own is given back once; then `own` is the text.
    pub async fn word(
        &self,
        model: &dyn Model,
        about: Message,
        decision: &str,
        known: &Sources,
        own: &str,
    ) -> Result<Worded, ModelError> {
        let mut sources = known.clone();
        sources.add(decision);
        let mut usage = Usage::default();
        let mut request = self.guide.request(about);
        let mut by = WordedBy::Model;
        loop {
            let schema = self.guide.schema();
            let answer =
                superstep_model::structured::<Written>(model, request.clone(), schema).await?;
            usage += answer.usage;
            let text = answer.value.reply.trim().to_owned();
            let problems = problems(&text, decision, &sources);
            if problems.is_empty() {
                return Ok(Worded {
                    text,
                    by,
                    problems,
                    usage,
                });
            }
            if by == WordedBy::Repaired {
                let text = own.to_owned();
                let by = WordedBy::Person;
                return Ok(Worded {
                    text,
                    by,
                    problems,
                    usage,
                });
            }
            by = WordedBy::Repaired;
            let wrong = format!("Write it again: {}.", problems.join("; "));
            request
                .messages
                .push(Message::model(json!({"reply": text}).to_string()));
            request.messages.push(Message::user(wrong));
        }
    }
}

/// What is wrong with a text, in words a model can act on.
fn problems(text: &str, decision: &str, sources: &Sources) -> Vec<String> {
    if text.is_empty() {
        return vec!["there is no text".to_owned()];
    }
    let named = |words: &[String]| {
        let words: Vec<String> = words
            .iter()
            .take(MOST_NAMED)
            .map(|it| format!("“{it}”"))
            .collect();
        words.join(", ")
    };
    let (missing, added) = (
        grounding::missing(decision, text),
        sources.unsupported(text),
    );
    let mut problems = Vec::new();
    if !missing.is_empty() {
        problems.push(format!("it must say {}", named(&missing)));
    }
    if !added.is_empty() {
        problems.push(format!("nobody said {}, leave it out", named(&added)));
    }
    match (
        grounding::is_negative(decision),
        grounding::is_negative(text),
    ) {
        (true, false) => problems.push("the decision says no, and so must the text".to_owned()),
        (false, true) => {
            problems.push("the decision does not say no, and neither may the text".to_owned())
        }
        _ => {}
    }
    problems
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot continue fails")]
mod tests {
    use superstep_model::{
        Script,
        script::{Step, When},
    };

    use super::*;

    async fn worded(replies: [&str; 2]) -> Worded {
        let [first, repaired] = replies.map(|reply| Step::data(json!({"reply": reply})).always());
        let steps = [repaired.when(When::contains("Write it again")), first];
        let wording = Wording::new("reply", "Say it.", &[("Decision: no", "No.")], 300).unwrap();
        let about = Message::untrusted("Mail: two years?\nDecision: renew for two years");
        let known = Sources::of(["Ann asks: one year or two?", "Max"]);
        let model = Script::new(steps);
        let decision = "renew for two years";
        let worded = wording
            .word(&model, about, decision, &known, "Renew for two years.")
            .await;
        worded.unwrap()
    }

    #[tokio::test]
    async fn a_text_that_keeps_to_the_decision_is_taken() {
        let found = worded(["Hello Ann, we renew for two years. Max", "never asked"]).await;
        assert_eq!((found.by, found.problems.len()), (WordedBy::Model, 0));
    }

    #[tokio::test]
    async fn one_that_misses_a_word_is_repaired_once() {
        let found = worded([
            "Hello Ann, we renew.",
            "Hello Ann, we renew it for 2 years.",
        ])
        .await;
        assert_eq!(found.by, WordedBy::Repaired);
        assert_eq!(found.text, "Hello Ann, we renew it for 2 years.");
    }

    #[tokio::test]
    async fn one_that_stays_wrong_gives_way_to_the_persons_own_words() {
        let found = worded([
            "We renew for two years until Friday.",
            "We renew until 2031 for two years.",
        ])
        .await;
        assert_eq!(
            (found.by, found.text.as_str()),
            (WordedBy::Person, "Renew for two years.")
        );
        assert_eq!(found.problems, ["nobody said “2031”, leave it out"]);
    }
}
