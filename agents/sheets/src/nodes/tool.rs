//! Node `tool_node`: takes the action of the planner in a transaction. What it does to the workbook is
//! applied as a whole and stored as a new version, or not at all; what would lose something waits for a
//! person.

use std::{collections::BTreeMap, sync::Arc};

use superstep::{
    Ctx, NodeError, Res, Snap,
    model::{
        Body, Label, Message, ToolCall,
        message::{ToolReply, ToolStatus},
    },
    tools::execute,
};

use superstep_workbook::Changes;

use crate::{
    cell_errors::new_errors,
    change::{Assessed, Change},
    error::{Error, node},
    progress::Progress,
    services::{Services, blocking},
    state::{Earlier, Proposal, SheetsState, SheetsStateUpdate, StepRecord},
    tools::UNDO,
};

/// How many results of new formulas are shown.
const RESULTS: usize = 10;

/// The longest observation about changes, in bytes.
const LONGEST: usize = 3_000;

pub(crate) async fn tool_node(
    state: Snap<SheetsState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<SheetsStateUpdate, NodeError> {
    let Some(call) = state.open_call().cloned() else {
        return Ok(SheetsState::update());
    };
    let services = services.0;
    let step = Step {
        state: &state,
        services: &services,
        ctx: &ctx,
        call: &call,
    };
    if call.name == UNDO {
        return step.undo().await;
    }
    let book = services.workbook(&state.version).await.map_err(node)?;
    let (tools, bench) = services
        .tools(&state.problem.file, Some(book))
        .map_err(node)?;
    let policy = &services.settings.policy;
    let message = execute(&ctx, &tools, policy, &call, &state.messages).await?;
    let said = message.text();
    let is_error = match &message.body {
        Body::Tool(reply) => reply.status == ToolStatus::Error,
        _ => false,
    };
    // A tool that failed has proposed nothing.
    let change = bench.proposed();
    match is_error {
        true => step.failed(said).await,
        false if change.is_empty() => step.observed(said).await,
        false => step.change(change, said, bench.warnings()).await,
    }
}

/// An action that is being taken.
pub(super) struct Step<'a> {
    pub(super) state: &'a SheetsState,
    pub(super) services: &'a Arc<Services>,
    pub(super) ctx: &'a Ctx,
    pub(super) call: &'a ToolCall,
}

/// What belongs to a change that is made.
pub(super) struct Made {
    /// What the tool said.
    pub(super) said: String,
    /// What may be wrong afterwards.
    pub(super) warnings: Vec<String>,
    /// Whether a person approved it.
    pub(super) approved: bool,
}

