//! Arguments of `superstep model`.

use clap::{Args as ClapArgs, Subcommand};

/// Whose key is stored.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep login                        asks for the provider and the key
  superstep login anthropic              asks for the key, which is not shown
  superstep login openai < key.txt
  superstep login openai --remove

The key is checked with the provider, and one that it refuses is not kept. It is stored in keys/PROVIDER beside your
config.toml, which names it as `key_file`; a variable such as ANTHROPIC_API_KEY is then not used.")]
pub(crate) struct LoginArgs {
    /// The provider, such as anthropic or openai [default: choose at a terminal]
    pub(crate) provider: Option<String>,
    /// Forget the key
    #[arg(long, requires = "provider")]
    pub(crate) remove: bool,
    /// Do not ask the provider whether it takes the key
    #[arg(long, conflicts_with = "remove")]
    pub(crate) no_check: bool,
}

/// What can be done with models.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// List providers and models, and what each requires
    #[command(after_help = "Examples:
  superstep model list             providers, and what each requires
  superstep model list ollama      the models of one provider
  superstep model list --json")]
    List {
        /// List the models of this provider
        provider: Option<String>,
    },
    /// Show which model is used, and why
    #[command(after_help = "Examples:
  superstep model show                   the model, and every source that was considered
  superstep model show --node triage_router     the model of a node
  superstep model show --offline --json

Exits with 3 if there is no model.")]
    Show {
        /// The node of a graph, which may have a model of its own
        #[arg(long)]
        node: Option<String>,
    },
    /// Use a model from now on: sets `model` in your settings
    #[command(after_help = "Examples:
  superstep model use anthropic
  superstep model use ollama:qwen3:8b
  superstep model use local:default

The name is checked. `superstep config unset model` lets superstep choose again.")]
    Use {
        /// The model
        model: String,
    },
    /// Delete the weights of a local model
    #[command(after_help = "Examples:
  superstep model rm                  the default model
  superstep model rm tiny --yes")]
    Rm {
        /// The weights: default, tiny, minilm, or `hf:owner/repo/file[@revision]`
        #[arg(default_value = "default")]
        weights: String,
    },
    /// Download the weights of a local model
    #[command(after_help = "Examples:
  superstep model pull             the default model, 1.1 GB
  superstep model pull tiny        a small model for tests, 98 MB
  superstep model pull hf:owner/repo/file.gguf@revision")]
    Pull {
        /// The weights: default, tiny, minilm, a path, or `hf:owner/repo/file[@revision]`
        #[arg(default_value = "default")]
        weights: String,
    },
    /// Test a model: plain reply, structured output, tool call, cancellation
    #[command(after_help = "Examples:
  superstep model test
  superstep model test --model local:tiny --json

Exits with 1 if a check fails.")]
    Test,
    /// Chat with the model: every line of stdin is a turn
    #[command(after_help = "Examples:
  superstep model chat
  superstep model chat 'What is a superstep?'
  cat notes.txt | superstep model chat 'Summarize this'
  printf 'hi\\nand again\\n' | superstep model chat --json

Replies go to stdout; the model, tokens, speed and cost to stderr.")]
    Chat(Chat),
}

/// How to talk.
#[derive(Debug, ClapArgs)]
pub(crate) struct Chat {
    /// The message, as a single turn; what is piped in belongs to it
    pub(crate) words: Vec<String>,
    /// Instructions for the model
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    /// Maximum number of tokens of a reply
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u32>,
    /// Sampling temperature, from 0 to 2
    #[arg(long, value_name = "T", value_parser = temperature)]
    pub(crate) temperature: Option<f32>,
    /// Show the reasoning of the model, on stderr
    #[arg(long)]
    pub(crate) reasoning: bool,
}

fn temperature(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if !(0.0..=2.0).contains(&value) {
        return Err("not from 0 to 2".into());
    }
    Ok(value)
}
