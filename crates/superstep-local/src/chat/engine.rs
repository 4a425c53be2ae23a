//! Worker thread that owns the model, and the queue of calls in front of it.
//!
//! A model has one set of weights and computes one reply at a time: calls wait in line. The thread
//! is started by the first call; `generate` is what it does with each.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};

use superstep_model::{Delta, ModelError, Request};

use super::channel;
use super::error::ChatError;
use super::generate::{Figures, generate};
use super::gguf::{FileError, Gguf};
use super::grammar::{FactoryThread, Grammars};
use super::machine;
use super::map::Map;
use super::model::{Identity, Options};
use super::net::{Net, Shape};
use super::pools::Pools;
use super::prefix_cache::PrefixCache;
use super::prefix_files::PrefixFiles;
use super::template::ChatTemplate;
use super::token_table::TokenTable;
use super::tokenizer::Tokenizer;
use superstep_core::sync::lock;

/// Where the pieces of a reply go.
pub(super) type Pieces = channel::Sender<Result<Delta, ModelError>>;

/// The way to the thread.
pub(super) struct Engine {
    jobs: SyncSender<Job>,
    figures: Arc<Mutex<Option<Figures>>>,
    queue: usize,
}

/// A call that waits or runs.
pub(super) struct Job {
    pub(super) request: Request,
    pub(super) pieces: Pieces,
    /// What the model calls itself, and the hash of its weights.
    pub(super) from: Delta,
}

/// A model in memory.
pub(super) struct Loaded {
    pub(super) net: Net,
    pub(super) table: Arc<TokenTable>,
    pub(super) tokenizer: Arc<Tokenizer>,
    pub(super) template: ChatTemplate,
    pub(super) grammars: Grammars,
    pub(super) prefixes: PrefixCache,
    pub(super) files: Option<PrefixFiles>,
    pub(super) context: usize,
}

/// What the model takes besides weights and what it remembers: tokens, grammars, room to compute.
const OVERHEAD: u64 = 400 << 20;

impl Engine {
    /// Starts the thread. It reads the weights when the first call comes.
    pub(super) fn start(path: PathBuf, options: Options) -> Result<Self, ChatError> {
        let queue = options.queue.max(1);
        let (jobs, queued) = sync_channel(queue);
        let figures = Arc::new(Mutex::new(None));
        let worker = Worker {
            path,
            pools: Pools::new(options.threads),
            options,
            loaded: None,
            figures: Arc::clone(&figures),
        };
        std::thread::Builder::new()
            .name("superstep-model".to_owned())
            .spawn(move || worker.run(&queued))
            .map_err(|error| ChatError::Gone(error.to_string()))?;
        Ok(Self {
            jobs,
            figures,
            queue,
        })
    }

    /// Puts a call in line.
    pub(super) fn call(&self, job: Job) -> Result<(), ChatError> {
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => ChatError::Busy(self.queue),
            TrySendError::Disconnected(_) => ChatError::Gone("it has ended".to_owned()),
        })
    }

    /// What the last call took.
    pub(super) fn figures(&self) -> Option<Figures> {
        *lock(&self.figures)
    }
}

struct Worker {
    path: PathBuf,
    options: Options,
    loaded: Option<Loaded>,
    pools: Pools,
    figures: Arc<Mutex<Option<Figures>>>,
}

impl Worker {
    fn run(mut self, queued: &Receiver<Job>) {
        while let Ok(job) = queued.recv() {
            // Whoever gave up while waiting costs nothing.
            if !job.pieces.is_open() {
                continue;
            }
            // Libraries underneath may panic on input nobody thought of. That must cost a call, not
            // the model.
            let done = catch_unwind(AssertUnwindSafe(|| self.answer(&job)));
            let error = match done {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => error,
                Err(_) => {
                    self.loaded = None;
                    ChatError::Gone("it panicked on this call".to_owned())
                }
            };
            let Delta::From { model, .. } = &job.from else {
                continue;
            };
            job.pieces.send(Err(error.of_call(model)));
        }
    }

    fn answer(&mut self, job: &Job) -> Result<(), ChatError> {
        let mut loaded = match self.loaded.take() {
            Some(loaded) => loaded,
            None => Loaded::open(&self.path, &self.options, &job.request)?,
        };
        let done = generate(&mut loaded, job, &self.options, &mut self.pools);
        self.loaded = Some(loaded);
        let mut figures = lock(&self.figures);
        *figures = Some(done?);
        Ok(())
    }
}

impl Loaded {
    /// Opens the weights for a first call.
    fn open(path: &Path, options: &Options, first: &Request) -> Result<Self, ChatError> {
        let in_file = |error: FileError| ChatError::File {
            path: path.to_owned(),
            error,
        };
        let map = Map::open(path).map_err(|error| ChatError::Unreadable {
            path: path.to_owned(),
            why: error.to_string(),
        })?;
        let map = Arc::new(map);
        let file = Gguf::read(map.bytes()).map_err(in_file)?;
        let shape = Shape::read(&file).map_err(in_file)?;
        let context = options.context.min(shape.context);
        check_memory(map.bytes().len(), &shape, context)?;
        let net = Net::read(&file, &map).map_err(in_file)?;
        let table = Arc::new(TokenTable::read(&file).map_err(in_file)?);
        let started = FactoryThread::start(&table, first)?;
        let tokenizer = Arc::new(Tokenizer::read(&file).map_err(in_file)?);
        Ok(Self {
            template: ChatTemplate::read(&file).map_err(in_file)?,
            grammars: Grammars::new(Arc::clone(&table), Arc::clone(&tokenizer), started),
            table,
            prefixes: PrefixCache::new(options.prefixes, context),
            files: options
                .prefix_folder
                .clone()
                .zip(Identity::read(&file, path).sha256)
                .map(|(folder, weights)| PrefixFiles::new(folder, weights)),
            tokenizer,
            net,
            context,
        })
    }
}

/// Refuses a model that would drive the machine into swapping. A prefix is counted once: it is filled
/// only as far as conversations are long.
fn check_memory(weights: usize, shape: &Shape, context: usize) -> Result<(), ChatError> {
    let Some(free) = machine::free_memory() else {
        return Ok(());
    };
    let prefix = [shape.layers, shape.kept(), context, 2 * size_of::<u16>()]
        .iter()
        .fold(1_u64, |product, size| product.saturating_mul(*size as u64));
    let needed = prefix
        .saturating_add(weights as u64)
        .saturating_add(OVERHEAD);
    if needed > free {
        return Err(ChatError::Memory {
            needed: needed >> 20,
            free: free >> 20,
        });
    }
    Ok(())
}
