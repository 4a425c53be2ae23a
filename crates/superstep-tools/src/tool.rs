//! The tool trait, a parsed call and its output. What a running call has is in [`ctx`], what of it the
//! arguments of a `#[tool]` function are in [`call_values`], how it fails in [`error`].

pub mod call_values;
pub mod ctx;
pub mod error;
pub(crate) mod typed;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use superstep_core::{error::Failure, future::BoxFuture};
use superstep_model::{
    Content, Part, ToolCall, ToolSpec,
    message::{ToolReply, ToolStatus},
};
use superstep_text::Redactor;

use crate::access::Access;
pub use ctx::{Need, ToolCtx};
pub use error::ToolError;

/// The most text of an output that a model gets to read, in bytes.
pub const MAX_OUTPUT: usize = 256 << 10;

/// Something a model can have done. Made by `#[tool]` of an async function, or by hand.
pub trait Tool: Send + Sync {
    /// How it is described to a model.
    fn spec(&self) -> &ToolSpec;

    /// What it can do.
    fn access(&self) -> Access;

    /// What it takes of its agent, so that what is missing is found before anything runs.
    fn needs(&self) -> Vec<Need> {
        Vec::new()
    }

    /// Whether somebody the program does not know wrote its description. A model that has such a
    /// tool has read untrusted content, whatever else it has read.
    fn foreign(&self) -> bool {
        false
    }

    /// Checks arguments and parses them; every problem at once. Nothing is run. A task that decides
    /// on a call and makes it does this once.
    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>>;
}

/// A call whose arguments were checked and parsed.
pub trait ParsedCall: Send + Sync {
    /// What the call would do, for the person who decides about it; nothing if its arguments say it
    /// all.
    fn describe(&self) -> Option<String> {
        None
    }

    /// Whether the call can be made now, or why not. Checked before an approval of it is taken: settings may
    /// have changed since the question was asked, and an answer that cannot be followed is refused, so that
    /// the question stays open.
    fn can_be_made(&self) -> Result<(), String> {
        Ok(())
    }

    /// Makes the call. Dropping the future cancels it.
    fn run(&self, ctx: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>>;

    /// Looks up whether an attempt of the call had its effect, by [`ToolCtx::key`]; nothing if the
    /// target cannot be asked. It changes nothing. An error stops the run, and the effect is looked
    /// up when the run resumes.
    fn reconcile(&self, ctx: ToolCtx) -> Option<BoxFuture<'_, Result<Reconciled, Failure>>> {
        let _ = ctx;
        None
    }
}

/// What looking an effect up showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reconciled {
    /// It happened, and this is the output of the call.
    Happened(ToolOutput),
    /// It did not happen, for certain; this says how that is known. That it was not found is not
    /// enough, unless it would have been found.
    NotHappened(String),
    /// Nobody can tell, for this reason.
    Unsure(String),
}

/// What a call gives a model to read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The content.
    pub content: Content,
}

impl<T: Into<Content>> From<T> for ToolOutput {
    fn from(content: T) -> Self {
        Self {
            content: content.into(),
        }
    }
}

impl ToolOutput {
    /// Data, as JSON text.
    pub fn json<T: Serialize>(data: &T) -> Result<Self, ToolError> {
        Ok(serde_json::to_string(data)?.into())
    }

    /// The output without secrets in any of its texts.
    #[must_use]
    pub(crate) fn redacted(self, redactor: &Redactor) -> Self {
        let clean = |text: &str| redactor.document(text).into_owned();
        let content = match self.content {
            Content::Text(text) => Content::Text(clean(&text)),
            Content::Parts(parts) => {
                let parts = parts.into_iter().map(|part| match part {
                    Part::Text { text } => Part::Text { text: clean(&text) },
                    // Its bytes are no text; what names them may be.
                    Part::Image { media_type, data } => Part::Image {
                        media_type: clean(&media_type),
                        data,
                    },
                    // Where its text is, is not known here.
                    other => Part::Text {
                        text: clean(&serde_json::to_string(&other).unwrap_or_default()),
                    },
                });
                Content::Parts(parts.collect())
            }
        };
        Self { content }
    }

    /// The output with no more text than a model should read; what is left out is said.
    #[must_use]
    pub(crate) fn capped(self) -> Self {
        match self.content {
            Content::Text(text) => {
                let mut room = MAX_OUTPUT;
                cut(text, &mut room).into()
            }
            Content::Parts(mut parts) => {
                let mut room = MAX_OUTPUT;
                for part in &mut parts {
                    if let Part::Text { text } = part {
                        *text = cut(std::mem::take(text), &mut room);
                    }
                }
                let content = Content::Parts(parts);
                Self { content }
            }
        }
    }
}

/// As much of a text as there is room for.
pub(crate) fn cut(text: String, room: &mut usize) -> String {
    let end = text.floor_char_boundary(*room);
    *room -= end;
    if end == text.len() {
        return text;
    }
    let left_out = text.len() - end;
    let kept = text.get(..end).unwrap_or_default();
    format!("{kept}\n[{left_out} bytes more were left out]")
}

/// What a model reads about a call of its own.
pub(crate) fn reply(call: &ToolCall, status: ToolStatus, content: Content) -> ToolReply {
    ToolReply {
        tool_call_id: call.id.clone(),
        name: call.name.clone(),
        content,
        status,
    }
}
