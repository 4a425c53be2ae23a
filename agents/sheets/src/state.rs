//! State of a thread and the nodes that write it.
//!
//! All of it is data. Models, tools and the sandbox are resources of the graph; workbooks are versions by
//! hash, so checkpoints stay small and an older one has its workbook.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use superstep::{
    Nodes, State,
    model::{Body, Message, ToolCall},
    tools::Chat,
};

use crate::{loss::LostCell, tools::UNDO};

/// The state of a thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct SheetsState {
    /// What is to be done, with which workbook.
    pub problem: Problem,
    /// What was said: instructions, thoughts and actions of the planner, observations.
    #[reduce(Chat)]
    pub messages: Vec<Message>,
    /// How many actions were taken for the instruction.
    pub step: u32,
    /// How many may be taken.
    pub max_steps: u32,
    /// Whether the informer looks at each version before the planner does.
    pub with_informer: bool,
    /// The version of the workbook, by its hash.
    pub version: String,
    /// What each action did.
    #[reduce(superstep::Append)]
    pub op_log: Vec<StepRecord>,
    /// The workbook in words.
    pub sheet_state: String,
    /// What the informer found out.
    pub key_info: Option<KeyInfo>,
    /// Changes that a person has to approve.
    #[state(sealed)]
    pub proposal: Option<Proposal>,
    /// Cells with content that were overwritten since a person last agreed.
    #[state(sealed)]
    pub overwritten: u64,
    /// Sheets that the agent added: it may do with them what it wants.
    #[state(sealed)]
    pub own_sheets: Vec<String>,
    /// The workbook as the thread was given it: an instruction that names none continues it.
    #[state(sealed)]
    pub given: String,
    /// What each change of this instruction can be taken back to, the last one at the end.
    #[state(sealed)]
    pub earlier: Vec<Earlier>,
    /// How many replies in a row named no action.
    pub format_errors: u32,
    /// What the planner said at the end.
    pub answer: Option<String>,
    /// How far it has come.
    pub status: Status,
    /// What a look at the result showed.
    pub verification: Option<Verification>,
}

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Problem {
    /// The instruction, in words.
    pub instruction: String,
    /// The name of the workbook's file, without its folders.
    pub file: String,
    /// The hash of the workbook as it was given.
    pub workbook: String,
    /// The names of its sheets.
    pub sheets: Vec<String>,
    /// Where the workbook was, if it was a file.
    pub input: Option<String>,
    /// Where the result goes, if it goes to a file.
    pub output: Option<String>,
    /// The thread that writes it: a copy of the thread has a file of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
}

/// One action and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Its number, from 1, counted over all instructions of the thread.
    pub step: u32,
    /// The call.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// Whether it worked. One that did not has changed nothing.
    pub is_done: bool,
    /// How many operations of which kind it was.
    pub operations: BTreeMap<String, usize>,
    /// The operations as JSON, by hash, if there were any.
    pub log: Option<String>,
    /// The version after it.
    pub version: String,
    /// Whether the values of its formulas are right.
    pub calculation: Option<String>,
    /// Whether a person approved it.
    #[serde(default)]
    pub approved: bool,
    /// What may be wrong in the version although it worked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What the informer found out about a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyInfo {
    /// The version.
    pub version: String,
    /// The query, if one was made.
    pub sql: Option<String>,
    /// What it gave; nothing if there was nothing to find out.
    pub text: String,
}

/// Changes that a person has to approve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The call that wants them.
    pub call: ToolCall,
    /// What the tool said.
    pub observation: String,
    /// The operations as JSON, by hash.
    pub log: String,
    /// What would be lost, in words.
    pub losses: Vec<String>,
    /// New formulas and links that reach outside the workbook, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outward: Vec<String>,
    /// The first cells that would lose their content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<LostCell>,
    /// What may be wrong afterwards, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The workbook before a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// The number of the action that made the change.
    pub step: u32,
    /// The version.
    pub version: String,
    /// Sheets that the agent had added by then.
    pub own_sheets: Vec<String>,
}

/// How far a thread has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is at work.
    #[default]
    Running,
    /// The planner said that it is done.
    Finished,
    /// It took all its steps; what was done until then is kept.
    StepLimit,
    /// Too many replies of the planner named no action; what was done until then is kept.
    FormatErrors,
}

impl Status {
    /// Its name, as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::StepLimit => "step_limit",
            Self::FormatErrors => "format_errors",
        }
    }
}

/// What a look at the result showed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// Cells with another value or formula than in the input.
    pub cells: usize,
    /// Cells that look different.
    pub formats: usize,
    /// Sheets that were added, removed or renamed.
    pub sheets: usize,
    /// Cells that show an error and did not before: the first of them.
    pub new_errors: Vec<String>,
    /// Whether some values of formulas are not calculated, and why.
    pub not_calculated: Option<String>,
    /// What may be wrong in the result although all steps worked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The nodes of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum Node {
    /// Has the planner choose the next action.
    PlannerNode,
    /// Takes it, in a transaction.
    ToolNode,
    /// Asks a person about changes that would lose something or reach outside the workbook.
    ApproveNode,
    /// Looks something up for the planner.
    InformerNode,
    /// Looks at the result.
    Verify,
}

impl SheetsState {
    /// The action that the planner wants and that has no observation yet.
    pub fn open_call(&self) -> Option<&ToolCall> {
        let mut answered = Vec::new();
        for message in self.messages.iter().rev() {
            match &message.body {
                Body::Tool(reply) => answered.push(&reply.tool_call_id),
                Body::Model(reply) => {
                    return reply
                        .tool_calls
                        .iter()
                        .find(|call| !answered.contains(&&call.id));
                }
                Body::System { .. } | Body::User { .. } => return None,
            }
        }
        None
    }

    /// How many actions the thread has taken, for all of its instructions. The next one has the number after it.
    pub fn taken(&self) -> u32 {
        u32::try_from(self.op_log.len()).unwrap_or(u32::MAX)
    }

    /// The number of the last action that may be taken for the instruction.
    pub fn last_step(&self) -> u32 {
        let before = self.taken().saturating_sub(self.step);
        before.saturating_add(self.max_steps)
    }

    /// The version after an action, by its number as progress shows it; after none of them it is the workbook as it was
    /// given. None if the thread has not taken so many.
    pub fn version_at(&self, step: u32) -> Option<&str> {
        match step.checked_sub(1) {
            None => Some(&self.problem.workbook),
            Some(before) => {
                let record = self.op_log.get(usize::try_from(before).ok()?)?;
                Some(&record.version)
            }
        }
    }

    /// The changes that are part of the workbook now, in their order: those that were not undone.
    pub fn in_effect(&self) -> Vec<&StepRecord> {
        let mut kept = Vec::new();
        for record in self.op_log.iter().filter(|record| record.is_done) {
            if record.tool == UNDO {
                kept.pop();
            } else if record.log.is_some() {
                kept.push(record);
            }
        }
        kept
    }

    /// Whether the informer has to look at this version before the planner does.
    pub(crate) fn wants_info(&self) -> bool {
        let is_known = self
            .key_info
            .as_ref()
            .is_some_and(|info| info.version == self.version);
        self.with_informer && !is_known && self.open_call().is_none()
    }
}
