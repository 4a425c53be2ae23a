//! Node `verify`: looks at the result before the end. It reports and changes nothing.

use superstep::{
    NodeError, Res, Snap,
    model::{
        Message,
        message::{ToolReply, ToolStatus},
    },
};
use superstep_workbook::{Changes, Workbook};

use crate::{
    cell_errors::new_errors,
    error::node,
    services::{Services, blocking},
    state::{SheetsState, SheetsStateUpdate, Status, Verification},
};

pub(crate) async fn verify(
    state: Snap<SheetsState>,
    services: Res<Services>,
) -> Result<SheetsStateUpdate, NodeError> {
    let services = services.0;
    let before = services
        .workbook(&state.problem.workbook)
        .await
        .map_err(node)?;
    let after = services.workbook(&state.version).await.map_err(node)?;
    let verification = blocking(move || Ok(looked_at(&before, &after))).await;
    let mut verification = verification.map_err(node)?;
    let made = state.in_effect();
    verification.not_calculated = made.last().and_then(|record| record.calculation.clone());
    for warning in made.iter().flat_map(|record| &record.warnings) {
        if !verification.warnings.contains(warning) {
            verification.warnings.push(warning.clone());
        }
    }
    let update = SheetsState::update().verification(Some(verification));
    if state.status != Status::Running {
        return Ok(update);
    }
    let update = update.status(Status::StepLimit);
    // An action that is not taken is answered all the same.
    Ok(match state.open_call() {
        None => update,
        Some(call) => update.messages(vec![Message::from(ToolReply {
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            content: "not taken: no action was left".into(),
            status: ToolStatus::Error,
        })]),
    })
}

fn looked_at(before: &Workbook, after: &Workbook) -> Verification {
    let changes = Changes::between(before, after);
    Verification {
        cells: changes.cell_count,
        formats: changes.format_count,
        sheets: changes.sheets_added.len()
            + changes.sheets_removed.len()
            + changes.sheets_renamed.len(),
        new_errors: new_errors(before, after),
        not_calculated: None,
        warnings: Vec::new(),
    }
}
