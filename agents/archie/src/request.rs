//! Model requests: the stable prefix first, the task of the stage last.
//!
//! ```text
//! system     who it is, what the rules are, which day it is   same in every call
//! user       the documents, or an overview, untrusted         same in every call of a thread
//! user       what the memory holds, untrusted                 same in every turn
//! user/model what was said so far
//! user       sections that are close to the message, untrusted; only if not all documents fit
//! user       what the person says now, and the task of the stage
//! ```
//!
//! A local model or a provider with a prefix cache reads the stable prefix once.

mod shown;

use superstep::{
    model::{Cached, Message, Request},
    tools::guided::Profile,
};

use crate::{
    documents::{DocumentSet, select::Excerpt, tokens},
    prompts::{EXCERPTS, LOOKUP, Stage},
    settings::Settings,
};

/// The parts of the request of a stage.
pub(crate) struct StageRequest<'a> {
    pub(crate) stage: Stage,
    pub(crate) profile: Profile,
    pub(crate) set: &'a DocumentSet,
    /// What of the documents is shown.
    pub(crate) shown: &'a [Excerpt],
    pub(crate) access: Rest,
    pub(crate) memory: &'a str,
    pub(crate) history: &'a [Message],
    pub(crate) said: &'a str,
    pub(crate) today: String,
    pub(crate) limits: TokenLimits,
}

/// What the model can do about documents that are not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// All are shown.
    None,
    /// It can look them up, so many tokens of them.
    LookedUp(usize),
    /// Nothing.
    OutOfReach,
}

/// Limits of a call in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TokenLimits {
    /// How many the model can read and write in all, if that is known.
    pub(crate) context: Option<usize>,
    /// How long the reply may be; the model's own limit if absent.
    pub(crate) reply: Option<u32>,
}

impl StageRequest<'_> {
    /// The call, and how many entries of the history are left out because the model cannot read
    /// them all: the oldest, but never the first, which is the goal.
    pub(crate) fn request(&self, settings: &Settings) -> (Request, usize) {
        let mut messages = vec![self.system(settings)];
        let looked_up = match self.access {
            Rest::LookedUp(tokens) => Some(tokens),
            Rest::None | Rest::OutOfReach => None,
        };
        let is_overview = looked_up.is_some();
        if is_overview {
            let overview = shown::overview(self.set, self.limits.context);
            messages.push(Message::untrusted(overview));
        } else if !self.set.documents.is_empty() {
            messages.push(Message::untrusted(self.documents()));
        }
        if !self.memory.is_empty() {
            let known = format!("Notes from earlier conversations:\n{}", self.memory);
            messages.push(Message::untrusted(known));
        }
        let mut last = Vec::new();
        if is_overview && !self.shown.is_empty() {
            last.push(Message::untrusted(self.documents()));
        }
        last.push(Message::user(self.task(settings)));
        let around: usize = messages.iter().chain(&last).map(weight).sum();
        let room = self.limits.context.map_or(usize::MAX, |context| {
            let reply = self.limits.reply.map(|reply| reply as usize);
            let taken = around + looked_up.unwrap_or_default();
            context.saturating_sub(taken + reply.unwrap_or(context / 4))
        });
        let skip = oldest(self.history, room);
        let kept = self.history.iter().enumerate();
        let kept = kept.filter(|(at, _)| *at == 0 || *at > skip);
        messages.extend(kept.map(|(_, message)| message.clone()));
        messages.extend(last);
        let request = Request {
            max_tokens: self.limits.reply,
            cached: match self.profile {
                Profile::Strong => Cached::Conversation,
                Profile::Small => Cached::default(),
            },
            ..Request::new(messages)
        };
        (request, skip)
    }

    fn system(&self, settings: &Settings) -> Message {
        let rules = settings.prompts.system(self.profile);
        match self.profile {
            Profile::Strong => Message::system(format!("{rules}\n\nToday is {}.", self.today)),
            Profile::Small => Message::system(rules),
        }
    }

    fn documents(&self) -> String {
        shown::documents(self.set, self.shown, self.profile)
    }

    /// What the person says, and what to do about it.
    fn task(&self, settings: &Settings) -> String {
        let task = settings.prompts.of(self.stage, self.profile);
        let more = match (self.profile, self.access) {
            (Profile::Strong, Rest::LookedUp(_)) => LOOKUP,
            (Profile::Strong, Rest::OutOfReach) => EXCERPTS,
            _ => "",
        };
        let task = format!("Your task now:\n{task}\n{more}");
        match self.said {
            "" => task.trim_end().to_owned(),
            said => format!("{said}\n\n---\n{}", task.trim_end()),
        }
    }
}

/// How long a reply may be: what was chosen, but not more than a quarter of what the model can
/// read and write, which would leave too little for what it must read.
pub(crate) fn at_most_a_quarter(chosen: u32, context: Option<usize>) -> u32 {
    let quarter = context.and_then(|context| u32::try_from(context / 4).ok());
    chosen.min(quarter.unwrap_or(u32::MAX)).max(1)
}

/// How many entries behind the first must go, so that the others fit. An answer goes with the
/// question it answers, so the model and the person still take turns.
fn oldest(history: &[Message], room: usize) -> usize {
    let mut all: usize = history.iter().map(weight).sum();
    let rest = history.get(1..).unwrap_or_default();
    let mut gone = 0;
    for pair in rest.chunks(2) {
        if all <= room {
            break;
        }
        all = all.saturating_sub(pair.iter().map(weight).sum());
        gone += pair.len();
    }
    gone
}

/// What a message takes, its frame among it.
fn weight(message: &Message) -> usize {
    tokens::estimate(&message.text()) + 8
}
