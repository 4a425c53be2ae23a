//! Long conversations: how many tokens they have, and what of them still fits.
//!
//! State keeps a conversation whole; what is cut here is what a model gets to read. Counts are
//! estimates, a quarter of the bytes, because tokenizers differ: leave room.

use crate::{
    call::estimate,
    message::{Body, Label, Message},
};

/// What ids of summaries begin with; the number of messages that are in it follows.
const SUMMARY: &str = "summary:";

/// About as many tokens as a model reads for these messages.
///
/// ```
/// use superstep_model::{Message, history};
///
/// assert_eq!(history::tokens(&[Message::user("Good morning, dear model")]), 6);
/// ```
pub fn tokens<'a>(messages: impl IntoIterator<Item = &'a Message>) -> u64 {
    messages.into_iter().map(estimate::message).sum()
}

/// The end of a conversation that has about `most` tokens at most, as a model can read it: behind the
/// instructions at its beginning it starts with words of a user, and no result is without its call.
///
/// The last words of a user are always there, and what follows them as far as there is room; at
/// least the last reply with its results.
///
/// ```
/// use superstep_model::{Message, history};
///
/// let said = [
///     Message::system("Be brief."),
///     Message::user("one ".repeat(100)),
///     Message::model("two"),
///     Message::user("three"),
/// ];
/// let kept = history::trim(&said, 20);
/// assert_eq!(kept.len(), 2);
/// assert_eq!(kept[1].text(), "three");
/// ```
pub fn trim(messages: &[Message], most: u64) -> Vec<Message> {
    let is_system = |message: &&Message| matches!(message.body, Body::System { .. });
    let leading = messages.iter().take_while(is_system).count();
    let (instructions, said) = messages.split_at(leading);
    let room = most.saturating_sub(tokens(instructions));
    let kept = match start(said, room) {
        Start::At(at) => said.get(at..).unwrap_or_default().to_vec(),
        Start::Gap { user, from } => {
            let user = said.get(user).into_iter();
            let rest = said.get(from..).unwrap_or_default();
            user.chain(rest).cloned().collect()
        }
    };
    instructions.iter().cloned().chain(kept).collect()
}

/// Where what is kept of a conversation begins.
enum Start {
    /// Here, to its end.
    At(usize),
    /// With this message of a user, and then from there.
    Gap { user: usize, from: usize },
}

fn start(said: &[Message], room: u64) -> Start {
    let fits = |from: usize, room: u64| tokens(said.get(from..).unwrap_or_default()) <= room;
    let is_user = |message: &Message| matches!(message.body, Body::User { .. });
    let at = |wanted: fn(&Message) -> bool, from: usize| {
        let later = said.iter().enumerate().skip(from);
        later
            .filter(move |(_, message)| wanted(message))
            .map(|(at, _)| at)
    };
    if let Some(first) = at(is_user, 0).find(|first| fits(*first, room)) {
        return Start::At(first);
    }
    let Some(user) = said.iter().rposition(is_user) else {
        return Start::At(0);
    };
    let room = room.saturating_sub(said.get(user).map_or(0, estimate::message));
    let replies: Vec<usize> = at(|message| message.reply().is_some(), user).collect();
    let fitting = replies.iter().find(|reply| fits(**reply, room));
    match fitting.or(replies.last()).copied() {
        Some(from) => Start::Gap { user, from },
        None => Start::At(user),
    }
}

/// Where the end of a conversation begins that has about `most` tokens at most and starts with words
/// of a user; the last of these at the latest.
pub fn recent(messages: &[Message], most: u64) -> usize {
    let is_user = |message: &Message| matches!(message.body, Body::User { .. });
    let users = messages.iter().enumerate().filter(|(_, it)| is_user(it));
    let users: Vec<usize> = users.map(|(at, _)| at).collect();
    let fits = |at: &&usize| tokens(messages.get(**at..).unwrap_or_default()) <= most;
    let found = users.iter().find(fits).or(users.last());
    found.copied().unwrap_or(0)
}

/// A summary of the first `count` messages of a conversation, to be added to it. [`view`] shows it to
/// a model in their place. It is as little trusted as what it summarizes.
pub fn summary(text: &str, summarized: &[Message], count: usize, key: &str) -> Message {
    let label = summarized.iter().map(Message::label).max();
    let label = label.unwrap_or(Label::Model).max(Label::Model);
    let text = format!("Summary of the conversation before this point:\n{text}");
    let message = Message::user(text).labeled(label);
    message.with_id(format!("{SUMMARY}{count}:{key}"))
}

