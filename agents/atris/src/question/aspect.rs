//! The field of a reply that a question asks for: plays, followers, duration.

use std::{borrow::Cow, collections::BTreeMap, sync::OnceLock};

use serde::{Deserialize, Serialize};

use super::{maker::GAP, numbers::number, plain::weight};
use crate::catalogue::{EntityType, has_words};

/// A field that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "they are named as the fields of replies")]
pub enum Aspect {
    Plays,
    Followers,
    Following,
    Tracks,
    Playlists,
    Albums,
    Reposts,
    Favorites,
    Comments,
    Supporters,
    Duration,
    Genre,
    Mood,
    Bpm,
    Key,
    ReleaseDate,
    Location,
    Bio,
    Verified,
    Description,
    Downloadable,
    Link,
}

use Aspect::{Bpm, Downloadable, Duration, Favorites, Plays, Reposts};

/// What is known of a field: its names on the wire for what has it, and what people say when they mean it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    aspect: Aspect,
    name: String,
    /// What has it, if nothing else says what a question is about.
    of: EntityType,
    fields: BTreeMap<String, String>,
    #[serde(default)]
    nouns: Vec<String>,
    /// Other words for how much of it there is.
    #[serde(default)]
    verbs: Vec<String>,
    /// What else asks for it than `how many` and `more` before a noun: all parts of one of these.
    #[serde(default)]
    cues: Vec<String>,
}

const FIELDS: &str = include_str!("../../data/fields.json");

/// All fields, those that are asked for in more words first.
fn fields() -> &'static [Field] {
    static READ: OnceLock<Vec<Field>> = OnceLock::new();
    READ.get_or_init(|| serde_json::from_str(FIELDS).unwrap_or_default())
}

impl Field {
    fn cues(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let counted = self.nouns.iter().filter(|_| self.aspect.is_count());
        let counted = counted.flat_map(|it| [format!("how many {it}"), format!("more {it}")]);
        let others = self.cues.iter().map(|cue| Cow::Borrowed(cue.as_str()));
        counted.map(Cow::Owned).chain(others)
    }

    fn has_noun(&self, word: &str) -> bool {
        self.nouns.iter().any(|it| it == word)
    }
}

/// The field that a question asks for, and the words that do so. Who has fewer is told by who has more.
fn asked(question: &str) -> Option<(Aspect, Vec<String>)> {
    let lower = question.to_lowercase();
    let lower = lower.replace("fewer ", "more ").replace("less ", "more ");
    fields().iter().find_map(|field| {
        let mut cues = field.cues();
        let cue = cues.find(|cue| cue.split(" … ").all(|part| has_words(&lower, part)))?;
        let words = cue.split([' ', '…']).filter(|word| !word.is_empty());
        Some((field.aspect, words.map(str::to_owned).collect()))
    })
}

impl Aspect {
    /// The field that a question asks for.
    pub fn of(question: &str) -> Option<Self> {
        asked(question).map(|(aspect, _)| aspect)
    }

    /// The field that a noun stands for: `plays`, `tempo`.
    pub(super) fn of_noun(word: &str) -> Option<Self> {
        let known = fields().iter().find(|it| it.has_noun(word));
        known.map(|it| it.aspect)
    }

    /// What a word measures, and whether it says what is done to a thing: `played`.
    pub(super) fn measured_by(word: &str) -> Option<(Self, bool)> {
        let noun = Self::of_noun(word).map(|aspect| (aspect, false));
        let verb = || {
            let mut known = fields().iter();
            let known = known.find(|it| it.verbs.iter().any(|it| it == word))?;
            Some((known.aspect, word.ends_with("ed")))
        };
        let is_number = |it: &(Self, bool)| it.0.is_count() || matches!(it.0, Bpm | Duration);
        noun.or_else(verb).filter(is_number)
    }

