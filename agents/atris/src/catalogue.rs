//! The catalogue: every operation of the Audius API as data, found by words, and parameters checked
//! against it.
//!
//! The facts are in `data/operations.json` and `data/models.json`: 221 operations of the public REST API,
//! their parameters, and the models that they answer with. `data/phrases.json` has what people say when
//! they mean an operation, `data/words.json` which other words it answers to once it is chosen. `operation` is one entry, `search` ranks them for a question, `check` is what
//! happens before a call, `models` knows the shape of replies.

mod check;
mod fillers;
mod models;
mod operation;
mod search;
mod twins;
mod words;

use std::{collections::BTreeMap, sync::OnceLock};

pub use check::{Fault, Parameters};
pub(crate) use fillers::is_filler;
pub use models::{FieldType, Model, Models, Shape};
pub use operation::{
    Api, ApiParameter, EntityType, Kind, Method, Operation, Parameter, ParameterIn,
};
pub(crate) use operation::{MAX_LIMIT, USUAL_LIMIT};
pub use search::{Candidate, Clues};
pub use words::{GENRES, MOODS, genre, mood};
pub(crate) use words::{genre_in, has_words, is_known, is_part_of_genre, mood_in, tokens};

use crate::error::Error;

/// The most lists that are named to whoever asked for none of them.
const MAX_LISTS: usize = 4;

const OPERATIONS: &str = include_str!("../data/operations.json");
const MODELS: &str = include_str!("../data/models.json");
const PHRASES: &str = include_str!("../data/phrases.json");
const WORDS: &str = include_str!("../data/words.json");

/// All operations and models.
#[derive(Debug)]
pub struct Catalogue {
    operations: Vec<Operation>,
    models: Models,
    /// What people say when they mean an operation.
    phrases: BTreeMap<String, Vec<String>>,
    index: search::Index,
}

