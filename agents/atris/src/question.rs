//! What a question says, by rules alone: what it is about, which field it wants, and values for
//! parameters. The rules know words, not answers; whatever they do not find stays unknown.
//!
//! `reference` finds what is named, `aspect` the field that is asked for, `values` the parameters, and
//! `choose` the operation.

mod aspect;
mod choose;
mod reference;
mod values;

pub use aspect::Aspect;
pub use choose::{Choice, choose};
pub use reference::{Reference, references};
pub use values::{of as values_of, wants_write};

use serde::{Deserialize, Serialize};

use crate::catalogue::EntityType;

/// The most characters of a question that are looked at.
pub const MAX_QUESTION: usize = 2_000;

/// How much work a question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Complexity {
    /// One call.
    Simple,
    /// Several calls.
    Moderate,
    /// Calls that need the replies of others.
    Complex,
}

/// What a question says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Understanding {
    /// What kind of question it is, such as `trending_tracks` or `user_followers`.
    pub query_type: String,
    /// What it is about.
    pub entity_type: Option<EntityType>,
    /// What it names.
    pub references: Vec<Reference>,
    /// The field it asks for.
    pub aspect: Option<Aspect>,
    /// How much work it is.
    pub complexity: Complexity,
}

impl Understanding {
    /// Reads a question.
    pub fn of(question: &str) -> Self {
        let references = match is_search(question) {
            true => Vec::new(),
            false => references(question),
        };
        let aspect = Aspect::of(question);
        let entity_type = entity_type(question, &references, aspect);
        let complexity = match references.as_slice() {
            [] => Complexity::Simple,
            [Reference::Id(_) | Reference::Handle(_)] => Complexity::Simple,
            [_] => Complexity::Moderate,
            _ => Complexity::Complex,
        };
        let about = entity_type.map_or("general", EntityType::name);
        let query_type = match aspect {
            Some(aspect) if !references.is_empty() => format!("{about}_{}", aspect.name()),
            _ => about.to_owned(),
        };
        Self {
            query_type,
            entity_type: entity_type.filter(|_| !references.is_empty()),
            references,
            aspect,
            complexity,
        }
    }
}

/// Whether a question wants a search: what it names is then what is searched for.
pub(crate) fn is_search(question: &str) -> bool {
    let lower = question.to_lowercase();
    let first = lower.split_whitespace().next().unwrap_or_default();
    let cues = [
        " for ",
        " about ",
        " called ",
        " named ",
        " tagged ",
        " matching ",
        " with ",
        "\"",
        "“",
    ];
    let looks = ["search", "find", "look"].contains(&first);
    looks && !lower.contains(" by ") && cues.iter().any(|cue| lower.contains(cue))
}

/// What a name stands for: words beside it say so, or else the field that is asked for.
fn entity_type(
    question: &str,
    references: &[Reference],
    aspect: Option<Aspect>,
) -> Option<EntityType> {
    if let Some(Reference::Handle(_)) = references.first() {
        return Some(EntityType::User);
    }
    let lower = question.to_lowercase();
    let name = references.iter().find_map(|it| match it {
        Reference::Name(name) | Reference::Id(name) => Some(name.to_lowercase()),
        _ => None,
    });
    let before = name.as_deref().and_then(|name| lower.find(name));
    let before = before.and_then(|at| lower.get(..at)).unwrap_or(&lower);
    let mut words: Vec<&str> = before.split(|c: char| !c.is_alphanumeric()).collect();
    words.retain(|word| !word.is_empty());
    let last = words.last().copied().unwrap_or_default();
    let beside = match last {
        "track" | "song" | "tune" | "single" => Some(EntityType::Track),
        "playlist" | "album" | "ep" | "lp" => Some(EntityType::Playlist),
        "user" | "artist" | "musician" | "producer" | "dj" | "by" | "handle" => {
            Some(EntityType::User)
        }
        "id" => words.iter().rev().find_map(|word| match *word {
            "track" | "song" => Some(EntityType::Track),
            "playlist" | "album" => Some(EntityType::Playlist),
            "user" | "artist" => Some(EntityType::User),
            _ => None,
        }),
        _ => None,
    };
    if beside.is_some() {
        return beside;
    }
    let after = name.as_deref().and_then(|name| {
        let at = lower.find(name)? + name.len();
        lower.get(at..)
    });
    if after.is_some_and(|after| after.starts_with("'s ") || after.starts_with("’s ")) {
        return Some(EntityType::User);
    }
    let of_tracks = [
        "remixes of",
        "remix of",
        "comments on",
        "comments under",
        "reposted",
        "favorited",
        "favourited",
        "stems",
        "top listeners",
        "listens to",
        "downloaded",
        "liked",
        "stream",
        "compare the plays",
        "compare plays",
        "saved",
    ];
    let by_users = [
        "has reposted",
        "did",
        "does",
        "has liked",
        "has favorited",
        "albums",
        "followers",
    ];
    let is_by_user = by_users.iter().any(|cue| lower.contains(cue));
    if of_tracks.iter().any(|cue| lower.contains(cue)) && !is_by_user {
        return Some(EntityType::Track);
    }
    match aspect {
        Some(aspect) => Some(aspect.entity()),
        None => Some(EntityType::User),
    }
}