    /// The field that a question asks for, and the words that do so. `shape` has its words, with a gap for its name.
    pub(super) fn read(
        question: &str,
        shape: &[String],
        is_earlier: bool,
    ) -> Option<(Self, Vec<String>)> {
        if let Some((aspect, mut words)) = asked(question) {
            let has = |words: &[String], word: &str| words.iter().any(|it| it == word);
            let mut more: Vec<&str> = Vec::new();
            // Who has fewer is worked out from the same numbers: `how many more followers has X than Y`.
            if has(&words, "more") {
                more.extend(["fewer", "less"]);
                let is_counted = has_words(&question.to_lowercase(), "how many");
                more.extend(["how", "many"].into_iter().filter(|_| is_counted));
            }
            // `what does her bio say`
            if has(&words, "bio") {
                more.extend(["say", "says"]);
            }
            words.extend(more.into_iter().map(str::to_owned));
            return Some((aspect, words));
        }
        let shape: Vec<&str> = shape.iter().map(String::as_str).collect();
        let gap = shape.iter().position(|word| *word == GAP)?;
        let (aspect, words) = counted(&shape)
            .or_else(|| downloadable(&shape, gap))
            .or_else(|| field(&shape, gap, is_earlier))?;
        Some((aspect, words.into_iter().map(str::to_owned).collect()))
    }

    /// Whether it is a number of something.
    pub(super) fn is_count(self) -> bool {
        let known = self.known();
        known.is_some_and(|it| it.fields.values().any(|it| it.ends_with("_count")))
    }

    fn known(self) -> Option<&'static Field> {
        fields().iter().find(|it| it.aspect == self)
    }

    /// Its name in types of questions.
    pub fn name(self) -> &'static str {
        self.known().map_or("", |it| it.name.as_str())
    }

    /// Its name, for people.
    pub(crate) fn label(self) -> String {
        self.name().replace('_', " ")
    }

    /// What has such a field, if nothing else says what a question is about.
    pub fn entity(self) -> EntityType {
        self.known().map_or(EntityType::Track, |it| it.of)
    }

    /// The field on the wire, for what has it.
    pub fn field(self, entity: EntityType) -> Option<&'static str> {
        self.known()?.fields.get(entity.name()).map(String::as_str)
    }
}

/// A field and the words for it.
type FieldSaid<'a> = (Aspect, Vec<&'a str>);

/// `does X have 12 followers`: its record has the number.
fn counted<'a>(shape: &[&'a str]) -> Option<FieldSaid<'a>> {
    let first = shape.first()?;
    if !["does", "do", "has", "have", "did", "is", "are"].contains(first) {
        return None;
    }
    let at = shape.iter().position(|word| number(word).is_some())?;
    let (count, noun) = (shape.get(at)?, shape.get(at + 1)?);
    let aspect = Aspect::of_noun(noun).filter(|it| it.is_count())?;
    Some((aspect, vec![*count, *noun]))
}

/// `is X downloadable`.
fn downloadable<'a>(shape: &[&'a str], gap: usize) -> Option<FieldSaid<'a>> {
    let is_asked = ["is", "was"].contains(shape.first()?) && gap == 1;
    let word = shape.last().filter(|word| **word == "downloadable")?;
    is_asked.then(|| (Downloadable, vec![*word]))
}

/// `X's plays`, `plays of X`, `its tempo`: a noun and a name, and nothing else that asks for something.
fn field<'a>(shape: &[&'a str], gap: usize, is_earlier: bool) -> Option<FieldSaid<'a>> {
    // What is counted is a list of somebody, and a number of something earlier: `and favorites?`.
    let is_field = |it: &Aspect| {
        !it.is_count() || *it == Plays || is_earlier && matches!(it, Favorites | Reposts)
    };
    let mut found = shape.iter().enumerate().filter_map(|(at, word)| {
        let aspect = Aspect::of_noun(word).filter(is_field)?;
        Some((at, *word, aspect))
    });
    let (at, noun, aspect) = found.next()?;
    let is_alone = shape.iter().enumerate().all(|(place, word)| {
        let before = place.checked_sub(1).and_then(|it| shape.get(it));
        let behind = shape.get(place + 1).copied().unwrap_or_default();
        place == at
            || *word == GAP
            || weight(word, before.copied().unwrap_or_default(), behind).is_plain()
    });
    let is_of = at < gap && matches!(shape.get(at + 1), Some(&("of" | "to" | "for")));
    (is_alone && (is_of || at > gap)).then(|| (aspect, vec![noun]))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_known_by_its_name() {
        let known: Vec<Field> = serde_json::from_str(FIELDS).unwrap();
        for field in known {
            let name = serde_json::to_value(field.aspect).unwrap();
            assert_eq!(
                (name.as_str(), field.aspect.name()),
                (Some(&*field.name), &*field.name)
            );
        }
    }
}
