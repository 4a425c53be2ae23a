//! The approval question about one call: the person sees exactly what would be done.

use jiff::Timestamp;
use serde_json::Value as Json;
use superstep::{
    Ctx, Input, NodeError, Res, Snap,
    tools::{Decision, Digest, ParsedCall as _, Scope, Terms},
};

use super::{
    Decided, EmailInput, Pending, ReplyState, ReplyStateUpdate,
    guided::Handling,
    order::{rests_on, withdrawn_before},
};
use crate::{
    Warning,
    agenda::{Agenda, thread},
    cautions::Cautions,
    mode::{describe, revealed},
    parse::one_line,
    prompt::shown,
    services::Services,
    tools::{ATTACHMENT, CHECK, CallValidator, EffectKind, MailCall, QUESTION, SEARCH, SEND},
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
    let bound = services.check_account(state.account.as_deref());
    bound.map_err(|error| NodeError::failed(error.failure()))?;
    let call = &pending.call;
    let scope = services.scope(&ctx).await?;
    let (decision, mode) = match call.name.as_str() {
        CHECK | SEARCH | ATTACHMENT => (Decision::Direct, services.settings.mode()),
        _ => {
            let (here, now) = (scope.as_ref(), Timestamp::now());
            let validator =
                CallValidator::new(&services.0, &ctx, input, (here, Some(call)), now).await?;
            let parsed = validator.parse(call).ok();
            let (proposals, thread) = (services.proposals(&ctx)?, thread(&ctx));
            let agenda = match &parsed {
                Some(parsed) => Agenda::of(parsed, &services, &proposals, &thread).await?,
                None => None,
            };
            if let Some((span, _)) = parsed.as_ref().and_then(MailCall::takes) {
                let title = parsed.as_ref().and_then(MailCall::meeting_title);
                let title = title.unwrap_or_default();
                proposals.put(&thread, &call.id, (title, span)).await?;
            }
            let remarks = parsed.as_ref().map(MailCall::remarks).unwrap_or_default();
            let mut item = item(&pending, &state, input, &services, parsed, agenda);
            let digest = Digest::of::<Asked>(call, here, ctx.task_id(), 0);
            item.digest = Some(digest.with_remarks(&remarks));
            let check = |decision: &Decision| match decision.edited(call) {
                Some(edited) => validator.parse(&edited).map(|_| ()),
                None => Ok(()),
            };
            let must_name = Scope::must_name(here, &remarks);
            let decided = decide(&ctx, item, must_name, pending.mode, check)?;
            proposals.remove(&thread, &call.id).await?;
            decided
        }
    };
    Ok(ReplyState::update().decided([Decided {
        turn: pending.turn,
        place: pending.place,
        decision,
        at: Timestamp::now(),
        conflicts: pending.conflicts,
        terms: Terms { mode, scope },
    }]))
}

/// The question about a call.
fn item(
    pending: &Pending,
    state: &ReplyState,
    input: &EmailInput,
    services: &Services,
    parsed: Option<MailCall>,
    agenda: Option<Agenda>,
) -> Item {
    let (call, mode) = (&pending.call, pending.mode);
    let takes_effect = EffectKind::of(&call.name).is_some();
    let title = parsed.as_ref().and_then(MailCall::title);
    let title = title.unwrap_or(call.name.as_str());
    let text = parsed.as_ref().and_then(|parsed| parsed.describe());
    let judged = state.judgement.as_ref();
    let mut cautions = Cautions::of(judged, agenda);
    let is_mail = EffectKind::of(&call.name) == Some(EffectKind::Mail);
    if is_mail {
        let new = state.messages.get(state.inherited..).unwrap_or_default();
        cautions
            .warnings
            .extend(withdrawn_before(new).map(Warning::new));
    }
    let text = text.map(|text| cautions.above(&text));
    let about = match text {
        Some(text) if takes_effect => describe(mode, title, &text),
        Some(text) => format!("# {title}\n\n{}", revealed(&text)),
        None => format!("# {title}\n"),
    };
    let mut notes = cautions.below();
    let note = state.small.as_ref().and_then(Handling::note);
    let note = note.filter(|_| call.name == SEND);
    let note = note.or_else(|| rests_on(call, &state.messages).filter(|_| is_mail));
    if let Some(note) = &note {
        notes.push_str(&format!("\n{note}\n"));
    }
    let reason = judged.map(|it| one_line(&it.reason, 400));
    let reason = reason.filter(|it| !it.is_empty());
    if let Some(reason) = &reason {
        notes.push_str(&format!("\nWhy you are asked: {reason}\n"));
    }
    let view = parsed.map(|parsed| {
        let mut view = parsed.view(title);
        let options = call.args.get("answers").and_then(Json::as_array);
        let options = options.into_iter().flatten().filter_map(Json::as_str);
        view.options = options.map(str::to_owned).collect();
        view.text = view.text.or_else(|| note.clone());
        view.warnings.splice(0..0, cautions.warnings);
        view.reason = reason;
        view.urgency = judged.map(|it| it.urgency);
        view.day = cautions.day;
        Box::new(view)
    });
    let mail = shown(&input.mail, &services.zone);
    Item {
        action_request: Action::from(call),
        config: if call.name == QUESTION {
            WORDS
        } else {
            Allowed::ALL
        },
        description: format!("{about}{notes}\n---\n\n{mail}"),
        mode: takes_effect.then_some(mode),
        digest: None,
        view,
    }
}
