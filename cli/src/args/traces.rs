//! `superstep trace`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCandidates;

use crate::agents;

/// What can be done with traces.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    /// List threads, or the runs of one
    #[command(after_help = "Examples:
  superstep trace list                 all threads with a log
  superstep trace list mail-7 --json   the runs of one")]
    List {
        /// The thread
        #[arg(add = ArgValueCandidates::new(agents::thread_names))]
        thread: Option<String>,
    },
    /// Show what a run did, as a tree
    #[command(after_help = "Examples:
  superstep trace show mail-7                  its last run
  superstep trace show mail-7 --run 3          that run
  superstep trace show mail-7 --all --content 200")]
    Show {
        /// The thread
        #[arg(add = ArgValueCandidates::new(agents::thread_names))]
        thread: String,
        #[command(flatten)]
        which: Which,
        /// Also the first so many letters of what went in and came out
        #[arg(long, value_name = "LETTERS")]
        content: Option<usize>,
    },
    /// Give runs to other programs, as JSON
    #[command(after_help = "Examples:
  superstep trace export mail-7 --all > trace.json
  superstep trace export mail-7 --format otlp | curl -d @- …

The format `otlp` is a request in OTLP's JSON encoding, as collectors take it. With --to the runs are
sent instead of printed; headers come from OTEL_EXPORTER_OTLP_HEADERS.")]
    Export {
        /// The thread
        #[arg(add = ArgValueCandidates::new(agents::thread_names))]
        thread: String,
        #[command(flatten)]
        which: Which,
        /// In which form
        #[arg(long, default_value = "json")]
        format: ExportFormat,
        /// Send them to this collector, such as http://localhost:4318/v1/traces
        #[cfg(feature = "remote")]
        #[arg(long, value_name = "URL", conflicts_with = "format")]
        to: Option<String>,
    },
}

/// Which runs of a thread.
#[derive(Debug, ClapArgs)]
pub(crate) struct Which {
    /// The run with this number; the last one if absent
    #[arg(long, value_name = "NUMBER", conflicts_with = "all")]
    pub(crate) run: Option<u64>,
    /// All runs
    #[arg(long)]
    pub(crate) all: bool,
    /// Leave out what went in and came out
    #[arg(long)]
    pub(crate) no_content: bool,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The run tree
    Json,
    /// Spans for an OpenTelemetry collector
    Otlp,
}
