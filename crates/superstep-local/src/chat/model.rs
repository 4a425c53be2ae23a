//! The embedded model as a [`Model`].

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use superstep_core::future::BoxFuture;
use superstep_model::{Caps, Content, Delta, Deltas, Model, ModelError, ModelId, Part, Request};

use super::channel::channel;
use super::engine::{Engine, Job};
use super::error::ChatError;
use super::generate::Figures;
use super::gguf::{FileError, Gguf};
use super::machine::Threads;
use super::map::Map;
use super::net::Shape;
use superstep_core::sync::lock;

/// A language model that runs inside the process.
///
/// Calls wait in line for one thread, which reads the weights when the first call comes.
pub struct LocalModel {
    id: ModelId,
    identity: Identity,
    path: PathBuf,
    options: Options,
    context: usize,
    engine: Mutex<Option<Engine>>,
}

/// How the model uses the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How many threads compute.
    pub threads: Threads,
    /// How many tokens a conversation and its reply may have. What the model was made for limits it
    /// too.
    pub context: usize,
    /// How many prompt prefixes are cached, so that they need not be read again. Nodes
    /// with instructions of their own each want one.
    pub prefixes: usize,
    /// Where prefixes of requests with [`Cached::Examples`](superstep_model::Cached::Examples) are kept for
    /// the next process, for its owner alone. Not at all without one, and if the weights file is not named by its
    /// hash.
    pub prefix_folder: Option<PathBuf>,
    /// How many calls may wait.
    pub queue: usize,
    /// How many tokens a reply may have if its request does not say.
    pub max_tokens: u32,
    /// With a temperature, only the likeliest tokens that make up this share are considered.
    pub top_p: f32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: Threads::Auto,
            context: 8192,
            prefixes: 3,
            prefix_folder: None,
            queue: 64,
            max_tokens: 1024,
            top_p: 0.95,
        }
    }
}

/// Which model it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name, from the weights file.
    pub name: String,
    /// How its weights are packed, such as `q4_k_m`.
    pub quantization: String,
    /// The hash of the weights, if the file is named by it.
    pub sha256: Option<String>,
}

impl LocalModel {
    /// The model in a GGUF file. Its header is checked now; its weights are read when the first call
    /// comes.
    pub fn open(path: impl Into<PathBuf>, options: Options) -> Result<Self, ChatError> {
        let path = path.into();
        let in_file = |error: FileError| ChatError::File {
            path: path.clone(),
            error,
        };
        let map = Map::open(&path).map_err(|error| ChatError::Unreadable {
            path: path.clone(),
            why: error.to_string(),
        })?;
        let file = Gguf::read(map.bytes()).map_err(in_file)?;
        let shape = Shape::read(&file).map_err(in_file)?;
        let identity = Identity::read(&file, &path);
        Ok(Self {
            id: ModelId::new(
                "local",
                format!("{}-{}", identity.name, identity.quantization),
            ),
            context: options.context.min(shape.context),
            engine: Mutex::new(None),
            identity,
            options,
            path,
        })
    }

    /// Which model it is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// What the last call took.
    pub fn figures(&self) -> Option<Figures> {
        let engine = lock(&self.engine);
        engine.as_ref().and_then(Engine::figures)
    }

    fn call(&self, request: &Request) -> Result<Deltas, ChatError> {
        let contents = request.messages.iter().map(|message| message.content());
        let mut parts = contents.filter_map(|content| match content {
            Content::Parts(parts) => Some(parts),
            Content::Text(_) => None,
        });
        if parts.any(|parts| parts.iter().any(|part| matches!(part, Part::Image { .. }))) {
            return Err(ChatError::Unable("pictures"));
        }
        let (pieces, reply) = channel();
        let job = Job {
            request: request.clone(),
            pieces,
            from: Delta::From {
                model: self.id.name.clone(),
                weights: self.identity.sha256.clone(),
            },
        };
        let mut engine = lock(&self.engine);
        let engine = match &mut *engine {
            Some(engine) => engine,
            empty => empty.insert(Engine::start(self.path.clone(), self.options.clone())?),
        };
        engine.call(job)?;
        Ok(Deltas::new(reply))
    }
}

impl Model for LocalModel {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn caps(&self) -> Caps {
        let mut caps = Caps::local();
        caps.context = u32::try_from(self.context).ok();
        // What fits into the process of a program is small.
        caps.small = true;
        caps
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        let deltas = self.call(request);
        let deltas = deltas.map_err(|error| error.of_call(&self.id.name));
        Box::pin(std::future::ready(deltas))
    }
}

impl Identity {
    pub(super) fn read(file: &Gguf<'_>, path: &Path) -> Self {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy());
        let stem = stem.unwrap_or_default();
        let of_parts = || {
            let name = file.text("general.basename").ok()?;
            let size = file.text("general.size_label").ok()?;
            Some(format!("{name}-{size}"))
        };
        let name = of_parts()
            .or_else(|| file.text("general.name").ok().map(str::to_owned))
            .unwrap_or_else(|| stem.to_string());
        let is_hash = stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
        Self {
            name: name.to_lowercase().replace(char::is_whitespace, "-"),
            quantization: packing(file.whole("general.file_type").ok()).to_owned(),
            sha256: is_hash.then(|| stem.to_lowercase()),
        }
    }
}

/// The usual name of a mix of packings, by its number in the file.
fn packing(number: Option<u64>) -> &'static str {
    match number {
        Some(0) => "f32",
        Some(1) => "f16",
        Some(2) => "q4_0",
        Some(3) => "q4_1",
        Some(7) => "q8_0",
        Some(8) => "q5_0",
        Some(9) => "q5_1",
        Some(14) => "q4_k_s",
        Some(15) => "q4_k_m",
        Some(16) => "q5_k_s",
        Some(17) => "q5_k_m",
        Some(18) => "q6_k",
        _ => "mixed",
    }
}
