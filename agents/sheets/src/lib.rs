//! An agent that works on spreadsheets, step by step.
//!
//! A planner (a model) reads an instruction and the workbook in words, and names one action at a time. Each
//! action is a transaction on a copy: it is applied as a whole and stored as a new version, or changes nothing. What
//! would lose data waits for a person. The input is never modified.
//!
//! ```text
//!              ┌──────────── planner_node ◄────────────┐
//!              │ should_continue                       │
//!              ├─► tool_node ─► (approve_node) ────────┤
//!              ├─► informer_node ──────────────────────┤
//!              ├─► planner_node (no action was named) ─┘
//!              └─► verify ─► end
//! ```
//!
//! | in the source document | here |
//! |---|---|
//! | `GraphState` | [`SheetsState`]: data alone |
//! | `problem: SheetProblem` | [`SheetsState::problem`]: the instruction and the hash of the workbook |
//! | `sandbox`, `planner`, `informer`, `tools` | resources of the graph: [`Models`], [`Settings::sandbox`], [`Settings::extend`]; never in the state |
//! | `max_steps`, `messages` (with `add_messages`), `step` | the same names; `messages` with the reducer `Chat` |
//! | `with_informer` | [`SheetsState::with_informer`]; its output is [`SheetsState::key_info`] |
//! | `planner_node`, `tool_node`, `informer_node`, `should_continue` | nodes and the route of these names ([`Node`]) |
//! | `PythonInterpreter` | the tool of that name; others: `ApplyOperations`, `SheetSelector`, `Informer`, one's own |
//! | the observation, a `ToolMessage` | a tool message with the id of its call |
//! | "Done" or "Finish" in a message | the action `Finish`; words alone end nothing |
//! | `Session.run` | the graph; `run_analysis` is [`Sheets::run_analysis`] |
//!
//! Two nodes are added: `approve_node` asks a person about changes that would lose something, `verify` looks at the
//! result before the end. Loading is done before the run ([`Sheets::begin`]).
//!
//! Begin with [`Sheets`]. The guide is `docs/sheets.md`. [`UsedVersions`] finds the versions in use, [`Mirror`] makes
//! tables of SQL of them, [`Losses`] says what operations would lose, [`Workbench`] is what tools have.

mod analysis;
mod cell_errors;
mod change;
mod contract;
mod error;
mod exec;
mod failure;
mod graph;
mod loss;
mod mirror;
mod nodes;
mod progress;
mod prompt;
mod protocol;
mod result_file;
mod services;
mod session;
mod settings;
mod state;
mod tools;
mod versions;
mod workbench;

pub use analysis::{Analysis, Report, refuse_input};
pub use change::Change;
pub use contract::{MODEL_NODES, SheetsAgent};
pub use error::Error;
pub use exec::{Executed, Execution, exec};
pub use graph::{Models, NewError, Sheets};
pub use loss::{Losses, LostCell};
pub use mirror::{Field, Mirror, MirrorTable, Rows};
pub use progress::Progress;
pub use result_file::{check_result_name, result_file, result_file_of};
pub use session::{
    SheetsSession, calculated_notice, description_notice, executed_notice, printed_notice,
    rows_notice, tables_notices, written_notice,
};
pub use settings::{
    Extend, MAX_FORMAT_ERRORS, QueryLimits, Settings, SheetsTable, USUAL_MAX_STEPS,
    USUAL_OVERWRITES,
};
pub use state::{
    Earlier, KeyInfo, Node, Problem, Proposal, SheetsState, SheetsStateUpdate, Status, StepRecord,
    Verification,
};
pub use tools::{FINISH, INFORMER, UNDO};
pub use versions::{ReferencesError, UsedVersions, WORKBOOKS};
pub use workbench::Workbench;

/// Workbooks and operations on them, for tools of one's own.
#[doc(inline)]
pub use superstep_workbook as workbook;

/// What runs programs.
#[doc(inline)]
pub use superstep_sandbox as sandbox;