/// Whether a message is a summary of others.
pub fn is_summary(message: &Message) -> bool {
    summarized(message).is_some()
}

fn summarized(message: &Message) -> Option<usize> {
    let (count, _) = message
        .id
        .as_deref()?
        .strip_prefix(SUMMARY)?
        .split_once(':')?;
    count.parse().ok()
}

/// A conversation as a model reads it: the latest summary in place of the messages that are in it.
pub fn view(messages: &[Message]) -> Vec<Message> {
    let latest = messages
        .iter()
        .rev()
        .find_map(|message| Some((message, summarized(message)?)));
    let Some((summary, count)) = latest else {
        return messages.to_vec();
    };
    let rest = messages
        .iter()
        .skip(count)
        .filter(|message| !is_summary(message));
    std::iter::once(summary).chain(rest).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        message::{Reply, ToolReply, ToolStatus},
        tool::ToolCall,
    };

    fn call(id: &str) -> Message {
        let call = ToolCall {
            id: id.into(),
            name: "look".into(),
            args: serde_json::Map::new(),
        };
        Reply {
            tool_calls: vec![call],
            ..Reply::default()
        }
        .into()
    }

    fn result(id: &str, text: &str) -> Message {
        ToolReply {
            tool_call_id: id.into(),
            name: "look".into(),
            content: text.into(),
            status: ToolStatus::Success,
        }
        .into()
    }

    fn shown(messages: &[Message]) -> Vec<String> {
        let kind = |message: &Message| match &message.body {
            Body::System { .. } => format!("s:{}", message.text()),
            Body::User { .. } => format!("u:{}", message.text()),
            Body::Model(reply) => match reply.tool_calls.first() {
                Some(call) => format!("m:{}", call.id),
                None => format!("m:{}", message.text()),
            },
            Body::Tool(reply) => format!("t:{}", reply.tool_call_id),
        };
        messages.iter().map(kind).collect()
    }

    fn long() -> Vec<Message> {
        let page = "word ".repeat(80);
        vec![
            Message::system("be brief"),
            Message::user("first"),
            call("1"),
            result("1", &page),
            Message::model("so"),
            Message::user("second"),
            call("2"),
            result("2", &page),
            call("3"),
            result("3", &page),
        ]
    }

    #[test]
    fn what_fits_is_kept_whole() {
        assert_eq!(trim(&long(), 10_000).len(), long().len());
    }

    #[test]
    fn old_turns_go_first() {
        let kept = shown(&trim(&long(), 220));
        assert_eq!(kept, ["s:be brief", "u:second", "m:2", "t:2", "m:3", "t:3"]);
    }

    #[test]
    fn a_turn_that_is_too_long_loses_its_first_calls_with_their_results() {
        for most in [120, 1] {
            let kept = shown(&trim(&long(), most));
            assert_eq!(kept, ["s:be brief", "u:second", "m:3", "t:3"], "{most}");
        }
    }

    #[test]
    fn no_result_is_left_without_its_call_whatever_the_limit() {
        for most in 0..400 {
            let kept = trim(&long(), most);
            let mut called = Vec::new();
            for message in &kept {
                match &message.body {
                    Body::Model(reply) => {
                        called.extend(reply.tool_calls.iter().map(|it| it.id.clone()))
                    }
                    Body::Tool(reply) => assert!(called.contains(&reply.tool_call_id), "{most}"),
                    _ => {}
                }
            }
            assert!(
                matches!(kept.get(1).map(|it| &it.body), Some(Body::User { .. })),
                "{most}"
            );
        }
    }

    #[test]
    fn a_summary_stands_for_what_is_in_it() {
        let mut said = vec![
            Message::user("a"),
            Message::untrusted("b"),
            Message::model("c"),
            Message::user("d"),
        ];
        let short = summary("a and b", &said, 3, "k1");
        assert_eq!(
            short.label(),
            Label::Untrusted,
            "no more trusted than what is in it"
        );
        said.push(short);
        said.push(Message::model("e"));
        let texts: Vec<_> = view(&said).iter().map(Message::text).collect();
        assert_eq!(
            texts,
            [
                "Summary of the conversation before this point:\na and b",
                "d",
                "e"
            ]
        );
        said.push(summary("all", &said, 6, "k2"));
        said.push(Message::user("f"));
        let texts: Vec<_> = view(&said).iter().map(Message::text).collect();
        assert_eq!(
            texts,
            ["Summary of the conversation before this point:\nall", "f"]
        );
    }
}