impl Catalogue {
    /// The catalogue of this version; it is read once.
    pub fn get() -> Result<&'static Self, Error> {
        static READ: OnceLock<Result<Catalogue, String>> = OnceLock::new();
        let read = READ.get_or_init(|| Self::read().map_err(|error| error.to_string()));
        read.as_ref()
            .map_err(|why| Error::Catalogue { why: why.clone() })
    }

    fn read() -> Result<Self, serde_json::Error> {
        let operations: Vec<Operation> = serde_json::from_str(OPERATIONS)?;
        let models = Models::read(MODELS)?;
        let phrases: BTreeMap<String, Vec<String>> = serde_json::from_str(PHRASES)?;
        let words: BTreeMap<String, Vec<String>> = serde_json::from_str(WORDS)?;
        let index = search::Index::new(&operations, &phrases, &words);
        Ok(Self {
            operations,
            models,
            phrases,
            index,
        })
    }

    /// All operations.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// An operation by its id.
    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|known| known.id == id)
    }

    /// An operation that must exist.
    pub fn require(&self, id: &str) -> Result<&Operation, Error> {
        self.operation(id).ok_or_else(|| {
            let known = self.operations.iter().map(|known| known.id.as_str());
            Error::UnknownOperation {
                id: superstep::text::single_line(id),
                hint: superstep::model::did_you_mean::hint(id, known),
            }
        })
    }

    /// What people say when they mean an operation; nothing if that is not known.
    pub fn phrases(&self, operation: &Operation) -> &[String] {
        self.phrases.get(&operation.id).map_or(&[], Vec::as_slice)
    }

    /// What an operation answers with, in words: `followers of a user`.
    pub(crate) fn in_words(&self, operation: &Operation) -> String {
        let phrase = self.phrases(operation).first().cloned();
        phrase.unwrap_or_else(|| {
            let words = operation.id_words();
            words.strip_prefix("get ").unwrap_or(&words).to_owned()
        })
    }

    /// Lists of a kind of things that are asked for without a name, in words.
    pub(crate) fn lists_of(&self, kind: &str) -> Vec<String> {
        let plain = self.operations.iter().filter(|it| {
            it.is_public() && it.entity().is_none() && it.parameter("limit").is_some()
        });
        let said = plain.filter_map(|it| self.phrases(it).first());
        let mut lists: Vec<String> = said.filter(|it| it.contains(kind)).cloned().collect();
        // What most people ask for comes first.
        lists.sort_by_key(|it| !(it.starts_with("trending") || it.starts_with("top")));
        lists.truncate(MAX_LISTS);
        lists.push(match kind {
            "user" => "followers of a user".to_owned(),
            kind => format!("{kind}s by a user"),
        });
        lists
    }

    /// Whether a word, as [`tokens`] gives it, is one of an operation: of its id, its path or its phrases.
    pub(crate) fn says(&self, operation: &Operation, token: &str) -> bool {
        let entry = self.index.entry(&self.operations, operation);
        entry.is_some_and(|it| it.words.contains_key(token))
    }

    /// Whether an operation answers to a word as it is written, in lower case: its phrases or `data/words.json`
    /// have it.
    pub(crate) fn says_word(&self, operation: &Operation, word: &str) -> bool {
        let entry = self.index.entry(&self.operations, operation);
        entry.is_some_and(|it| it.written.contains(word))
    }

    /// Whether an operation answers with people: users, or records of what users did.
    pub(crate) fn answers_with_people(&self, operation: &Operation) -> bool {
        let Some(model) = self.record_of(operation) else {
            return false;
        };
        let has = |field: &str| model.field(field).is_some();
        let is_person = |field: &&str| has(field);
        let is_music = has("title") || has("playlist_name");
        has("handle") || !is_music && ["sender", "receiver", "user"].iter().any(is_person)
    }

    /// Whether the records that an operation answers with have a field; what somebody did may be done to anything.
    pub(crate) fn tells(&self, operation: &Operation, field: &str) -> bool {
        let model = self.record_of(operation);
        model.is_some_and(|it| it.field(field).is_some() || it.field("item").is_some())
    }

    /// All models, and the name of the one whose records an operation answers with.
    pub(crate) fn answered_model(&self, operation: &Operation) -> Option<(&Models, &str)> {
        Some((&self.models, self.record_model(operation)?))
    }

    /// The model of the records that an operation answers with.
    fn record_of(&self, operation: &Operation) -> Option<&Model> {
        self.models.get(self.record_model(operation)?)
    }

    /// The name of that model.
    fn record_model(&self, operation: &Operation) -> Option<&str> {
        let response = operation.response.as_deref()?;
        let mut shape = self.models.data_of(response)?;
        loop {
            let name = match shape {
                Shape::List(item) | Shape::Map(item) => {
                    shape = item;
                    continue;
                }
                Shape::Model(name) => name,
                _ => return None,
            };
            let model = self.models.get(name)?;
            // A list with its length.
            match model
                .field("tracks")
                .filter(|_| model.field("count").is_some())
            {
                Some(list) => shape = &list.shape,
                None => return Some(name),
            }
        }
    }

    /// All words that questions can have for operations.
    pub(crate) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.index.vocabulary()
    }

    /// The models.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// The operations that fit a question best, best first.
    pub fn search(&self, question: &str, clues: &Clues, most: usize) -> Vec<Candidate<'_>> {
        self.index.search(&self.operations, question, clues, most)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn every_operation_and_every_model_it_names_is_there() {
        let catalogue = Catalogue::get().unwrap();
        let reads = catalogue.operations().iter().filter(|it| it.is_read());
        assert_eq!((reads.count(), catalogue.operations().len()), (167, 221));
        for operation in catalogue.operations() {
            let names = [operation.response.as_deref(), operation.body.as_deref()];
            for name in names
                .into_iter()
                .flatten()
                .filter(|name| *name != "Resolve")
            {
                assert!(catalogue.models().get(name).is_some(), "{name}");
            }
            let path: Vec<&str> = operation.path_parameters().collect();
            for parameter in &operation.parameters {
                let is_path = parameter.place == ParameterIn::Path;
                assert_eq!(
                    is_path,
                    path.contains(&&*parameter.name),
                    "{}",
                    operation.id
                );
            }
        }
    }

    #[test]
    fn every_phrase_belongs_to_an_operation() {
        let phrases: BTreeMap<String, Vec<String>> = serde_json::from_str(PHRASES).unwrap();
        let catalogue = Catalogue::get().unwrap();
        let words: BTreeMap<String, Vec<String>> = serde_json::from_str(WORDS).unwrap();
        for id in phrases.keys().chain(words.keys()) {
            assert!(catalogue.operation(id).is_some(), "{id}");
        }
    }
}
