//! `superstep model`.

use clap::{Args as ClapArgs, Subcommand};

/// What can be done with models.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// List providers and models, and what each needs
    #[command(after_help = "Examples:
  superstep model list             providers, and what each needs
  superstep model list ollama      the models of one of them
  superstep model list --json")]
    List {
        /// Ask this provider for its models
        provider: Option<String>,
    },
    /// Show which model answers, and why
    #[command(after_help = "Examples:
  superstep model show                   the model, and every way to one
  superstep model show --node triage     the model of a node
  superstep model show --offline --json

Ends with 3 if there is no model.")]
    Show {
        /// The node of a graph, which may have a model of its own
        #[arg(long)]
        node: Option<String>,
    },
    /// Fetch the weights of a local model
    #[command(after_help = "Examples:
  superstep model pull             the default model, 1.1 GB
  superstep model pull tiny        a small one for tests, 98 MB
  superstep model pull hf:owner/repo/file.gguf@revision")]
    Pull {
        /// Which: default, tiny, minilm, a path, or hf:owner/repo/file, with @revision behind it
        #[arg(default_value = "default")]
        weights: String,
    },
    /// Try what a model can do: a reply, data, a tool call, a cancel
    #[command(after_help = "Examples:
  superstep model test
  superstep model test --model local:tiny --json

Ends with 1 if a check fails.")]
    Test,
    /// Talk to the model: every line of stdin is a turn
    #[command(after_help = "Examples:
  superstep model chat
  superstep model chat 'What is a superstep?'
  printf 'hi\\nand again\\n' | superstep model chat --json

Replies go to stdout; the model, tokens, speed and cost to stderr.")]
    Chat(Chat),
}

/// How to talk.
#[derive(Debug, ClapArgs)]
pub(crate) struct Chat {
    /// What to say, as one turn; stdin is not read then
    pub(crate) words: Vec<String>,
    /// Instructions for the model
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    /// How many tokens a reply may have
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u32>,
    /// How freely the model chooses words, from 0 to 2
    #[arg(long, value_name = "T", value_parser = temperature)]
    pub(crate) temperature: Option<f32>,
    /// Show what the model thinks aloud, on stderr
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
