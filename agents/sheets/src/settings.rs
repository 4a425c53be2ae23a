//! What can be chosen about the agent.

mod table;

use std::{sync::Arc, time::Duration};

use superstep::tools::{Policy, ToolsBuilder};
use superstep_agent::Surroundings;
use superstep_sandbox::{Calculator, Limits as ProgramLimits, Sandbox};
use superstep_workbook::Limits;

pub use table::SheetsTable;

/// How many steps a run may take unless something else is said.
pub const USUAL_MAX_STEPS: u32 = 10;

/// How many replies in a row may name no action.
pub const MAX_FORMAT_ERRORS: u32 = 3;

/// How many cells with content may be overwritten, over all steps since a person last agreed, before
/// a person is asked.
pub const USUAL_OVERWRITES: u64 = 100;

/// Adds tools, and services that they take.
pub type Extend = Arc<dyn Fn(ToolsBuilder) -> ToolsBuilder + Send + Sync>;

/// Settings of the agent.
#[derive(Clone)]
pub struct Settings {
    /// How many steps a run may take.
    pub max_steps: u32,
    /// Whether the informer looks at each version before the planner does.
    pub with_informer: bool,
    /// How many cells with content may be overwritten before a person is asked.
    pub overwrites: u64,
    /// Instructions of the planner, instead of the usual ones.
    pub planner_prompt: Option<String>,
    /// Instructions of the informer, instead of the usual ones.
    pub informer_prompt: Option<String>,
    /// How many tokens the description of the workbook may take; a share of what the model can read
    /// if not said.
    pub state_tokens: Option<usize>,
    /// How large workbooks may be.
    pub limits: Limits,
    /// How large queries of the mirror may be.
    pub query: QueryLimits,
    /// What runs programs; without it the planner writes none.
    pub sandbox: Option<Arc<dyn Sandbox>>,
    /// What a program may use.
    pub program: ProgramLimits,
    /// What calculates formulas. Without it they are calculated in this process, with no limit of memory: not for
    /// workbooks of strangers.
    pub calculator: Option<Calculator>,
    /// The day, the time zone and the language that the planner is told of.
    pub surroundings: Surroundings,
    /// More tools for the planner. They may take `Res<Workbench>`.
    pub extend: Option<Extend>,
    /// Which of those need a person.
    pub policy: Policy,
}

/// How large a query of the mirror may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryLimits {
    /// Rows that are given.
    pub rows: usize,
    /// Bytes of text that are given.
    pub bytes: usize,
    /// How long it may take.
    pub time: Duration,
    /// Letters of one text that are given.
    pub text: usize,
    /// Cells that are mirrored; tables beyond them are left out.
    pub cells: usize,
}

impl Default for QueryLimits {
    fn default() -> Self {
        Self {
            rows: 50,
            bytes: 8 << 10,
            time: Duration::from_secs(5),
            text: 200,
            cells: 2_000_000,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_steps: USUAL_MAX_STEPS,
            with_informer: false,
            overwrites: USUAL_OVERWRITES,
            planner_prompt: None,
            informer_prompt: None,
            state_tokens: None,
            limits: Limits::default(),
            query: QueryLimits::default(),
            sandbox: None,
            program: ProgramLimits::default(),
            calculator: None,
            surroundings: Surroundings::default(),
            extend: None,
            policy: Policy::default(),
        }
    }
}

impl Settings {
    /// How many tokens the description of the workbook takes for a model that can read so many.
    pub(crate) fn state_tokens(&self, context: Option<u32>) -> usize {
        let share = context.map_or(usize::MAX, |tokens| {
            usize::try_from(tokens / 5).unwrap_or(usize::MAX)
        });
        self.state_tokens.unwrap_or(share.clamp(300, 4_000))
    }
}
