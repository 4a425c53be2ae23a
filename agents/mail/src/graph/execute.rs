//! Execution of one approved call, as a task of its own.

use superstep::{
    Ctx, Input, NodeError, Res, Snap,
    model::message::ToolStatus,
    tools::{Checked, Terms, check_unread, make},
};

use super::{Job, ReplyState, ReplyStateUpdate, review::ApprovalReviewer, turn::result};
use crate::{
    agenda::{Agenda, thread},
    cautions::Cautions,
    services::Services,
    tools::CallValidator,
};

pub(super) async fn make_call(
    Input(job): Input<Job>,
    state: Snap<ReplyState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<ReplyStateUpdate, NodeError> {
    let Some(input) = &state.email_input else {
        return Ok(ReplyState::update());
    };
    let bound = services.check_account(state.account.as_deref());
    bound.map_err(|error| NodeError::failed(error.failure()))?;
    let call = &job.call;
    let scope = services.scope(&ctx).await?;
    let here = (scope.as_ref(), Some(call));
    let validator = CallValidator::new(&services.0, &ctx, input, here, job.at).await?;
    let mut left = Vec::new();
    let message = match validator.parse(call) {
        Err(why) => {
            check_unread(&ctx, call, &why)?;
            result(&ctx, 0, call, &why, ToolStatus::Error)
        }
        Ok(parsed) => {
            let proposals = services.proposals(&ctx)?;
            let agenda = Agenda::of(&parsed, &services, &proposals, &thread(&ctx)).await?;
            let news = agenda.map(|agenda| agenda.news(&job.conflicts));
            let mut reviewer = ApprovalReviewer {
                conflicts: news.unwrap_or_default(),
                judged: Cautions::of(state.judgement.as_ref(), None).warnings,
                call: &parsed,
                run: Terms {
                    mode: services.settings.mode(),
                    scope,
                },
                approved: job.terms.clone(),
                is_left: false,
            };
            let checked = Checked {
                call: call.clone(),
                access: parsed.access,
                parsed: Box::new(parsed.clone()),
            };
            let made = make(&ctx, validator.tools(), &checked, &mut reviewer).await?;
            if reviewer.is_left {
                left.push(call.id.clone());
            }
            made.with_id(ctx.idempotency_key("result 0"))
        }
    };
    Ok(ReplyState::update().messages(vec![message]).left(left))
}
