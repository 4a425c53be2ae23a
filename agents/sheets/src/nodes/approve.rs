//! Node `approve_node`: a person decides about changes that would lose something or reach outside the workbook. The changes are those of the
//! proposal in the state, whatever the tool would say if it ran again.

use serde_json::{Map, Value as Json, json};
use superstep::{
    Ctx, NodeError, Res, Snap,
    model::ToolCall,
    text::single_line,
    tools::{Capabilities, Decision, ask_approval},
};

use super::tool::{Made, Step};
use crate::{
    change::Change,
    error::node,
    services::Services,
    state::{Proposal, SheetsState, SheetsStateUpdate},
};

/// What a person is asked about.
pub(crate) const NAME: &str = "apply_changes";

pub(crate) async fn approve_node(
    state: Snap<SheetsState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<SheetsStateUpdate, NodeError> {
    let Some(proposal) = &state.proposal else {
        return Ok(SheetsState::update());
    };
    let step = Step {
        state: &state,
        services: &services.0,
        ctx: &ctx,
        call: &proposal.call,
    };
    if let Some(refusal) = refusal(&ctx, proposal).await? {
        let said = &proposal.observation;
        return step.failed(format!("{said}\n{refusal}")).await;
    }
    let change = Change::load(&services.0.versions, &proposal.log).await;
    let change = change.map_err(node)?;
    match step.assess(&change).await.map_err(node)? {
        Ok(assessed) => {
            let made = Made {
                said: proposal.observation.clone(),
                warnings: proposal.warnings.clone(),
                approved: true,
            };
            // Who agreed to no loss was not asked about those before.
            let overwritten = match proposal.losses.is_empty() {
                true => state
                    .overwritten
                    .saturating_add(assessed.losses.overwritten),
                false => 0,
            };
            let update = step.commit(&change, assessed, made).await?;
            Ok(update.overwritten(overwritten))
        }
        Err(why) => step.failed(why).await,
    }
}

/// Asks the person. Gives what the planner reads if the changes are not to be made.
async fn refusal(ctx: &Ctx, proposal: &Proposal) -> Result<Option<String>, NodeError> {
    let args = json!({
        "tool": proposal.call.name,
        "losses": proposal.losses,
        "changes": proposal.log,
    });
    let Json::Object(mut args) = args else {
        return Ok(None);
    };
    if !proposal.cells.is_empty() {
        args.insert("cells".into(), json!(proposal.cells));
    }
    for (name, lines) in [
        ("outward", &proposal.outward),
        ("warnings", &proposal.warnings),
    ] {
        if !lines.is_empty() {
            args.insert(name.into(), json!(lines));
        }
    }
    let why = format!(
        "A person decides about every call of `{NAME}`.\n\n{}",
        described(&args)
    );
    let call = ToolCall {
        id: proposal.call.id.clone(),
        name: NAME.into(),
        args,
    };
    let check = |decision: &Decision| match decision {
        Decision::Edit(args) if *args != call.args => Err(
            "changes are made as they are or not at all; refuse them and say what you want".into(),
        ),
        _ => Ok(()),
    };
    let decision = ask_approval(ctx, &call, Capabilities::WRITE, why, check).await?;
    Ok(decision.refusal())
}

fn described(args: &Map<String, Json>) -> String {
    let lines = |name: &str, title: &str, before: &str| -> String {
        let items = args.get(name).and_then(Json::as_array);
        let items = items.into_iter().flatten().filter_map(Json::as_str);
        let items: String = items
            .map(|line| format!("{before}{}\n", single_line(line)))
            .collect();
        match items.is_empty() {
            true => items,
            false => format!("{title}{items}"),
        }
    };
    let lost = "This step changes the workbook so that something is lost:\n";
    let outward = "This step adds what reaches outside the workbook when it is opened, calculated or \
                   clicked:\n";
    format!(
        "{}{}{}The input file stays as it is, and the version before this step is kept.",
        lines("losses", lost, "- "),
        lines("outward", outward, "- "),
        lines("warnings", "", "warning: ")
    )
}
