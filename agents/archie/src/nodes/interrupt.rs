//! Node `analysis_interrupt`: asks the person, and checks whether the answer is an approval.
//!
//! It is the only place that writes `approved`, and what it judges is an answer to its own question:
//! a document or a model that says the words approves nothing.

use superstep::{Ctx, NodeError, Res, Snap};

use crate::{
    approval::{Confirmed, Verdict},
    services::Services,
    state::{Analysis, AnalysisUpdate, Kind, Question},
};

const CONFIRM: &str =
    "Do you approve the solution as it is? Yes writes the analysis, no continues the conversation.";

pub(crate) async fn analysis_interrupt(
    state: Snap<Analysis>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<AnalysisUpdate, NodeError> {
    let turn = state.turn();
    let query = state.current_analysis_query.clone().unwrap_or_default();
    let kind = Kind::Question;
    let said = ctx.ask_checked(Question { query, turn, kind }, not_blank)?;
    let said = said.trim().to_owned();
    let keywords = &services.settings.keywords;
    let (said, approved) = match keywords.judge(&said) {
        Verdict::Approves => (said, true),
        Verdict::GoesOn => (said, false),
        Verdict::MayApprove => {
            let query = CONFIRM.to_owned();
            let kind = Kind::Confirm;
            let more = ctx.ask_checked(Question { query, turn, kind }, not_blank)?;
            match keywords.confirm(&more) {
                Confirmed::Yes => (said, true),
                Confirmed::No => (said, false),
                Confirmed::Says => (format!("{said}\n\n{}", more.trim()), false),
            }
        }
    };
    Ok(Analysis::update().user_input(said).approved(approved))
}

#[allow(
    clippy::ptr_arg,
    reason = "the rule is for the answer's type, which is a String"
)]
fn not_blank(answer: &String) -> Result<(), String> {
    if answer.trim().is_empty() {
        return Err("the answer is empty; say something, or /approve".into());
    }
    Ok(())
}
