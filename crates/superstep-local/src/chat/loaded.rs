//! A model in memory: its network, its tokens, and what it remembers of earlier calls.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use superstep_model::Request;

use super::error::ChatError;
use super::gguf::{FileError, Gguf};
use super::grammar::{FactoryThread, Grammars};
use super::machine;
use super::map::Map;
use super::net::Net;
use super::options::Options;
use super::prefix_cache::PrefixCache;
use super::prefix_files::PrefixFiles;
use super::shape::Shape;
use super::template::ChatTemplate;
use super::token_table::TokenTable;
use super::tokenizer::Tokenizer;

/// What the model takes besides weights and what it remembers: tokens, grammars, room to compute.
const OVERHEAD: u64 = 400 << 20;

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

impl Loaded {
    /// Opens the weights for a first call.
    pub(super) fn open(path: &Path, options: &Options, first: &Request) -> Result<Self, ChatError> {
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
        let (net, table, started, tokenizer) = thread::scope(|scope| {
            let tokenizer = scope.spawn(|| Tokenizer::read(&file));
            let table = Arc::new(TokenTable::read(&file).map_err(in_file)?);
            let started = FactoryThread::start(&table, first)?;
            // Not before memory was found to suffice and the request to be one.
            map.populate();
            let net = Net::read(&file, &map).map_err(in_file)?;
            let tokenizer = tokenizer
                .join()
                .map_err(|_| ChatError::Gone("its tokenizer could not be made".to_owned()))?;
            let tokenizer = Arc::new(tokenizer.map_err(in_file)?);
            Ok::<_, ChatError>((net, table, started, tokenizer))
        })?;
        Ok(Self {
            template: ChatTemplate::read(&file).map_err(in_file)?,
            grammars: Grammars::new(Arc::clone(&table), Arc::clone(&tokenizer), started),
            table,
            prefixes: PrefixCache::new(options.prefixes, context),
            files: options
                .prefix_folder
                .clone()
                .and_then(|folder| PrefixFiles::of(path, folder)),
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