impl Step<'_> {
    /// It did not work; nothing was changed.
    pub(super) async fn failed(&self, why: String) -> Result<SheetsStateUpdate, NodeError> {
        let record = self.record(false);
        let text = format!("{why}\nNothing was changed.");
        Ok(self.done(text, record).await)
    }

    /// It changed nothing, and was not meant to.
    pub(super) async fn observed(&self, said: String) -> Result<SheetsStateUpdate, NodeError> {
        let record = self.record(true);
        let text = match said.trim().is_empty() {
            true => "(no output, nothing was changed)".to_owned(),
            false => said,
        };
        Ok(self.done(text, record).await)
    }

    /// Goes back to the version before the last change of the instruction.
    async fn undo(&self) -> Result<SheetsStateUpdate, NodeError> {
        let mut earlier = self.state.earlier.clone();
        let Some(Earlier {
            step,
            version,
            own_sheets,
        }) = earlier.pop()
        else {
            let why = "there is no change of this instruction to undo";
            return self.failed(why.into()).await;
        };
        let (services, book) = (self.services.clone(), self.services.workbook(&version));
        let book = book.await.map_err(node)?;
        let described = blocking(move || Ok(services.describe(&book)));
        let described = described.await.map_err(node)?;
        let record = StepRecord {
            version: version.clone(),
            ..self.record(true)
        };
        let text = format!("The change of action {step} is undone.");
        let update = self.done(text, record).await;
        Ok(update
            .version(version)
            .sheet_state(described)
            .own_sheets(own_sheets)
            .earlier(earlier))
    }

    /// It wants to change something: made, proposed to a person, or refused.
    async fn change(
        &self,
        change: Change,
        said: String,
        warnings: Vec<String>,
    ) -> Result<SheetsStateUpdate, NodeError> {
        let assessed = match self.assess(&change).await.map_err(node)? {
            Ok(assessed) => assessed,
            Err(why) => return self.failed(format!("{said}\n{why}")).await,
        };
        let overwritten = self.state.overwritten;
        let most = self.services.settings.overwrites;
        let losses = assessed.losses.question(overwritten, most);
        if losses.is_some() || !assessed.outward.is_empty() {
            let log = self.stored(&change).await.map_err(node)?;
            return Ok(SheetsState::update().proposal(Some(Proposal {
                call: self.call.clone(),
                observation: said,
                log,
                losses: losses.unwrap_or_default(),
                cells: assessed.losses.cells,
                outward: assessed.outward,
                warnings,
            })));
        }
        let overwritten = overwritten.saturating_add(assessed.losses.overwritten);
        let made = Made {
            said,
            warnings,
            approved: false,
        };
        let update = self.commit(&change, assessed, made).await?;
        Ok(update.overwritten(overwritten))
    }

    /// What a change would do, or why it cannot be done.
    pub(super) async fn assess(&self, change: &Change) -> Result<Result<Assessed, String>, Error> {
        let book = self.services.workbook(&self.state.version).await?;
        let own = self.state.own_sheets.clone();
        let (change, services) = (change.clone(), self.services.clone());
        blocking(move || {
            let assessed = change.assess(&book, &own, &services.settings);
            Ok(assessed.map_err(|error| format!("[{}] {error}", error.code())))
        })
        .await
    }

    /// Makes a change: a new version, and an observation of what is different.
    pub(super) async fn commit(
        &self,
        change: &Change,
        assessed: Assessed,
        made: Made,
    ) -> Result<SheetsStateUpdate, NodeError> {
        let Made {
            said,
            warnings,
            approved,
        } = made;
        let Assessed {
            losses,
            outward: _,
            after,
            changes,
        } = assessed;
        let committed = match self.services.commit(after).await {
            Ok(committed) => committed,
            Err(Error::Workbook(error)) => {
                let why = format!("{said}\n[{}] {error}", error.code());
                return self.failed(why).await;
            }
            Err(error) => return Err(node(error)),
        };
        let log = self.stored(change).await.map_err(node)?;
        let calculated = self.calculated(&committed.version, &changes).await;
        let calculated = calculated.map_err(node)?;
        let not_calculated = committed.calculation.told();
        let record = StepRecord {
            operations: change.kinds(),
            log: Some(log),
            version: committed.version.clone(),
            calculation: not_calculated.clone(),
            approved,
            warnings: warnings.clone(),
            ..self.record(true)
        };
        let mut text = String::new();
        if !said.trim().is_empty() {
            text.push_str(said.trim_end());
            text.push_str("\n\n");
        }
        text.push_str("Changed:\n");
        let reported = changes.to_string();
        let end = reported.floor_char_boundary(LONGEST);
        text.push_str(reported.get(..end).unwrap_or(&reported));
        if end < reported.len() {
            text.push_str("\n(and more)");
        }
        text.push_str(&calculated);
        if let Some(why) = &not_calculated {
            text.push_str(&format!("\nFormulas were not calculated: {why}"));
        }
        for warning in &warnings {
            text.push_str(&format!("\nWarning: {warning}"));
        }
        if !warnings.is_empty() {
            text.push_str(
                "\nCorrect what is wrong now. The operations insert_rows, delete_rows, insert_columns and \
                 delete_columns move all that names cells.",
            );
        }
        let mut earlier = self.state.earlier.clone();
        earlier.push(Earlier {
            step: record.step,
            version: self.state.version.clone(),
            own_sheets: self.state.own_sheets.clone(),
        });
        let update = self.done(text, record).await;
        Ok(update
            .version(committed.version)
            .sheet_state(committed.sheet_state)
            .own_sheets(losses.own_sheets)
            .earlier(earlier))
    }

    /// Results of new formulas, and new errors anywhere in the workbook.
    async fn calculated(&self, version: &str, changes: &Changes) -> Result<String, Error> {
        let before = self.services.workbook(&self.state.version).await?;
        let after = self.services.workbook(version).await?;
        let formulas = changes.cells.iter().filter_map(|change| {
            let sheet = after.sheet(&change.sheet).ok()?;
            let cell = sheet.cell(change.cell)?;
            cell.formula()?;
            let shown = after.shown(cell);
            (!shown.is_empty()).then(|| format!("{:?}!{} is {shown}", change.sheet, change.cell))
        });
        let results: Vec<String> = formulas.take(RESULTS).collect();
        blocking(move || {
            let mut text = String::new();
            for (title, lines) in [
                ("\nCalculated", results),
                ("\nNew errors, to be corrected", new_errors(&before, &after)),
            ] {
                if !lines.is_empty() {
                    text.push_str(&format!("{title}: {}", lines.join("; ")));
                }
            }
            Ok(text)
        })
        .await
    }

    /// The action is over: its observation, and its record.
    async fn done(&self, text: String, record: StepRecord) -> SheetsStateUpdate {
        let status = match record.is_done {
            true => ToolStatus::Success,
            false => ToolStatus::Error,
        };
        self.ctx
            .emit(Progress::Observed {
                step: record.step,
                tool: self.call.name.clone(),
                is_done: record.is_done,
                observation: text.clone(),
            })
            .await;
        // What is in cells is in it.
        let message = Message::from(ToolReply {
            tool_call_id: self.call.id.clone(),
            name: self.call.name.clone(),
            content: text.into(),
            status,
        });
        let id = self.ctx.idempotency_key("observation");
        let message = message.labeled(Label::Untrusted).with_id(id);
        SheetsState::update()
            .messages(vec![message])
            .step(self.state.step + 1)
            .op_log(vec![record])
            .proposal(None)
    }

    fn record(&self, is_done: bool) -> StepRecord {
        StepRecord {
            step: self.state.taken().saturating_add(1),
            call: self.call.id.clone(),
            tool: self.call.name.clone(),
            is_done,
            operations: BTreeMap::new(),
            log: None,
            version: self.state.version.clone(),
            calculation: None,
            approved: false,
            warnings: Vec::new(),
        }
    }

    async fn stored(&self, change: &Change) -> Result<String, Error> {
        change.store(&self.services.versions).await
    }
}
