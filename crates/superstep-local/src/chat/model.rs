//! The embedded model as a [`Model`].

use std::path::PathBuf;
use std::sync::Mutex;

use superstep_core::future::BoxFuture;
use superstep_model::{Caps, Content, Delta, Deltas, Model, ModelError, ModelId, Part, Request};

use super::channel::channel;
use super::engine::Engine;
use super::error::ChatError;
use super::figures::Figures;
use super::gguf::{FileError, Gguf};
use super::identity::Identity;
use super::job::Job;
use super::map::Map;
use super::options::Options;
use super::shape::Shape;
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
