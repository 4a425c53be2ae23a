//! Output of an agent as data: blocks for people, events for programs.

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::{
    block::{Block, Weight},
    span::Span,
};

/// One thing to show.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Notice {
    /// For people.
    pub blocks: Vec<Block>,
    /// For programs.
    pub programs: ForPrograms,
}

/// The form of a notice for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", content = "event", rename_all = "snake_case")]
pub enum ForPrograms {
    /// This event, instead of the blocks.
    Event(Json),
    /// The same blocks.
    Blocks,
    /// Nothing.
    Nothing,
}

/// The end of a run, as the agent tells it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The result.
    pub notices: Vec<Notice>,
    /// The exit code of a run that ended without the result it was for; its notices say why.
    pub exit: Option<u8>,
}

impl Notice {
    /// A line for people and programs.
    pub fn line(weight: Weight, spans: impl IntoIterator<Item = Span>) -> Self {
        Self {
            blocks: vec![Block::Line(weight, spans.into_iter().collect())],
            programs: ForPrograms::Blocks,
        }
    }

    /// A line of progress.
    pub fn note(spans: impl IntoIterator<Item = Span>) -> Self {
        Self::line(Weight::Note, spans)
    }

    /// A line that a person should read.
    pub fn say(spans: impl IntoIterator<Item = Span>) -> Self {
        Self::line(Weight::Say, spans)
    }

    /// A line of the result.
    pub fn data(spans: impl IntoIterator<Item = Span>) -> Self {
        Self::line(Weight::Data, spans)
    }

    /// Blocks for people, which programs do not get.
    pub fn people(blocks: Vec<Block>) -> Self {
        Self {
            blocks,
            programs: ForPrograms::Nothing,
        }
    }

    /// An event for programs, with no form for people.
    pub fn event(event: Json) -> Self {
        Self {
            blocks: Vec::new(),
            programs: ForPrograms::Event(event),
        }
    }

    /// A named event with the fields of an object.
    pub fn named(name: &str, fields: Json) -> Self {
        let mut event = json!({"event": name});
        if let (Some(event), Json::Object(fields)) = (event.as_object_mut(), fields) {
            event.extend(fields);
        }
        Self::event(event)
    }

    /// The same, with blocks for people.
    #[must_use]
    pub fn with(mut self, blocks: Vec<Block>) -> Self {
        self.blocks = blocks;
        self
    }

    /// The same for people alone.
    #[must_use]
    pub fn for_people(mut self) -> Self {
        self.programs = ForPrograms::Nothing;
        self
    }
}
