//! Arguments of `sheet`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum, ValueHint};

/// What can be done with spreadsheets.
#[derive(Debug, Subcommand)]
pub(crate) enum SheetCommand {
    /// Carry out an instruction on a workbook, step by step
    #[command(after_help = "Examples:
  superstep sheet run sales.xlsx -i 'Add a column with units times price'
  superstep sheet run sales.xlsx -i 'Which region sells most?' --dry-run --informer
  superstep sheet run sales.xlsx -i 'Sort by date' -o sorted.xlsx --max-steps 5 --json

The workbook is never modified: the result is another file. Each step is stored; a step that fails changes
nothing. What would delete data or overwrite many cells is shown to you first. Exit code 3 means that a
question is open: answer it with `superstep threads resume`; 5 means that no step was left.")]
    Run {
        /// The workbook, an .xlsx file
        #[arg(value_hint = ValueHint::FilePath)]
        workbook: PathBuf,
        #[command(flatten)]
        what: SheetRun,
    },
    /// Carry out another instruction on the result of a thread
    #[command(after_help = "Examples:
  superstep sheet continue sheets-7f3k2m -i 'Now make the header bold'
  superstep sheet continue sheets-7f3k2m -i 'Add a chart' -o chart.xlsx")]
    Continue {
        /// The thread
        thread: String,
        #[command(flatten)]
        what: SheetRun,
    },
    /// Answer the open question of a thread, and continue with it
    #[command(after_help = "Examples:
  superstep sheet answer sheets-7f3k2m accept
  superstep sheet answer sheets-7f3k2m accept --question 3b0e935b
  superstep sheet answer sheets-7f3k2m refuse --say 'Keep the rows of 2024'

What is answered is printed before. With --question nothing is done if another question is open by now.
`superstep threads resume` asks at the terminal instead.")]
    Answer {
        /// The thread
        thread: String,
        /// What you decide about the changes
        verdict: SheetVerdict,
        /// What the planner reads about a refusal
        #[arg(long, value_name = "TEXT")]
        say: Option<String>,
        /// Only if this question is open: its id, or the beginning of it
        #[arg(long, value_name = "ID")]
        question: Option<String>,
    },
    /// Write the workbook of a thread, as it is or as it was at a step
    #[command(after_help = "Examples:
  superstep sheet save sheets-7f3k2m -o result.xlsx
  superstep sheet save sheets-7f3k2m --at 2 -o after-step-2.xlsx
  superstep sheet save sheets-7f3k2m --at 0 -o as-given.xlsx

Steps have the numbers that `sheet run` and `sheet continue` print.")]
    Save {
        /// The thread
        thread: String,
        /// After this step, by its number (0 is the workbook as it was given); or at a checkpoint, by its id
        #[arg(long, value_name = "STEP")]
        at: Option<String>,
        #[command(flatten)]
        to: SheetOutput,
    },
    /// Run a Python program on a workbook, without a model
    #[command(after_help = "Examples:
  superstep sheet exec sales.xlsx --code total.py -o result.xlsx
  superstep sheet exec sales.xlsx --code look.py --dry-run
  generate | superstep sheet exec sales.xlsx --code - -o result.xlsx

`workbook` is the open workbook, as openpyxl has it; `save` writes to the output and nowhere else. The
program is contained: no files, no network, limited time and memory.")]
    Exec {
        /// The workbook, an .xlsx file
        #[arg(value_hint = ValueHint::FilePath)]
        workbook: PathBuf,
        /// The program; `-` is what is piped in
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        code: PathBuf,
        /// The file for the result
        #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "dry_run")]
        output: Option<PathBuf>,
        /// Replace the file if it exists
        #[arg(long)]
        force: bool,
        /// Write no file; show what would change
        #[arg(long, conflicts_with = "output")]
        dry_run: bool,
        /// Which sandbox
        #[arg(long, value_name = "NAME")]
        sandbox: Option<String>,
    },
    /// Calculate the formulas of a workbook
    #[command(after_help = "Examples:
  superstep sheet recalc report.xlsx -o calculated.xlsx
  superstep sheet recalc report.xlsx -o calculated.xlsx --json")]
    Recalc {
        /// The workbook, an .xlsx file
        #[arg(value_hint = ValueHint::FilePath)]
        workbook: PathBuf,
        #[command(flatten)]
        to: SheetOutput,
    },
    /// Describe a workbook as a model reads it, or query it
    #[command(after_help = "Examples:
  superstep sheet state sales.xlsx
  superstep sheet state sales.xlsx --tokens 500
  superstep sheet state sales.xlsx --sql 'SELECT \"Region\", sum(\"Units\") FROM \"Data\" GROUP BY 1'")]
    State {
        /// The workbook, an .xlsx file
        #[arg(value_hint = ValueHint::FilePath)]
        workbook: PathBuf,
        /// In about so many tokens
        #[arg(long, value_name = "NUMBER", default_value_t = 4_000)]
        tokens: usize,
        /// Run one SELECT over the tables of the workbook instead
        #[arg(long, value_name = "SELECT", conflicts_with = "tables")]
        sql: Option<String>,
        /// List the tables that can be queried instead
        #[arg(long)]
        tables: bool,
    },
    /// Delete versions of workbooks that no thread and no server refers to
    #[command(after_help = "Examples:
  superstep sheet prune
  superstep sheet prune --yes --json")]
    Prune,
}

/// What a person decides about changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SheetVerdict {
    /// Make them
    Accept,
    /// Do not make them
    Refuse,
}

/// How an instruction is carried out.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct SheetRun {
    /// What is to be done, in words
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) instruction: String,
    /// The file for the result [default: NAME-result.xlsx beside the workbook]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Look facts up by SQL before each step
    #[arg(long)]
    pub(crate) informer: bool,
    /// Which sandbox runs programs of the model [default: embedded]
    #[arg(long, value_name = "NAME")]
    pub(crate) sandbox: Option<String>,
    /// Take at most this many steps [default: 10]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) max_steps: Option<u32>,
    /// Write no file; show what would change
    #[arg(long, conflicts_with_all = ["output", "force"])]
    pub(crate) dry_run: bool,
}

/// Where a workbook is written.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct SheetOutput {
    /// The file
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Replace it if it exists
    #[arg(long)]
    pub(crate) force: bool,
}
