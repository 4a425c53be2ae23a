//! A note as it is in archives: all fields side by side.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{NoteExtras, PlainAnswer, TaskNote};
use crate::{
    ask::Ask,
    id::AskId,
    record::{Effect, Layout, StoredError, TaskKey, Write},
    value::Value,
};

/// See [`TaskNote`] and [`NoteExtras`] for what the fields are.
#[derive(Serialize, Deserialize)]
#[serde(rename = "TaskNote")]
pub(super) struct FlatNote {
    key: TaskKey,
    output: Option<Vec<Write>>,
    asks: Vec<Ask>,
    #[serde(default)]
    answered: bool,
    answers: Vec<Value>,
    #[serde(default)]
    asked: Vec<AskId>,
    #[serde(default)]
    given: BTreeMap<AskId, Value>,
    #[serde(default)]
    refused: bool,
    error: Option<Box<StoredError>>,
    handled: bool,
    effects: BTreeMap<String, Effect>,
    resume: Option<PlainAnswer>,
    offset: usize,
    #[serde(default)]
    name: Option<Arc<str>>,
    #[serde(default)]
    args: Option<u64>,
    #[serde(default)]
    layout: Option<Arc<Layout>>,
}

impl From<TaskNote> for FlatNote {
    fn from(note: TaskNote) -> Self {
        let TaskNote {
            key,
            output,
            extras,
        } = note;
        let NoteExtras {
            asks,
            answered,
            answers,
            asked,
            given,
            refused,
            error,
            handled,
            effects,
            resume,
            offset,
            name,
            args,
            layout,
        } = extras.into_inner();
        Self {
            key,
            output,
            asks,
            answered,
            answers,
            asked,
            given,
            refused,
            error,
            handled,
            effects,
            resume,
            offset,
            name,
            args,
            layout,
        }
    }
}

impl From<FlatNote> for TaskNote {
    fn from(note: FlatNote) -> Self {
        let FlatNote {
            key,
            output,
            asks,
            answered,
            answers,
            asked,
            given,
            refused,
            error,
            handled,
            effects,
            resume,
            offset,
            name,
            args,
            layout,
        } = note;
        let extras = NoteExtras {
            asks,
            answered,
            answers,
            asked,
            given,
            refused,
            error,
            handled,
            effects,
            resume,
            offset,
            name,
            args,
            layout,
        };
        Self {
            key,
            output,
            extras: extras.into(),
        }
    }
}
