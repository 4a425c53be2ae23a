//! Questions that stop a run until a person (or another program) answers.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};

use serde::{Deserialize, Serialize};

use crate::sync::lock;
use crate::{clock::UnixMillis, id::AskId, value::Value};

/// A question that waits for an answer. On the wire this is LangGraph's interrupt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Stable identity; answer by it.
    pub id: AskId,
    /// What is asked.
    pub value: Value,
    /// JSON schema of the answer, if the asker gave one.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::value::json::some"
    )]
    pub schema: Option<Value>,
    /// Which kind of question it is, if the asker named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Arc<str>>,
    /// When the asker continues without an answer, if it waits for so long only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<UnixMillis>,
}

/// How a caller answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Resume {
    /// Answers the one open question; refused when several are open.
    Next(Value),
    /// Answers any number of questions by id.
    ById(HashMap<AskId, Value>),
}

impl Resume {
    /// Reads LangGraph's wire form: an object whose keys are all ask ids answers by id.
    pub fn from_wire(value: Value) -> Self {
        let Some(map) = value.as_map() else {
            return Self::Next(value);
        };
        let by_id: Option<HashMap<AskId, Value>> = map
            .iter()
            .map(|(key, answer)| {
                let plain = key.len() == 32 && key.bytes().all(|b| b.is_ascii_hexdigit());
                plain
                    .then(|| key.parse().ok())
                    .flatten()
                    .map(|id| (id, answer.clone()))
            })
            .collect();
        match by_id {
            Some(answers) => Self::ById(answers),
            None => Self::Next(value),
        }
    }
}

/// The answers of one run on their way to its tasks, shared with every graph below it.
///
/// The plain answer is handed out once, to whoever asks first.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    next: Arc<Mutex<Option<Value>>>,
    by_id: Option<Arc<HashMap<AskId, Value>>>,
}

impl Answers {
    /// The answers a caller gave.
    pub fn new(resume: &Resume) -> Self {
        match resume {
            Resume::Next(value) => Self {
                next: Arc::new(Mutex::new(Some(value.clone()))),
                by_id: None,
            },
            Resume::ById(map) => Self {
                next: Arc::default(),
                by_id: Some(Arc::new(map.clone())),
            },
        }
    }

    /// Adds answers to questions that have none.
    pub fn add(&mut self, answers: HashMap<AskId, Value>) {
        if answers.is_empty() {
            return;
        }
        let by_id = Arc::make_mut(self.by_id.get_or_insert_default());
        for (id, answer) in answers {
            by_id.entry(id).or_insert(answer);
        }
    }

    /// Puts a plain answer there that was given earlier and nobody took.
    pub fn offer(&self, answer: Value) {
        *self.lock() = Some(answer);
    }

    /// Takes the plain answer, if nobody has.
    pub fn take_next(&self) -> Option<Value> {
        self.lock().take()
    }

    /// Whether the plain answer is still there.
    pub fn has_next(&self) -> bool {
        self.lock().is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Value>> {
        lock(&self.next)
    }

    /// The answer to one question.
    pub fn by_id(&self, id: AskId) -> Option<&Value> {
        self.by_id.as_ref()?.get(&id)
    }

    /// Whether any question is answered by id.
    pub fn has_ids(&self) -> bool {
        self.by_id.as_ref().is_some_and(|map| !map.is_empty())
    }
}
