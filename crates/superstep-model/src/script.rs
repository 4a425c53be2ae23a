//! Scripted model, for tests and demos, from Rust or from a file.
//!
//! A script is a list of [`Step`]s: a condition ([`When`]), and the reply, or how the call fails. The
//! file format is in `docs/scripts.md`.
//!
//! The step is chosen from the conversation alone, never from a counter in this process (`choose`), so
//! a thread that is resumed in another process gets the replies it would have got in this one. Calls that failed leave no message; those alone are counted, per request, in
//! memory.

mod choose;
mod failure;
mod file;
mod fill;
mod glob;
mod obey;
mod play;
mod sample;
mod step;
mod when;

use std::{path::Path, sync::Mutex};

use superstep_core::future::BoxFuture;

use crate::{
    delta::Deltas,
    error::{ErrorKind, ModelError},
    model::{Caps, Model},
    model_id::ModelId,
    request::Request,
};
use superstep_core::sync::lock;

pub use failure::{Failure, FailureKind};
pub use step::{Break, Call, Repeat, Step, Tokens};
pub use when::{Role, When};

/// A model that says what its script says.
#[derive(Debug)]
pub struct Script {
    id: ModelId,
    caps: Caps,
    steps: Vec<Step>,
    otherwise: Option<Step>,
    manner: Manner,
    past: Mutex<Past>,
}

/// Whether the model listens to what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Steps,
    Obedient,
}

#[derive(Debug, Default)]
struct Past {
    seen: Vec<Request>,
    used: Vec<usize>,
}

impl Script {
    /// A model that follows these steps.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            id: ModelId::new("script", "steps"),
            caps: Caps {
                images: true,
                ..Caps::local()
            },
            steps: steps.into_iter().collect(),
            otherwise: None,
            manner: Manner::Steps,
            past: Mutex::default(),
        }
    }

    /// The script of a file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        file::read(path.as_ref())
    }

    /// The script of a text in the format of files. The name is the model's, and is what errors
    /// call the text.
    pub fn parse(name: &str, text: &str) -> Result<Self, ModelError> {
        file::parse(name, text)
    }

    /// The same script, but the model does first whatever the newest content tells it, whoever
    /// wrote it: a line `CALL tool {json}` is a call, `SAY text` and `DATA {json}` are replies.
    #[must_use]
    pub fn obedient(mut self) -> Self {
        self.manner = Manner::Obedient;
        self
    }

    /// The same script with a reply for calls that no step fits, which are errors otherwise.
    #[must_use]
    pub fn otherwise(mut self, step: Step) -> Self {
        self.otherwise = Some(step);
        self
    }

    /// The same script under another name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.id.name = name.into();
        self
    }

    /// The same script for a model that can do this.
    #[must_use]
    pub fn with_caps(mut self, caps: Caps) -> Self {
        self.caps = caps;
        self
    }

    /// The requests that came, in order.
    pub fn seen(&self) -> Vec<Request> {
        self.past().seen.clone()
    }

    /// The steps that no call of this process was given, in order.
    pub fn leftover(&self) -> Vec<Step> {
        let past = self.past();
        let left = self.steps.iter().enumerate();
        left.filter(|(index, _)| !past.used.contains(index))
            .map(|(_, step)| step.clone())
            .collect()
    }

    fn past(&self) -> std::sync::MutexGuard<'_, Past> {
        lock(&self.past)
    }

    /// The step that answers a request, ready to be said, and the call's number in its conversation.
    fn answer(&self, request: &Request) -> Result<(Step, usize), ModelError> {
        let attempt = {
            let mut past = self.past();
            let before = past.seen.iter().filter(|seen| *seen == request).count();
            past.seen.push(request.clone());
            before
        };
        let calls = choose::earlier(&self.id, request);
        if self.manner == Manner::Obedient
            && let Some(step) = obey::step(request)
        {
            return Ok((step, calls));
        }
        let (index, step) = match choose::step(&self.steps, &self.id, request, attempt) {
            Ok((index, step)) => (Some(index), step),
            Err(missing) => match (&self.otherwise, self.manner) {
                (Some(step), _) => (None, step),
                (None, Manner::Obedient) => return Ok((obey::idle(request), calls)),
                (None, Manner::Steps) => return Err(wrong(missing)),
            },
        };
        let step = fill::step(step, request, calls)?;
        self.past().used.extend(index);
        Ok((step, calls))
    }
}

impl Model for Script {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn caps(&self) -> Caps {
        self.caps
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        Box::pin(async move {
            let (step, number) = self.answer(request)?;
            play::stream(&self.id, step, request, number).await
        })
    }
}

fn wrong(why: impl Into<String>) -> ModelError {
    ErrorKind::Script { why: why.into() }.into()
}
