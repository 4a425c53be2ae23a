//! Arguments of `superstep trace`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

/// What can be done with traces.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    /// List threads, or the runs of one
    #[command(after_help = "Examples:
  superstep trace list                 all threads with a log
  superstep trace list mail-7 --json   the runs of one")]
    List {
        /// The thread
        thread: Option<String>,
    },
    /// Show a run as a tree
    #[command(after_help = "Examples:
  superstep trace show mail-7                  its last run
  superstep trace show last                    of the thread that was used last
  superstep trace show mail-7 --run 3          that run
  superstep trace show mail-7 --all --content 200")]
    Show {
        /// The thread, or `last`
        thread: String,
        #[command(flatten)]
        which: Which,
        /// Also the first N characters of inputs and outputs
        #[arg(long, value_name = "LETTERS")]
        content: Option<usize>,
    },
    /// Export runs as JSON, or send them to a collector
    #[command(after_help = "Examples:
  superstep trace export mail-7 --all > trace.json
  superstep trace export mail-7 --format otlp | curl -d @- …

The format `otlp` is an OTLP request in JSON, as collectors accept it. With --to the runs are
sent instead of printed; headers come from OTEL_EXPORTER_OTLP_HEADERS.")]
    Export {
        /// The thread
        thread: String,
        #[command(flatten)]
        which: Which,
        /// Export format
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
    /// Omit inputs and outputs
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
