//! A person is asked about one call, and sees exactly what would be done.

use jiff::Timestamp;
use serde_json::{Map, Value as Json};
use superstep::{
    Ctx, Input, NodeError, Res, Snap,
    text::{Hidden, reveal},
};

use super::{Decided, EmailInput, Office, Pending, ReplyState, ReplyStateUpdate};
use crate::{
    Address, Recipients,
    compose::reply_subject,
    inbox::{ALL, Act, Action, Decision, Item, WORDS, decide},
    prompt::{person, shown},
    tools::{CHECK, Letter, Meeting, QUESTION, Wanted},
};

/// From so many on, how many get a reply is worth a look.
const MANY: usize = 5;

/// Asks about one call, and does nothing else.
pub(super) async fn interrupt_handler(
    Input(pending): Input<Pending>,
    state: Snap<ReplyState>,
    office: Res<Office>,
    ctx: Ctx,
) -> Result<ReplyStateUpdate, NodeError> {
    let Some(input) = &state.email_input else {
        return Ok(ReplyState::update());
    };
    let call = &pending.call;
    let decision = match call.name.as_str() {
        CHECK => Decision {
            act: Act::Direct,
            mode: office.settings.mode(),
        },
        _ => {
            let item = item(&pending, input, &office);
            let check = |args: &Map<String, Json>| {
                let wanted = office.desk(input).read(&call.name, args);
                wanted.map(|_| ())
            };
            decide(&ctx, item, pending.mode, check)?
        }
    };
    Ok(ReplyState::update().decided([Decided {
        turn: pending.turn,
        place: pending.place,
        act: decision.act,
        at: Timestamp::now(),
        mode: decision.mode,
    }]))
}

/// The question about a call.
fn item(pending: &Pending, input: &EmailInput, office: &Office) -> Item {
    let (call, mode) = (&pending.call, pending.mode);
    let about = match office.desk(input).read(&call.name, &call.args) {
        Ok(Wanted::Send(letter)) => mode.describe("A reply", &reply(&letter, input, office)),
        Ok(Wanted::Schedule(meeting)) => mode.describe("A meeting", &proposal(&meeting, input)),
        Ok(Wanted::Question(content)) => format!("# A question\n\n{content}\n"),
        _ => format!("# {}\n", call.name),
    };
    // Whoever decides sees all that would be done: what is hidden is named, and warned of.
    let hidden = Hidden::of(&about);
    let about = match about.split_once('\n') {
        Some((head, rest)) if !hidden.is_empty() => {
            format!("{head}\n\n**It holds {hidden}.**\n{}", reveal(rest))
        }
        _ => about,
    };
    let mail = shown(&input.mail, &office.zone);
    Item {
        action_request: Action {
            action: call.name.clone(),
            args: call.args.clone(),
        },
        config: if call.name == QUESTION { WORDS } else { ALL },
        description: format!("{about}\n---\n\n{mail}"),
    }
}

/// A reply as it would go out, with what a person might overlook in front.
pub(super) fn reply(letter: &Letter, input: &EmailInput, office: &Office) -> String {
    let to = Recipients::of(&input.mail, office.mailbox.owner(), &letter.added);
    let mut text = String::new();
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    for stranger in to.outside(&input.participants) {
        line(format!(
            "**Not in this thread so far: {}**",
            person(stranger)
        ));
    }
    let count = to.all().count();
    if count > MANY {
        line(format!("**It goes to {count} people.**"));
    }
    let from = input.mail.from.as_ref();
    if from.is_some_and(|from| from.is_same(office.mailbox.owner())) {
        line(
            "**The mail says that it is from yourself; the reply goes to those it was for.**"
                .into(),
        );
    }
    for other in &input.mail.reply_to {
        if from.is_some_and(|from| !from.is_same(other)) {
            let other = person(other);
            line(format!("**Answers go to {other}, not to the sender.**"));
        }
    }
    line(format!("To: {}", people(&to.to)));
    if !to.cc.is_empty() {
        line(format!("Cc: {}", people(&to.cc)));
    }
    line(format!("Subject: {}", reply_subject(&input.mail.subject)));
    line(format!("\n{}", letter.text));
    text
}

fn people(addresses: &[Address]) -> String {
    let all: Vec<String> = addresses.iter().map(person).collect();
    all.join(", ")
}

/// A meeting as it would be made.
pub(super) fn proposal(meeting: &Meeting, input: &EmailInput) -> String {
    let mut text = format!("{}\n{}\n", meeting.title, meeting.told());
    for one in &meeting.attendees {
        let is_known = input.participants.iter().any(|it| it.is_same(one));
        let stranger = match is_known {
            true => "",
            false => " **(not in this thread so far)**",
        };
        text.push_str(&format!("- {}{stranger}\n", one.email));
    }
    text
}
