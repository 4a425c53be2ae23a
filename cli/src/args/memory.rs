//! Arguments of `superstep memory`.

use clap::{Args, Subcommand};

/// What can be done with the long-term memory.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Find what is remembered, by words or by meaning
    #[command(after_help = "Examples:
  superstep memory search 'vegetarian restaurants'
  superstep memory search 'what does ann eat' --embedder local --under users.ann
  superstep memory search holidays --embedder ollama:nomic-embed-text --json

Without an embedder the words of the query are looked for. `local` finds by meaning with a model inside this
program, once its weights are there: superstep model pull minilm. A model of a server or a provider
(provider:name) gets the texts under the prefix to read. The memory itself is not changed.")]
    Search(Search),
    /// List what is remembered, in the order it was first put
    #[command(after_help = "Examples:
  superstep memory list
  superstep memory list --under mail --json")]
    List {
        /// Only below this namespace: labels with dots between them
        #[arg(long, value_name = "NAMESPACE")]
        under: Option<String>,
    },
    /// Delete an item, also one that is damaged
    #[command(after_help = "Examples:
  superstep memory delete users.ann likes
  superstep memory delete email_assistant.queue.4f2m 0k3n --yes

`superstep db check` names the items that are damaged. What an agent put there is gone for good.")]
    Delete(Place),
}

/// An item of the memory.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The namespace: labels with dots between them
    pub(crate) namespace: String,
    /// The key
    pub(crate) key: String,
}

/// A search in the memory.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// What to look for
    pub(crate) query: String,
    /// Only below this namespace: labels with dots between them
    #[arg(long, value_name = "NAMESPACE")]
    pub(crate) under: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 10)]
    pub(crate) limit: usize,
    /// Find by meaning: `local`, or a model for embeddings as provider:name
    #[arg(long, value_name = "EMBEDDER")]
    pub(crate) embedder: Option<String>,
}
