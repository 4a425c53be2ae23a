//! What a question wants changed: it begins with a verb that does so. What a verb does to a kind of thing is one
//! operation ([`ORDERS`]); for other verbs the operations are searched.

use super::{Understanding, nouns, own_words, reference::quoted_in};
use crate::catalogue::{
    EntityType::{self, Playlist, Track, User},
    has_words,
};

/// Verbs that mean the same, and what they do to kinds of things, likeliest first.
const ORDERS: [(&str, &[&str]); 13] = [
    ("follow", &["followUser"]),
    ("unfollow", &["unfollowUser"]),
    (
        "favorite favourite like save",
        &["favoriteTrack", "favoritePlaylist"],
    ),
    (
        "unfavorite unfavourite unlike unsave",
        &["unfavoriteTrack", "unfavoritePlaylist"],
    ),
    ("repost", &["repostTrack", "repostPlaylist"]),
    ("unrepost", &["unrepostTrack", "unrepostPlaylist"]),
    ("share", &["shareTrack", "sharePlaylist"]),
    ("delete remove", &["deleteTrack", "deletePlaylist"]),
    ("subscribe", &["subscribeToUser"]),
    ("unsubscribe", &["unsubscribeFromUser"]),
    ("comment", &["createComment"]),
    ("mute", &["muteUser"]),
    ("unmute", &["unmuteUser"]),
];

/// Orders in two words: `stop following`.
const TURNS: [(&str, &str, &str); 8] = [
    ("stop", "following", "unfollow"),
    ("quit", "following", "unfollow"),
    ("stop", "liking", "unlike"),
    ("undo", "repost", "unrepost"),
    ("stop", "muting", "unmute"),
    ("undo", "follow", "unfollow"),
    ("undo", "like", "unlike"),
    ("undo", "favorite", "unfavorite"),
];

/// Verbs that change something, as orders begin with them. That no operation does it is found out later: it
/// must not be taken for a question.
const VERBS: &[&str] = &[
    "activate", "add", "approve", "block", "buy", "cancel", "change", "claim", "comment",
    "connect", "create", "deactivate", "delete", "disconnect", "dm", "donate", "edit", "favorite",
    "favourite", "follow", "grant", "invite", "join", "like", "make", "move", "mute", "pay", "pin",
    "post", "publish", "purchase", "redeem", "register", "remove", "rename", "reply", "report",
    "repost", "revoke", "save", "schedule", "sell", "send", "set", "share", "stake", "submit",
    "subscribe", "support", "swap", "tip", "transfer", "unblock", "unfavorite", "unfavourite",
    "unfollow", "unlike", "unmute", "unpin", "unrepost", "unsave", "unsubscribe", "update",
    "upload", "vote", "withdraw", "write",
];

/// What may come before the verb.
const POLITE: [&str; 16] = [
    "please", "can", "could", "would", "you", "now", "i", "want", "to", "ok", "hey", "d", "lets",
    "go", "just", "wanna",
];

/// What is behind a word that is no verb: `favorite tracks of …`, `like counts`, `support of …`.
const THINGS: [&str; 16] = [
    "count", "counts", "number", "tracks", "songs", "playlists", "albums", "artists", "users",
    "of", "leaders", "leaderboard", "ranking", "date", "list", "history",
];

/// The verb of a question that wants something changed.
pub(crate) fn verb(question: &str) -> Option<&'static str> {
    let lower = question.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .skip_while(|word| POLITE.contains(word));
    let first = words.next()?;
    let second = words.next().unwrap_or_default();
    if let Some((_, _, verb)) = turn(first, second) {
        return Some(verb);
    }
    let is_noun = THINGS.contains(&second);
    let verb = VERBS.iter().find(|verb| **verb == first);
    verb.copied().filter(|_| !is_noun)
}

fn turn(first: &str, second: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    let is = |(one, two, _): &&(&str, &str, &str)| *one == first && *two == second;
    TURNS.iter().find(is)
}

/// The words of an order in two words, which its verb is not in.
pub(super) fn turns_of(question: &str) -> Vec<String> {
    let words = own_words(question, &[]);
    let pairs = words.windows(2).filter_map(|pair| match pair {
        [one, two] => turn(one, two),
        _ => None,
    });
    let words = pairs.flat_map(|(one, two, _)| [*one, *two]);
    words.map(str::to_owned).collect()
}

/// What an order is about, if nothing in it says so.
pub(super) fn kind_of(question: &str) -> Option<EntityType> {
    orders(verb(question)?)?.first().map(|id| kind_in(id))
}

fn orders(verb: &str) -> Option<&'static [&'static str]> {
    let mut known = ORDERS.iter();
    let row = known.find(|(verbs, _)| verbs.split(' ').any(|it| it == verb));
    row.map(|(_, operations)| *operations)
}

/// What an operation is for, as its id says.
fn kind_in(id: &str) -> EntityType {
    match id {
        id if id.ends_with("Playlist") => Playlist,
        id if id.ends_with("User") => User,
        _ => Track,
    }
}

/// The operation that an order wants.
pub(super) fn ordered(question: &str, understood: &Understanding) -> Option<&'static str> {
    let verb = verb(question)?;
    let lower = question.to_lowercase();
    if ["create", "make"].contains(&verb) {
        let is_list = ["playlist", "album"].iter().any(|it| has_words(&lower, it));
        return is_list.then_some("createPlaylist");
    }
    let operations = orders(verb)?;
    // Nothing is named: `delete a playlist`.
    let mut nouns = lower.split(|c: char| !c.is_alphanumeric());
    let kind = understood
        .entity_type
        .or_else(|| nouns.find_map(nouns::kind_of));
    match kind {
        Some(kind) => operations.iter().find(|id| kind_in(id) == kind),
        None => operations.first(),
    }
    .copied()
}

/// An order to change what is in a playlist, which no operation does for one track: with `--writes` neither.
pub(crate) fn changes_contents(question: &str) -> Option<String> {
    let verb = verb(question)?;
    let lower = question.to_lowercase();
    let is_change = match verb {
        "add" | "move" => has_words(&lower, "to"),
        "remove" | "delete" => has_words(&lower, "from"),
        _ => false,
    };
    is_change.then(|| {
        format!(
            "\"{verb}\": what is in a playlist is not changed here, with --writes neither; follow, favorite, repost, share, \
             subscribe to, mute, delete and create a playlist are the orders there are"
        )
    })
}

/// What something new is to be called: what is quoted, or behind `called`.
pub(crate) fn name_of_new(question: &str) -> Option<String> {
    if let Some(name) = quoted_in(question).into_iter().next() {
        return Some(name);
    }
    let lower = question.to_lowercase();
    let cues = [" called ", " named ", " titled ", " with the name "];
    let behind = cues
        .iter()
        .find_map(|cue| Some(lower.find(cue)? + cue.len()))?;
    // Only where the letters are as long in both cases.
    let name = question.get(behind..)?.trim();
    let name = name.trim_end_matches(['.', '!', '?']).trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Whether a question wants something changed.
pub fn wants_write(question: &str) -> bool {
    verb(question).is_some()
}
