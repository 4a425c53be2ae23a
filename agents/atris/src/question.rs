//! What a question says, by rules alone: what it is about, which field it wants, and values for
//! parameters. The rules know words, not answers; whatever they do not find stays unknown.
//!
//! `reference` finds what is named, `earlier` the words for what an earlier answer was about, `continued` questions
//! about the list of an earlier answer, `aspect` the field that is asked for, `comparison` what is put in order by what,
//! `computation` what is worked out from a reply, `values` the parameters, `choose` the operation, `direction` who does
//! something to whom, `maker` whoever made something, `nouns` what lists are made of, `searched` what is searched for, `writes` what is to be changed, `beyond` what no call can do. `account` is the last word:
//! every word of a question that asks for something (`plain` has the others) is used by the plan, or the question is refused.

mod account;
mod aspect;
mod beyond;
mod choose;
mod comparison;
mod computation;
pub(crate) mod continued;
mod direction;
pub(crate) mod earlier;
mod maker;
mod nouns;
mod numbers;
mod plain;
mod reference;
mod searched;
mod values;
mod writes;

pub use account::Account;
pub(crate) use account::suggestions;
pub use aspect::Aspect;
pub(crate) use beyond::{beyond, wants_yes_or_no};
pub use choose::{Choice, choose};
pub(crate) use choose::{bare_kind, by_handle};
pub(crate) use comparison::Comparison;
pub use computation::Computation;
pub(crate) use maker::Maker;
pub use reference::{Reference, references};
pub use values::of as values_of;
pub(crate) use values::{of_words as values_of_words, page_in};
pub use writes::wants_write;
pub(crate) use writes::{changes_contents, name_of_new, verb};

use serde::{Deserialize, Serialize};

use maker::GAP;
use nouns::Noun;

use crate::catalogue::{EntityType, USUAL_LIMIT, has_words};

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
    /// What it wants worked out from the reply.
    pub computation: Option<Computation>,
    /// How many of those that are compared it wants; nothing if it wants the one that is first.
    pub first: Option<u64>,
    /// How much work it is.
    pub complexity: Complexity,
}

impl Understanding {
    /// Whether records are compared.
    pub(crate) fn is_compared(&self) -> bool {
        self.computation.is_some_and(Computation::is_comparison)
    }

    /// Whether all there are of something are compared.
    pub(crate) fn is_of_all(&self) -> bool {
        self.references.is_empty() && self.is_compared()
    }

    /// Reads a question.
    pub fn of(question: &str) -> Self {
        let references = match is_search(question) {
            true => Vec::new(),
            false => references(question),
        };
        let own = own_words(question, &references);
        let comparison = Comparison::of(&own, !references.is_empty());
        let comparison = comparison.filter(|_| !is_search(question));
        let maker = maker_of(question, &references);
        let mut aspect = match (&comparison, &maker) {
            (Some(_), _) | (_, Some(Maker::Asked(_))) => None,
            _ => aspect_of(question, &references).map(|it| it.0),
        };
        let mut computation = match &comparison {
            Some(comparison) => Some(Computation::of_comparison(comparison)),
            None => {
                (aspect.is_none() && Computation::counts(question)).then_some(Computation::Count)
            }
        };
        let first = comparison.as_ref().and_then(|it| it.shown(USUAL_LIMIT));
        // `who has the most followers, X or Y` compares the two, not what they have.
        if let (Some(comparison), [_, _]) = (&comparison, references.as_slice())
            && !comparison.is_of_things
            && comparison.first.is_none()
            && (!comparison.is_list || own.iter().any(|word| word == "compare"))
        {
            (aspect, computation) = (Some(comparison.aspect), None);
        }
        let is_compared = computation.is_some_and(Computation::is_comparison);
        let entity_type = match &maker {
            Some(Maker::Subject(_)) => Some(EntityType::User),
            Some(Maker::Asked(_)) => {
                let said = said_kind(question, &references);
                said.filter(|kind| *kind != EntityType::User)
                    .or(Some(EntityType::Track))
            }
            None => entity_type(question, &references, aspect),
        };
        // `the longest track Nova Kane has` is about her, not about a track of that name; remixes are of a track.
        let is_of_remixes = own.iter().any(|word| word.starts_with("remix"));
        // Whoever did something to a track is compared by what users have.
        let is_of_people = comparison
            .as_ref()
            .is_some_and(|it| it.aspect.entity() == EntityType::User);
        let is_of_track = is_of_remixes || is_of_people;
        let entity_type = match (entity_type, is_compared && !is_of_track) {
            (Some(EntityType::Track), true) => Some(EntityType::User),
            (entity_type, _) => entity_type,
        };
        let complexity = match (references.as_slice(), computation) {
            ([] | [Reference::Id(_) | Reference::Handle(_)], None) => Complexity::Simple,
            ([] | [_], _) => Complexity::Moderate,
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
            computation,
            first: first.filter(|_| computation.is_some()),
            complexity,
        }
    }
}

