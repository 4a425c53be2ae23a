//! Whether a question wants something changed: it begins with a verb that does so.

/// Verbs that change something, as orders begin with them. That no operation does it is found out later: it
/// must not be taken for a question.
const VERBS: &[&str] = &[
    "activate",
    "add",
    "approve",
    "block",
    "buy",
    "cancel",
    "change",
    "claim",
    "comment",
    "connect",
    "create",
    "deactivate",
    "delete",
    "disconnect",
    "dm",
    "donate",
    "edit",
    "favorite",
    "favourite",
    "follow",
    "grant",
    "invite",
    "join",
    "like",
    "make",
    "move",
    "mute",
    "pay",
    "pin",
    "post",
    "publish",
    "purchase",
    "redeem",
    "register",
    "remove",
    "rename",
    "reply",
    "report",
    "repost",
    "revoke",
    "save",
    "schedule",
    "sell",
    "send",
    "set",
    "share",
    "stake",
    "submit",
    "subscribe",
    "support",
    "swap",
    "tip",
    "transfer",
    "unblock",
    "unfavorite",
    "unfollow",
    "unlike",
    "unmute",
    "unpin",
    "unrepost",
    "unsubscribe",
    "update",
    "upload",
    "vote",
    "withdraw",
    "write",
];

/// What may come before the verb.
const POLITE: [&str; 16] = [
    "please", "can", "could", "would", "you", "now", "i", "want", "to", "ok", "hey", "d", "lets",
    "go", "just", "wanna",
];

/// What is behind a word that is no verb: `favorite tracks of …`, `like counts`, `support of …`.
const THINGS: [&str; 14] = [
    "count",
    "counts",
    "number",
    "tracks",
    "songs",
    "playlists",
    "albums",
    "artists",
    "users",
    "of",
    "leaders",
    "date",
    "list",
    "history",
];

/// The verb of a question that wants something changed.
pub(crate) fn verb(question: &str) -> Option<&'static str> {
    let lower = question.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .skip_while(|word| POLITE.contains(word));
    let first = words.next()?;
    let is_noun = words.next().is_some_and(|next| THINGS.contains(&next));
    let verb = VERBS.iter().find(|verb| **verb == first);
    verb.copied().filter(|_| !is_noun)
}

/// Whether a question wants something changed.
pub fn wants_write(question: &str) -> bool {
    verb(question).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_told_from_questions() {
        for order in [
            "delete my playlist",
            "please follow Nova Kane",
            "tip Nova Kane 5 dollars",
            "could you buy First Light",
            "I'd like to repost it",
        ] {
            assert!(wants_write(order), "{order}");
        }
        for question in [
            "favorite tracks of Mira Voss",
            "like counts of \"First Light\"",
            "tips this week",
            "who likes \"First Light\"?",
            "support of Nova Kane",
        ] {
            assert!(!wants_write(question), "{question}");
        }
    }
}
