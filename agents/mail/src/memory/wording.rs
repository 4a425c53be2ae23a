//! New wording of a note by a model: the whole note by a strong one, one line by a small one.

use serde::Deserialize;
use serde_json::json;
use superstep::{
    model::{Message, Model, Request, Schema, structured},
    tools::guided::Profile,
};

use super::line;
use crate::prompt::filled;

/// The model that words notes, and how it is asked.
#[derive(Clone, Copy)]
pub(crate) struct Teacher<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) profile: Profile,
    /// The instructions of a strong model.
    pub(crate) prompt: &'a str,
    /// Whose notes they are.
    pub(crate) owner: &'a str,
}

#[derive(Deserialize)]
struct Wording {
    user_preferences: String,
}

impl Teacher<'_> {
    /// The note as it would be after what a person did. The model is shown the note, `feedback` and, marked as data,
    /// `material`; a small one is not shown the data, because it copies what it reads.
    pub(super) async fn worded(
        self,
        old: &str,
        (feedback, material): (&str, &str),
    ) -> Result<String, String> {
        match self.profile {
            Profile::Small => line::worded(self.model, self.owner, old, feedback).await,
            Profile::Strong => self.whole(old, feedback, material).await,
        }
    }

    async fn whole(self, old: &str, feedback: &str, material: &str) -> Result<String, String> {
        let schema = json!({
            "type": "object",
            "properties": {
                "chain_of_thought": {"type": "string", "maxLength": 600},
                "user_preferences": {"type": "string", "maxLength": 8_000},
            },
            "required": ["chain_of_thought", "user_preferences"],
            "additionalProperties": false,
        });
        let schema = Schema::new("user_preferences", schema).map_err(|error| error.to_string())?;
        let places = [("owner", self.owner), ("notes", old)];
        let system = filled(self.prompt, &places);
        let mut messages = vec![Message::system(system), Message::user(feedback)];
        if !material.is_empty() {
            messages.push(Message::untrusted(material));
        }
        let request = Request::new(messages);
        let fitted = structured::<Wording>(self.model, request, &schema).await;
        fitted
            .map(|fitted| fitted.value.user_preferences)
            .map_err(|error| error.to_string())
    }
}
