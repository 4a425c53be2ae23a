//! Recordings of a model: requests and replies, in a file of JSON Lines.
//!
//! A [`Cassette`] takes the place of the model, so it works for every provider and for the local model
//! alike. A request is known by its key: the hash of what the model gets to read (`request`), without
//! what differs from run to run.
//!
//! - [`Cassette::replay`] only reads. A request that was not recorded is an error that shows how it
//!   differs from the nearest one that was.
//! - [`Cassette::record`] asks the model and writes down whole replies. What is written supersedes
//!   earlier recordings of the same request, but not those written by hand.
//! - [`Cassette::auto`] replays what is there and records what is not.
//!
//! **Equal requests.** The n-th equal request of a process gets the n-th recording; when there are no
//! more, the last one again. A longer conversation is another request, so a thread that is resumed in
//! another process gets the right replies. Only requests that are equal to the last byte begin at the
//! first recording again; where their replies must differ, give each a `seed` of its own, which is
//! part of the key.

mod diff;
mod disk;
mod file;
mod request;
mod scrub;
mod tap;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use superstep_core::future::BoxFuture;
use superstep_text::Redactor;

use crate::{
    delta::Deltas,
    error::{ErrorKind, ModelError},
    model::{Caps, Model},
    model_id::ModelId,
    request::Request,
};
use superstep_core::sync::lock;

pub use file::{Interaction, Provenance};
use request::Canonical;
pub use scrub::{MARK, looks_secret};

/// A model that was recorded, or is being recorded.
pub struct Cassette {
    id: ModelId,
    model: ModelId,
    caps: Caps,
    mode: Mode,
    shared: Arc<Shared>,
}

enum Mode {
    Replay,
    Record(Arc<dyn Model>),
    Auto(Arc<dyn Model>),
}

/// What outlives a call: its reply is written when its stream has ended.
struct Shared {
    path: PathBuf,
    take: u32,
    secrets: Mutex<Vec<String>>,
    /// Knows them too.
    redactor: Mutex<Arc<Redactor>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What can be replayed, in order, by key.
    recorded: HashMap<String, Vec<Interaction>>,
    /// How often each key was asked for in this process.
    asked: HashMap<String, usize>,
}

impl Cassette {
    /// A recording to be played. It must be of one model.
    pub fn replay(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let lines = disk::read(path)?;
        let mut models: Vec<&str> = lines.iter().filter_map(Interaction::model).collect();
        models.sort_unstable();
        models.dedup();
        let model = match models.as_slice() {
            [model] => id_of(model),
            [] => ModelId::new("", ""),
            several => {
                return Err(unrecorded(format!(
                    "{}: of several models ({}); keep one file a model",
                    path.display(),
                    several.join(", ")
                )));
            }
        };
        let caps = lines.iter().rev().find_map(|line| line.caps);
        let caps = caps.unwrap_or(Caps {
            images: true,
            ..Caps::local()
        });
        Ok(Self::open(path, model, caps, Mode::Replay, lines))
    }

    /// A recording to be made of a model.
    pub fn record(path: impl AsRef<Path>, model: Arc<dyn Model>) -> Result<Self, ModelError> {
        let lines = disk::repair(path.as_ref())?;
        let (id, caps) = (model.id().clone(), model.caps());
        let mode = Mode::Record(model);
        Ok(Self::open(path.as_ref(), id, caps, mode, lines))
    }

    /// A recording to be played, and made where it has no reply.
    pub fn auto(path: impl AsRef<Path>, model: Arc<dyn Model>) -> Result<Self, ModelError> {
        let lines = disk::repair(path.as_ref())?;
        let (id, caps) = (model.id().clone(), model.caps());
        let mode = Mode::Auto(model);
        Ok(Self::open(path.as_ref(), id, caps, mode, lines))
    }

    /// The same recording, that never holds these texts. What traces do not show, such as values that look
    /// like keys or stand behind a name that secrets have, is never written in any case.
    #[must_use]
    pub fn with_secrets<T: Into<String>>(self, secrets: impl IntoIterator<Item = T>) -> Self {
        let known = secrets.into_iter().map(Into::into);
        // Shorter texts would be found everywhere.
        let known = known.filter(|secret: &String| secret.len() >= 8);
        let mut all = lock(&self.shared.secrets);
        all.extend(known);
        let redactor = all.iter().fold(Redactor::default(), |redactor, secret| {
            let known = redactor.clone().with_secret(&secret.as_str().into());
            known.unwrap_or(redactor)
        });
        *lock(&self.shared.redactor) = Arc::new(redactor);
        drop(all);
        self
    }

