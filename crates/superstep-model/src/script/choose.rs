//! Choice of the step for a call, from the conversation alone.
//!
//! The script is gone through once more for every message of the model that the conversation
//! holds: each used up the step it would have been given when it was said. The call then gets the
//! first step that fits and is not used up. So the same conversation gets the same reply, in this
//! process or another one, however often it is asked.
//!
//! Steps that fail leave no message. Going through the past they count as done; for the call itself
//! they are dealt out attempt by attempt, and begin anew in a new process.

use super::{
    step::{Repeat, Step},
    when::{Role, Sight, role},
};
use crate::{message::Message, model_id::ModelId, request::Request};

/// The step for a request with its number, or what there was none for.
pub(super) fn step<'a>(
    steps: &'a [Step],
    model: &ModelId,
    request: &Request,
    attempt: usize,
) -> Result<(usize, &'a Step), String> {
    let mut used = vec![0_u32; steps.len()];
    let mut call = 0;
    for (at, message) in request.messages.iter().enumerate() {
        if !said_by(model, message) {
            continue;
        }
        let sight = Sight {
            messages: request.messages.get(..at).unwrap_or_default(),
            request,
            call,
        };
        pass(steps, &mut used, &sight);
        call += 1;
    }
    let sight = Sight {
        messages: &request.messages,
        request,
        call,
    };
    let mut attempts = attempt;
    while let Some((index, step)) = first(steps, &used, &sight) {
        let is_over = step.fails() && step.repeat != Repeat::Always && attempts > 0;
        if !is_over {
            return Ok((index, step));
        }
        take(&mut used, index);
        attempts -= 1;
    }
    Err(missing(steps, &used, &sight))
}

/// How often the model has spoken in the conversation.
pub(super) fn earlier(model: &ModelId, request: &Request) -> usize {
    let said = request.messages.iter();
    said.filter(|message| said_by(model, message)).count()
}

/// Messages of other models are no replies of this script. Those that do not say whose they are
/// count: graphs write such messages from what the model said.
fn said_by(model: &ModelId, message: &Message) -> bool {
    message.reply().is_some_and(|reply| {
        let answered = reply.answered.as_ref();
        answered.is_none_or(|it| (&it.provider, &it.model) == (&model.provider, &model.name))
    })
}

/// Uses up the step that gave a message, and the failures before it.
fn pass(steps: &[Step], used: &mut [u32], sight: &Sight<'_>) {
    for (index, step) in steps.iter().enumerate() {
        if !is_left(step, used.get(index)) || !step.when.fits(sight) {
            continue;
        }
        if !step.fails() {
            take(used, index);
            return;
        }
        if let (Repeat::Times(times), Some(used)) = (step.repeat, used.get_mut(index)) {
            *used = times.get();
        }
    }
}

fn first<'a>(steps: &'a [Step], used: &[u32], sight: &Sight<'_>) -> Option<(usize, &'a Step)> {
    let mut all = steps.iter().enumerate();
    all.find(|(index, step)| is_left(step, used.get(*index)) && step.when.fits(sight))
}

fn is_left(step: &Step, used: Option<&u32>) -> bool {
    match step.repeat {
        Repeat::Always => true,
        Repeat::Times(times) => used.is_some_and(|used| *used < times.get()),
    }
}

fn take(used: &mut [u32], index: usize) {
    if let Some(used) = used.get_mut(index) {
        *used = used.saturating_add(1);
    }
}

/// What was asked, and what the next step wanted.
fn missing(steps: &[Step], used: &[u32], sight: &Sight<'_>) -> String {
    let next = steps
        .iter()
        .enumerate()
        .find(|(index, step)| is_left(step, used.get(*index)));
    let wanted = match next {
        Some((index, step)) => format!("step {} wants {}", index + 1, step.when),
        None => format!("all of the {} steps are used up", steps.len()),
    };
    format!(
        "no step for call {} of the conversation, {}; {wanted}",
        sight.call,
        asked(sight)
    )
}

fn asked(sight: &Sight<'_>) -> String {
    let last = match sight.messages.last() {
        None => "which is empty".into(),
        Some(said) => {
            let who = match role(said) {
                Role::System => "the system",
                Role::User => "the user",
                Role::Model => "the model",
                Role::Tool => "a tool",
            };
            format!("where {who} said last {:?}", beginning(&said.text()))
        }
    };
    let tools: Vec<&str> = sight.request.tools.iter().map(|tool| &*tool.name).collect();
    let tools = match tools.as_slice() {
        [] => String::new(),
        some => format!(", with tools {}", some.join(", ")),
    };
    let schema = match &sight.request.output {
        Some(output) => format!(", asking for `{}`", output.name),
        None => String::new(),
    };
    format!("{last}{tools}{schema}")
}

/// Enough of a text to recognize it.
fn beginning(text: &str) -> String {
    const SHOWN: usize = 120;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
