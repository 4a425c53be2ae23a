//! The approval question about one call: the person sees exactly what would be done.

use jiff::Timestamp;
use serde_json::Value as Json;
use superstep::{
    Ctx, Input, NodeError, Res, Snap,
    tools::{Decision, Digest, ParsedCall as _, Terms},
};

use super::{Decided, EmailInput, Pending, ReplyState, ReplyStateUpdate, guided::Handling};
use crate::{
    mode::{describe, revealed},
    prompt::shown,
    services::Services,
    tools::{CHECK, CallValidator, QUESTION, SCHEDULE, SEND, ToolRequest},
    wire::{Action, Allowed, Asked, Item, WORDS, decide},
};

/// Asks about one call, and does nothing else.
pub(super) async fn interrupt_handler(
    Input(pending): Input<Pending>,
    state: Snap<ReplyState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<ReplyStateUpdate, NodeError> {
    let Some(input) = &state.email_input else {
        return Ok(ReplyState::update());
    };
    let call = &pending.call;
    let scope = services.scope(&ctx).await?;
    let (decision, mode) = match call.name.as_str() {
        CHECK => (Decision::Direct, services.settings.mode()),
        _ => {
            let (here, now) = (scope.as_ref(), Timestamp::now());
            let validator = CallValidator::new(&services.0, &ctx, input, here, now).await?;
            let note = state.small.as_ref().and_then(Handling::note);
            let mut item = item(&pending, input, &services, &validator, note);
            item.digest = Some(Digest::of::<Asked>(call, here, ctx.task_id(), 0));
            let check = |decision: &Decision| match decision.edited(call) {
                Some(edited) => validator.parse(&edited).map(|_| ()),
                None => Ok(()),
            };
            decide(&ctx, item, here, pending.mode, check)?
        }
    };
    Ok(ReplyState::update().decided([Decided {
        turn: pending.turn,
        place: pending.place,
        decision,
        at: Timestamp::now(),
        terms: Terms { mode, scope },
    }]))
}

/// The question about a call.
fn item(
    pending: &Pending,
    input: &EmailInput,
    services: &Services,
    validator: &CallValidator,
    note: Option<String>,
) -> Item {
    let (call, mode) = (&pending.call, pending.mode);
    let takes_effect = [SEND, SCHEDULE].contains(&call.name.as_str());
    let parsed = validator.parse(call).ok();
    let title = match parsed.as_ref().map(|parsed| &parsed.request) {
        Some(ToolRequest::Send(_)) => "A reply",
        Some(ToolRequest::Schedule(_)) => "A meeting",
        Some(ToolRequest::Question(_)) => "A question",
        _ => call.name.as_str(),
    };
    let text = parsed.as_ref().and_then(|parsed| parsed.describe());
    let about = match text {
        Some(text) if takes_effect => describe(mode, title, &text),
        Some(text) => format!("# {title}\n\n{}", revealed(&text)),
        None => format!("# {title}\n"),
    };
    let note = note.filter(|_| call.name == SEND);
    let view = parsed.map(|parsed| {
        let mut view = parsed.view(title);
        let options = call.args.get("answers").and_then(Json::as_array);
        let options = options.into_iter().flatten().filter_map(Json::as_str);
        view.options = options.map(str::to_owned).collect();
        view.text = view.text.or_else(|| note.clone());
        Box::new(view)
    });
    let note = note.map(|note| format!("\n{note}\n")).unwrap_or_default();
    let mail = shown(&input.mail, &services.zone);
    Item {
        action_request: Action::from(call),
        config: if call.name == QUESTION {
            WORDS
        } else {
            Allowed::ALL
        },
        description: format!("{about}{note}\n---\n\n{mail}"),
        mode: takes_effect.then_some(mode),
        digest: None,
        view,
    }
}