/// The field that a question asks for, and the words that do so.
pub(crate) fn aspect_of(question: &str, references: &[Reference]) -> Option<(Aspect, Vec<String>)> {
    let is_earlier = matches!(references.first(), Some(Reference::Earlier(_)));
    Aspect::read(question, &shape(question, references), is_earlier)
}

/// What a question says about whoever made what it names.
pub(crate) fn maker_of(question: &str, references: &[Reference]) -> Option<Maker> {
    let [name] = references else {
        return None;
    };
    let is_earlier = matches!(name, Reference::Earlier(_));
    maker::of(&shape(question, references), is_earlier)
}

/// The words of a question in lower case, with [`GAP`] for what it names.
fn shape(question: &str, references: &[Reference]) -> Vec<String> {
    words_with(question, references, GAP)
}

/// The words of a question in lower case, without those of what it names; words for something earlier are no
/// names. `don't` is one word.
pub(crate) fn own_words(question: &str, references: &[Reference]) -> Vec<String> {
    words_with(question, references, " ")
}

/// The same with something for every name.
fn words_with(question: &str, references: &[Reference], gap: &str) -> Vec<String> {
    let gap = format!(" {gap} ");
    let mut rest = String::new();
    // A link is kept in another form than it is written in.
    for word in question.split_whitespace() {
        match word.contains("audius.co/") {
            true => rest.push_str(&gap),
            false => rest.push_str(word),
        }
        rest.push(' ');
    }
    let mut rest = rest.to_lowercase().replace('’', "'");
    for name in references {
        match name {
            Reference::Earlier(word) => {
                // Only as a whole word: `it` is in others too.
                let at = rest.match_indices(word.as_str()).find(|(at, _)| {
                    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
                    let behind = rest.get(at + word.len()..);
                    ends(rest.get(..*at).and_then(|it| it.chars().next_back()))
                        && ends(behind.and_then(|it| it.chars().next()))
                });
                if let Some((at, _)) = at {
                    rest.replace_range(at..at + word.len(), &gap);
                }
            }
            Reference::By { name, by } => {
                rest = rest.replacen(&name.to_lowercase(), &gap, 1);
                rest = rest.replacen(&by.to_lowercase(), " ", 1);
            }
            name => rest = rest.replace(&name.text().to_lowercase(), &gap),
        }
    }
    let is_end = |c: char| !c.is_alphanumeric() && c != '\'';
    let words = rest.split(is_end).flat_map(|word| {
        let word = word.trim_matches('\'');
        match word.ends_with("n't") {
            true => vec![word.to_owned()],
            false => word.split('\'').map(str::to_owned).collect(),
        }
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// Whether a question wants a search: what it names is then what is searched for.
pub(crate) fn is_search(question: &str) -> bool {
    let lower = question.to_lowercase();
    let first = lower.split_whitespace().next().unwrap_or_default();
    let cues = [
        " for ", " about ", " called ", " named ", " tagged ", " matching ", " with ", "\"", "“",
    ];
    let looks = ["search", "find", "look", searched::AUTOCOMPLETE].contains(&first);
    let is_said = cues.iter().any(|cue| lower.contains(cue)) || searched::bare(question).is_some();
    looks && !lower.contains(" by ") && is_said
}

fn is_mark(c: char) -> bool {
    "\"”“»'’".contains(c)
}

/// What a name stands for, if the question says so: by the form of the name, or by a word beside it.
pub(crate) fn said_kind(question: &str, references: &[Reference]) -> Option<EntityType> {
    match references.first()? {
        Reference::Handle(_) => return Some(EntityType::User),
        Reference::Url(url) => return Some(reference::kind_of_link(url)),
        Reference::Earlier(word) if earlier::kind(word).is_some() => {
            return earlier::kind(word);
        }
        _ => {}
    }
    let lower = question.to_lowercase();
    let is_form = |it: &&Reference| matches!(it, Reference::Url(_) | Reference::Handle(_));
    let name = references.iter().find(|it| !is_form(it));
    let name = name.map(|it| it.text().to_lowercase());
    let before = name.as_deref().and_then(|name| lower.find(name));
    let before = before.and_then(|at| lower.get(..at)).unwrap_or(&lower);
    let mut words: Vec<&str> = before.split(|c: char| !c.is_alphanumeric()).collect();
    words.retain(|word| !word.is_empty());
    // `a track called Echo`
    if let Some("called" | "named" | "titled") = words.last().copied() {
        words.pop();
    }
    let kind_beside = |word: &str| match word {
        "by" | "handle" => Some(EntityType::User),
        "id" => words.iter().rev().find_map(|word| nouns::kind_of(word)),
        word => nouns::kind_of(word),
    };
    let beside = words.last().and_then(|word| kind_beside(word));
    if beside.is_some() {
        return beside;
    }
    let after = name.as_deref().and_then(|name| {
        let at = lower.find(name)? + name.len();
        lower.get(at..)
    });
    // `the Night Drive playlist`
    let behind = after.map(|after| after.trim_start_matches(is_mark).trim_start());
    let behind = behind.and_then(|behind| behind.split(|c: char| !c.is_alphanumeric()).next());
    let kind = behind.and_then(nouns::kind_of);
    kind.filter(|kind| *kind != EntityType::User)
}

/// What a name stands for: words beside it say so, or else the field that is asked for.
fn entity_type(
    question: &str,
    references: &[Reference],
    aspect: Option<Aspect>,
) -> Option<EntityType> {
    references.first()?;
    if let Some(said) = said_kind(question, references) {
        return Some(said);
    }
    if let Some(kind) = writes::kind_of(question) {
        return Some(kind);
    }
    let shape = shape(question, references);
    let lower = question.to_lowercase();
    let gap = shape.iter().position(|word| word == GAP);
    let behind = |by: usize| {
        let word = gap.and_then(|at| shape.get(at + by));
        word.map_or("", String::as_str)
    };
    // Somebody has things, and things have fields.
    if behind(1) == "s" && aspect.is_none() {
        return Some(EntityType::User);
    }
    if is_doer(&shape) {
        return Some(EntityType::User);
    }
    let has_songs = shape
        .iter()
        .any(|word| matches!(nouns::noun(word), Some((Noun::Track, _))));
    if let (Some(Reference::By { .. }), None) = (references.first(), aspect) {
        return Some(match has_songs {
            true => EntityType::Playlist,
            false => EntityType::Track,
        });
    }
    let is_inside = gap.and_then(|at| at.checked_sub(1)).is_some_and(|at| {
        let word = shape.get(at).map_or("", String::as_str);
        ["in", "on", "inside"].contains(&word)
    });
    if is_inside && aspect.is_none() && has_songs {
        return Some(EntityType::Playlist);
    }
    let of_tracks = [
        "original of", "remixes", "remix of", "a remix", "comments on", "comments under",
        "reposted", "favorited", "favourited", "stems", "top listeners", "listens to",
        "downloaded", "liked", "stream", "compare the plays", "compare plays", "saved",
        "who likes", "who loves", "who made", "made by", "artist behind", "artist of",
        "artist made", "songs like", "tracks like", "tracks similar", "songs similar", "lyrics",
        "say about",
    ];
    let by_users = [
        "has reposted", "sounds like", "did", "has liked", "has favorited", "albums", "followers",
    ];
    // `does X follow` asks for what X does, `does X have` for what X has.
    let does = has_words(&lower, "does") && !has_words(&lower, "have");
    let is_by_user = does || by_users.iter().any(|cue| lower.contains(cue));
    let name = references.first().map(|name| name.text().to_lowercase());
    let at = name.as_deref().and_then(|name| lower.find(name));
    let before = at.and_then(|at| lower.get(..at)).unwrap_or_default();
    // People are remixed too: if there is no such track, the name is looked up among them.
    let is_remixed = before.contains("remixed");
    // `what comments are there on X`
    let behind = before.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_commented =
        before.contains("comment") && (behind.ends_with(" on") || behind.ends_with(" under"));
    let is_of_track = of_tracks.iter().any(|cue| lower.contains(cue));
    if (is_of_track || is_remixed || is_commented) && !is_by_user {
        return Some(EntityType::Track);
    }
    match aspect {
        Some(aspect) => Some(aspect.entity()),
        None => Some(EntityType::User),
    }
}

/// Whether what is named does something: `what has X liked`, but not `was X liked` nor `liked by X`.
fn is_doer(shape: &[String]) -> bool {
    let done = [
        "reposted", "favorited", "favourited", "liked", "saved", "downloaded", "likes", "loves",
    ];
    let passive = ["was", "were", "been", "be", "is", "are", "being", "got"];
    let word = |at: usize| shape.get(at).map_or("", String::as_str);
    let Some(gap) = shape.iter().position(|word| word == GAP) else {
        return false;
    };
    let verb = (gap + 1..shape.len()).find(|at| done.contains(&word(*at)));
    verb.is_some_and(|at| {
        let is_passive = (0..at).any(|at| passive.contains(&word(at)));
        word(gap + 1) != "s" && word(at + 1) != "by" && !is_passive
    })
}
