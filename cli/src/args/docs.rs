//! Arguments of `docs`.

use std::{path::PathBuf, time::Duration};

use clap::{Args as ClapArgs, Subcommand, ValueEnum, ValueHint};
use serde::{Deserialize, Serialize};
use superstep::model::Money;

/// Documents a code base.
#[derive(Debug, ClapArgs)]
#[command(
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    after_help = "Examples:
  superstep docs . --no-model                    what the facts alone give
  superstep docs . --dry-run                     which agents would run, what it takes usually and at most
  superstep docs . --agents kpi,technical-debt --max-cost 0.50
  superstep docs show kpi                        grades, questions and claims of an agent
  superstep docs impact src/main.rs              what a change of a file concerns

Run it again after a change: only agents that read of what changed ask the model. If it is interrupted, the
same command continues. A folder called like a subcommand is named with ./ in front."
)]
pub(crate) struct Docs {
    #[command(subcommand)]
    pub(crate) command: Option<DocsCommand>,
    #[command(flatten)]
    pub(crate) make: MakeDocs,
}

/// How a documentation is made. Kept with its runs, but for what the request says, so that whoever resumes one
/// works within the same limits.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ClapArgs)]
#[serde(default)]
pub(crate) struct MakeDocs {
    /// The folder with the code
    #[arg(value_hint = ValueHint::DirPath)]
    #[serde(skip)]
    pub(crate) path: Option<PathBuf>,
    /// Write to this folder [default: superstep-docs below PATH]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[serde(skip)]
    pub(crate) output: Option<PathBuf>,
    /// Only these agents, by name
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) agents: Vec<String>,
    /// How thorough
    #[arg(long, value_name = "DEPTH")]
    pub(crate) depth: Option<DocsDepth>,
    /// How the model is asked [default: small for one on this machine, strong otherwise]
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<DocsProfile>,
    /// Agents that read of no file changed since this commit keep what they have
    #[arg(long, value_name = "REF")]
    #[serde(skip)]
    pub(crate) since: Option<String>,
    /// Do not use earlier results
    #[arg(long)]
    #[serde(skip)]
    pub(crate) force: bool,
    /// Show what would be done, and what it takes usually and at most
    #[arg(long)]
    #[serde(skip)]
    pub(crate) dry_run: bool,
    /// Facts alone, without a language model
    #[arg(long)]
    #[serde(skip)]
    pub(crate) no_model: bool,
    /// Refine an analysis so often at most
    #[arg(long, value_name = "N")]
    pub(crate) max_iterations: Option<u32>,
    /// The grade that is good enough, 0 to 100
    #[arg(long, value_name = "SCORE")]
    pub(crate) clarity_threshold: Option<f64>,
    /// A round that improves the grade by less is the last
    #[arg(long, value_name = "POINTS")]
    pub(crate) min_improvement: Option<f64>,
    /// One call per agent: no grades, no questions
    #[arg(long)]
    pub(crate) no_self_questioning: bool,
    /// Answer the questions of a round side by side, one call each
    #[arg(long)]
    pub(crate) parallel_answers: bool,
    /// Stop asking before it costs more than this
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<Money>,
    /// Stop asking before it takes more tokens than this
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Stop asking after so many minutes
    #[arg(long, value_name = "MINUTES", value_parser = minutes)]
    pub(crate) max_minutes: Option<Duration>,
    /// Ask before a round that takes more tokens than this
    #[arg(long, value_name = "TOKENS")]
    #[serde(skip)]
    pub(crate) approve_above: Option<u64>,
    /// Agents of this file too, which has tables `agents` with prompts and criteria
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) agents_file: Option<PathBuf>,
}

/// How thorough a documentation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
pub(crate) enum DocsDepth {
    /// One refinement, 70 points
    Quick,
    /// Three refinements, 80 points
    Normal,
    /// Six refinements, 90 points
    Deep,
}

/// How the model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
pub(crate) enum DocsProfile {
    /// It reads much and writes an analysis
    Strong,
    /// It chooses among numbered facts and words them, one call per page
    Small,
}

/// What can be asked about a documentation or a code base.
#[derive(Debug, Subcommand)]
pub(crate) enum DocsCommand {
    /// Answer a question about a code base: what the facts say, then a model
    #[command(after_help = "Examples:
  superstep docs ask 'Where are errors defined?' --no-model
  superstep docs ask 'What starts the server?' --path services/api")]
    Ask {
        /// The question
        #[arg(required = true)]
        words: Vec<String>,
        /// The folder with the code
        #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
        path: PathBuf,
        /// Facts alone, without a language model
        #[arg(long)]
        no_model: bool,
    },
    /// Show what a change of a file concerns, from facts
    #[command(after_help = "Examples:
  superstep docs impact src/cart.rs
  superstep docs impact src/cart.rs --path ../shop --json")]
    Impact {
        /// The file, below the folder with the code
        file: String,
        /// The folder with the code
        #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
        path: PathBuf,
    },
    /// Show how the page of an agent came about: grades, questions, claims
    #[command(after_help = "Examples:
  superstep docs show architecture-analyzer
  superstep docs show kpi --path ../shop --json")]
    Show {
        /// The agent
        agent: String,
        /// The folder with the code
        #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
        path: PathBuf,
        /// The folder of the documentation [default: superstep-docs below it]
        #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
        output: Option<PathBuf>,
    },
}

/// Minutes, also parts of one.
fn minutes(text: &str) -> Result<Duration, String> {
    let minutes: f64 = text
        .parse()
        .map_err(|_| "a number of minutes, such as 10 or 0.5".to_owned())?;
    Duration::try_from_secs_f64(minutes * 60.0)
        .map_err(|_| "minutes cannot be negative or endless".to_owned())
}