    /// What a request is known by.
    pub fn key(&self, request: &Request) -> String {
        self.canonical(request).key()
    }

    /// The model that was recorded.
    pub fn model(&self) -> &ModelId {
        &self.model
    }

    fn open(path: &Path, model: ModelId, caps: Caps, mode: Mode, lines: Vec<Interaction>) -> Self {
        let newest = lines.iter().map(|line| line.take).max().unwrap_or(0);
        let is_new_take = matches!(mode, Mode::Record(_));
        let recorded = file::by_key(lines);
        // An answer says who gave it: a recording only where there is no model behind it.
        let id = match mode {
            Mode::Replay => ModelId::new("cassette", model.to_string()),
            Mode::Record(_) | Mode::Auto(_) => model.clone(),
        };
        Self {
            id,
            model,
            caps,
            mode,
            shared: Arc::new(Shared {
                path: path.to_owned(),
                take: newest.saturating_add(u32::from(is_new_take)),
                secrets: Mutex::default(),
                redactor: Mutex::new(Redactor::standard().clone()),
                state: Mutex::new(State {
                    recorded,
                    asked: HashMap::new(),
                }),
            }),
        }
    }

    fn canonical(&self, request: &Request) -> Canonical {
        let redactor = lock(&self.shared.redactor).clone();
        Canonical::of(&self.model, request).scrubbed(&redactor)
    }

    /// What an earlier version knew the request by.
    fn former_key(&self, request: &Request) -> String {
        let form = Canonical::of(&self.model, request);
        form.former(&lock(&self.shared.secrets)).key()
    }

    /// The recording for this request, if it is to be replayed.
    fn recorded(&self, key: &str) -> Option<Interaction> {
        let mut state = lock(&self.shared.state);
        let asked = state.asked.entry(key.to_owned()).or_default();
        let number = *asked;
        *asked = number.saturating_add(1);
        let takes = state.recorded.get(key)?;
        let exact = takes.get(number);
        match self.mode {
            Mode::Replay => exact.or(takes.last()).cloned(),
            Mode::Auto(_) => exact.cloned(),
            Mode::Record(_) => {
                let kept = |line: &&Interaction| line.provenance == Provenance::Hand;
                takes.last().filter(kept)?;
                exact.or(takes.last()).cloned()
            }
        }
    }

    fn missing(&self, asked: &Canonical) -> ModelError {
        let state = lock(&self.shared.state);
        let lines = state.recorded.values().flatten();
        let nearest = diff::nearest(asked, lines.map(|line| &line.request));
        unrecorded(format!(
            "{} has no reply to this request ({}); {nearest}",
            self.shared.path.display(),
            asked.key()
        ))
    }
}

impl Model for Cassette {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn caps(&self) -> Caps {
        self.caps
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        Box::pin(async move {
            let canonical = self.canonical(request);
            let key = canonical.key();
            let known = self.recorded(&key).or_else(|| {
                let former = self.former_key(request);
                (former != key).then(|| self.recorded(&former)).flatten()
            });
            if let Some(line) = known {
                return Ok(Deltas::ready(line.deltas.into_iter().map(Ok)));
            }
            let (Mode::Record(model) | Mode::Auto(model)) = &self.mode else {
                return Err(self.missing(&canonical));
            };
            let deltas = model.stream(request).await?;
            Ok(Deltas::new(tap::Tap::new(
                deltas,
                canonical,
                self.caps,
                self.shared.clone(),
            )))
        })
    }
}

impl Shared {
    /// Writes a whole reply down, and has it for the next equal request.
    fn keep(&self, line: Interaction) -> Result<(), ModelError> {
        let redactor = lock(&self.redactor).clone();
        let line = line.scrubbed(&redactor);
        let mut state = lock(&self.state);
        disk::append(&self.path, &line)?;
        file::add(&mut state.recorded, line);
        Ok(())
    }
}

fn id_of(text: &str) -> ModelId {
    let (provider, name) = text.split_once(':').unwrap_or(("", text));
    ModelId::new(provider, name)
}

fn unrecorded(why: impl Into<String>) -> ModelError {
    ErrorKind::Unrecorded { why: why.into() }.into()
}
