//! Arguments of `eval`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::agents::Agent;

/// Labeled cases, and the models that are to do them.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep eval mail triage.jsonl
  superstep eval archie questions.jsonl --model anthropic --compare ollama:qwen3:8b
  superstep eval mail triage.jsonl --json > scores.jsonl

A case is a line such as
  {\"input\": {\"user_input\": \"Which port?\", \"inputs\": {\"folder\": \"docs\"}}, \"checks\": [{\"contains\": \"8080\"}]}
The input of Atris is text: {\"input\": \"Who follows @ann?\", ...}. docs/eval.md has all checks.
Every case has a thread of its own, which is not stored. Exits with 1 if a case fails.")]
pub(crate) struct EvalArgs {
    /// The agent
    pub(crate) agent: Agent,
    /// The cases, one JSON object per line
    pub(crate) file: PathBuf,
    /// Another model that does the same cases; may be repeated
    #[arg(long, value_name = "MODEL")]
    pub(crate) compare: Vec<String>,
}
