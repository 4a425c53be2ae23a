//! Which calls of a task happened, or may have, by its journal: what no run from an earlier checkpoint makes a
//! second time unasked.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value as Json;
use superstep_core::{
    past::{Certainty, PastEffect},
    record::{Effect, TaskNote},
};
use superstep_text::single_line;

use crate::{
    approval::Action,
    attempt::{CallJournal, Settled, Tried},
    tool::Reconciled,
};

/// The record of a summary of a conversation, which does nothing to anybody.
pub(crate) const SUMMARY: &str = "summary";

/// The most text of a call that is shown, in bytes.
const MAX_SHOWN: usize = 200;

/// Reads the journal of a task that makes calls with [`make`](crate::make) or [`execute`](crate::execute): a
/// call that failed for certain, that was not made, or of which a person or a look-up says that it did not
/// happen, is none. For [`GraphBuilder::effects`](superstep_engine::typed::GraphBuilder::effects).
pub fn past_effects(note: &TaskNote) -> Vec<PastEffect> {
    let mut all = note.past_effects();
    all.retain(|effect| effect.key != SUMMARY);
    let keys = note.extras.effects.keys();
    let journals: Vec<CallJournal> = keys.filter_map(|key| CallJournal::begun_by(key)).collect();
    let asked = shown(note).filter(|_| journals.len() == 1);
    for journal in journals {
        let is_kept = |at: &u32| note.extras.effects.contains_key(&journal.attempt(*at));
        let attempts: Vec<u32> = (0..).take_while(is_kept).collect();
        let is_of_call = |key: &str| {
            let of = |at: &u32| {
                let (at, of) = (*at, &journal);
                [
                    of.attempt(at),
                    of.settled(at),
                    of.look(at),
                    of.look_again(at),
                ]
                .iter()
                .any(|made| made == key)
            };
            attempts.iter().any(of)
        };
        all.retain(|effect| !is_of_call(&effect.key));
        all.extend(call(note, &journal, &attempts).map(|certainty| PastEffect {
            key: journal.attempt(0),
            what: asked.clone().or_else(|| said(note, &journal, &attempts)),
            certainty,
        }));
    }
    all
}

/// Whether the call of a task happened; nothing if it did not.
fn call(note: &TaskNote, journal: &CallJournal, attempts: &[u32]) -> Option<Certainty> {
    let mut open = false;
    for at in attempts {
        let is_last = attempts.last() == Some(at);
        let is_lost = match note.extras.effects.get(&journal.attempt(*at)) {
            Some(Effect::Done(_)) => match stored::<Tried>(note, &journal.attempt(*at)) {
                Some(Tried::Failed(_) | Tried::Skipped(_) | Tried::Withheld(_)) => false,
                Some(Tried::Unknown(_) | Tried::Interrupted) => true,
                Some(Tried::Output(_)) | None => return Some(Certainty::Happened),
            },
            _ => true,
        };
        if !is_lost {
            continue;
        }
        let looks = [journal.look(*at), journal.look_again(*at)];
        let looks = looks.iter().filter_map(|key| stored(note, key));
        let mut is_certain = false;
        for look in looks {
            match look {
                Reconciled::Happened(_) => return Some(Certainty::Happened),
                // What was looked up was certain enough to make the call again.
                Reconciled::NotHappened(_) => is_certain = !is_last,
                Reconciled::Unsure(_) => {}
            }
        }
        match stored(note, &journal.settled(*at)) {
            Some(Settled::Happened) => return Some(Certainty::Happened),
            // It was asked about the call, however often it was attempted.
            Some(Settled::NotHappened) => open = false,
            Some(Settled::Unknown) => open = true,
            None => open |= !is_certain,
        }
    }
    open.then_some(Certainty::Unknown)
}

fn stored<T: DeserializeOwned>(note: &TaskNote, key: &str) -> Option<T> {
    match note.extras.effects.get(key)? {
        Effect::Done(value) => serde_json::from_value(value.to_json()).ok(),
        _ => None,
    }
}

/// The call, as the last question about it showed it: an inbox gets a question by itself or as a list of one.
fn shown(note: &TaskNote) -> Option<String> {
    let asked = note.extras.asks.last()?.value.to_json();
    let asked = asked.get(0).unwrap_or(&asked);
    let Action { action, args } = Action::deserialize(asked.get("action_request")?).ok()?;
    Some(short(&format!("{action} {}", Json::Object(args))))
}

/// What a call gave back, where nobody was asked about it in its task.
fn said(note: &TaskNote, journal: &CallJournal, attempts: &[u32]) -> Option<String> {
    let output =
        attempts
            .iter()
            .find_map(|at| match stored::<Tried>(note, &journal.attempt(*at))? {
                Tried::Output(output) => Some(output.content.text()),
                _ => None,
            });
    output.map(|text| format!("a call (\"{}\")", short(&text)))
}

/// The beginning of a text, on one line.
fn short(text: &str) -> String {
    let text = single_line(text);
    let end = text.floor_char_boundary(MAX_SHOWN);
    match text.get(..end) {
        Some(kept) if end < text.len() => format!("{kept}…"),
        _ => text,
    }
}
