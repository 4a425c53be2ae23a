//! Instructions, worked examples and a schema: all that a small model needs for one answer.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::json;
use superstep_model::{
    Cached, Message, Model, ModelError, Request, Schema, SchemaError, StructuredReply, structured,
};

/// An answer of a model, with the reply it was in and what it cost.
pub type Answer<T> = StructuredReply<T>;

/// How a model is asked for one kind of answer. The instructions and examples are the same in every call, so that a model
/// that has read them need not read them again.
#[derive(Clone, Debug)]
pub struct Guide {
    schema: Schema,
    instructions: String,
    examples: Vec<(String, String)>,
    max_tokens: Option<u32>,
}

#[derive(Deserialize)]
struct Labeled {
    label: String,
}

impl Guide {
    /// Answers are forms of this shape.
    pub fn form(schema: Schema, instructions: impl Into<String>) -> Self {
        Self {
            schema,
            instructions: instructions.into(),
            examples: Vec::new(),
            max_tokens: None,
        }
    }

    /// Answers are one of these labels, in the field `label`.
    pub fn labels(
        name: &str,
        instructions: impl Into<String>,
        labels: &[&str],
    ) -> Result<Self, SchemaError> {
        let schema = json!({
            "type": "object",
            "properties": {"label": {"type": "string", "enum": labels}},
            "required": ["label"],
            "additionalProperties": false,
        });
        Ok(Self::form(Schema::new(name, schema)?, instructions))
    }

    /// The same with a worked example: what is asked, and the answer as JSON.
    #[must_use]
    pub fn example(mut self, asked: impl Into<String>, answer: impl Into<String>) -> Self {
        self.examples.push((asked.into(), answer.into()));
        self
    }

    /// The same with several.
    #[must_use]
    pub fn examples(self, all: &[(&str, &str)]) -> Self {
        all.iter().fold(self, |guide, (asked, answer)| {
            guide.example(*asked, *answer)
        })
    }

    /// The same with a limit of what an answer may have.
    #[must_use]
    pub fn max_tokens(mut self, tokens: Option<u32>) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// The call about one thing.
    pub fn request(&self, about: Message) -> Request {
        let mut messages = vec![Message::system(&*self.instructions)];
        for (asked, answer) in &self.examples {
            messages.push(Message::user(&**asked));
            messages.push(Message::model(&**answer));
        }
        messages.push(about);
        Request {
            max_tokens: self.max_tokens,
            cached: Cached::Examples,
            ..Request::new(messages)
        }
    }

    /// Asks for a form about one thing.
    pub async fn ask<T: DeserializeOwned>(
        &self,
        model: &dyn Model,
        about: Message,
    ) -> Result<Answer<T>, ModelError> {
        structured(model, self.request(about), &self.schema).await
    }

    /// Asks for the label of one thing.
    pub async fn label(
        &self,
        model: &dyn Model,
        about: Message,
    ) -> Result<Answer<String>, ModelError> {
        let request = self.request(about);
        let answer = structured::<Labeled>(model, request, &self.schema).await?;
        Ok(answer.map(|labeled| labeled.label))
    }

    /// The shape of answers.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }
}
