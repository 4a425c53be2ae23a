//! Order of the calls of a turn.
//!
//! A call may say what calls before it come to: a reply says that a meeting was made or that the mail was passed on, and a
//! proposal rests on what the calendar shows. So a call is put to a person only if all that it rests on was read, and an
//! approved call is made only after those that it rests on, and not if one of them was not made.

use superstep::{
    dynamic::Snapshot,
    model::{Body, Message, ToolCall, message::ToolStatus},
};

use super::{
    Decided, ReplyState,
    turn::{last_turn, of_turn, result_of},
};
use crate::tools::{CANCEL, DONE, EffectKind, FORWARD, MOVE, NEW_MAIL, QUESTION, SCHEDULE, SEND};

/// How the result of an approved mail begins that was withdrawn.
const WITHDRAWN: &str = "not sent, because ";

/// The stages of a turn. A call rests on those of earlier stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TurnStage {
    /// Calls whose results the model has to read. Unknown tools count too.
    LookUp,
    Question,
    Calendar,
    Mail,
    Reply,
}

impl TurnStage {
    fn of(tool: &str) -> Self {
        match tool {
            QUESTION => Self::Question,
            SCHEDULE | MOVE | CANCEL => Self::Calendar,
            FORWARD | NEW_MAIL => Self::Mail,
            SEND => Self::Reply,
            _ => Self::LookUp,
        }
    }
}

/// Why a call is not put to a person: it rests on a call of the same turn that is invalid, or whose result the model has not
/// read. `others` are the tools of the turn and whether their calls are valid.
pub(super) fn premature<'a>(
    tool: &str,
    others: impl IntoIterator<Item = (&'a str, bool)>,
) -> Option<String> {
    let stage = TurnStage::of(tool);
    let mut others = others.into_iter().filter(|(other, _)| *other != DONE);
    let unread = others.find(|(other, is_valid)| {
        let its = TurnStage::of(other);
        its < stage && (!is_valid || its <= TurnStage::Question)
    });
    let (unread, _) = unread?;
    Some(format!(
        "not shown to the user: read the result of {unread} first, then call {tool} in a turn after it"
    ))
}

/// The approved calls of the newest turn that have no result.
pub(super) struct Approved {
    /// Those that can be made now.
    pub(super) ready: Vec<usize>,
    /// Those that rest on calls that were not made, and what the model reads of them.
    pub(super) withdrawn: Vec<(usize, String)>,
}

impl Approved {
    pub(super) fn of(state: &ReplyState) -> Self {
        let mut approved = Self {
            ready: Vec::new(),
            withdrawn: Vec::new(),
        };
        let Some((_, said)) = last_turn(&state.messages) else {
            return approved;
        };
        let calls = || of_turn(state).filter_map(|it| Some((it, said.tool_calls.get(it.place)?)));
        let open =
            calls().filter(|(it, call)| it.is_approved() && result_of(state, call).is_none());
        for (it, call) in open {
            let stage = TurnStage::of(&call.name);
            let before = calls().filter(|(_, other)| {
                EffectKind::of(&other.name).is_some() && TurnStage::of(&other.name) < stage
            });
            let (mut is_waiting, mut missing) = (false, Vec::new());
            for (other, its) in before {
                match (other.is_approved(), is_made(state, its)) {
                    (true, None) => is_waiting = true,
                    (true, Some(true)) => {}
                    _ => missing.push(its.name.as_str()),
                }
            }
            match missing.as_slice() {
                [] if is_waiting => {}
                [] => approved.ready.push(it.place),
                missing => approved.withdrawn.push((it.place, withdrawn(missing))),
            }
        }
        approved
    }
}

/// Whether a call was made; nothing if it has no result.
fn is_made(state: &ReplyState, call: &ToolCall) -> Option<bool> {
    let result = result_of(state, call)?;
    Some(result.status == ToolStatus::Success && !state.left.contains(&call.id))
}

fn withdrawn(missing: &[&str]) -> String {
    let missing = missing.join(" and ");
    format!("{WITHDRAWN}{missing} of this turn was not made: write a mail that is true without it")
}

/// What a person should know who is asked about a mail after an approved one was withdrawn.
pub(super) fn withdrawn_before(messages: &[Message]) -> Option<String> {
    let (newest, _) = last_turn(messages)?;
    let at = messages
        .iter()
        .position(|message| message.id == newest.id)?;
    let mut before = messages.iter().take(at).rev();
    let last = before.find_map(|message| match &message.body {
        Body::Tool(reply) if EffectKind::of(&reply.name) == Some(EffectKind::Mail) => {
            Some(reply.content.text())
        }
        _ => None,
    })?;
    let tools = last
        .strip_prefix(WITHDRAWN)?
        .split(" of this turn")
        .next()?;
    let nouns: Vec<&str> = tools.split(" and ").map(noun).collect();
    let verb = if nouns.len() == 1 { "was" } else { "were" };
    Some(format!(
        "The mail that you accepted before was not sent, because {} {verb} not made.",
        nouns.join(" and ")
    ))
}

/// What a person should know who is asked about a call: it is made only with others of its turn.
pub(super) fn rests_on(call: &ToolCall, messages: &[Message]) -> Option<String> {
    let (_, said) = last_turn(messages)?;
    let stage = TurnStage::of(&call.name);
    let mut nouns: Vec<&str> = Vec::new();
    for other in &said.tool_calls {
        let is_before = EffectKind::of(&other.name).is_some() && TurnStage::of(&other.name) < stage;
        if is_before && !nouns.contains(&noun(&other.name)) {
            nouns.push(noun(&other.name));
        }
    }
    (!nouns.is_empty()).then(|| {
        format!(
            "It is sent only if {} proposed with it is carried out. Otherwise the assistant writes another one.",
            nouns.join(" and ")
        )
    })
}

/// What a person should know who is asked about a mail while a call that it rests on is already refused. `step` is the
/// open step of the turn.
pub(crate) fn refused_beside(tool: &str, step: &Snapshot) -> Option<String> {
    let stage = TurnStage::of(tool);
    let values = serde_json::to_value(&step.values).ok()?;
    let messages: Vec<Message> = serde_json::from_value(values.get("messages")?.clone()).ok()?;
    let (_, said) = last_turn(&messages)?;
    let results = step.tasks.iter().filter_map(|task| task.result.as_ref());
    let decided = results.filter_map(|result| {
        let written = serde_json::to_value(result).ok()?;
        serde_json::from_value::<Vec<Decided>>(written.get("decided")?.clone()).ok()
    });
    let refused = decided.flatten().filter(|it| !it.is_approved());
    let mut tools = refused.filter_map(|it| Some(said.tool_calls.get(it.place)?.name.as_str()));
    let other =
        tools.find(|other| EffectKind::of(other).is_some() && TurnStage::of(other) < stage)?;
    Some(format!(
        "You refused {} proposed with it, so it is not sent as it stands. Accept it, and the assistant writes another one.",
        noun(other)
    ))
}

fn noun(tool: &str) -> &'static str {
    match tool {
        SCHEDULE => "the meeting",
        MOVE => "the new time of the meeting",
        CANCEL => "the cancellation",
        FORWARD => "the forward",
        NEW_MAIL => "the mail to others",
        _ => "the reply",
    }
}
