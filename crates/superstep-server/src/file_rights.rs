//! Whose a file is, for callers who are owners: what they uploaded, what graphs made on their threads, and what belongs to examples.
//!
//! A file goes by the hash of its bytes, and graphs read it by that. So whatever an owner gives to a graph names no file of somebody
//! else: it is refused as one that is not there. What a graph made it names itself, in the field that `Server::result_field`
//! says; nothing else in a state is taken for it, as others write there too.

use serde_json::Value as Json;
use superstep::{HistoryQuery, dynamic::GraphPath};

use crate::{app::App, files::key, owner::Visitor, refusal::Refusal};

/// How long a hash is.
const LENGTH: usize = 64;

/// How many states of a thread are looked at.
const STATES: usize = 1000;

impl App {
    /// Refuses what names a file that is there and that the caller may not read.
    pub(crate) async fn check_files(&self, caller: &Visitor, given: &Json) -> Result<(), Refusal> {
        if caller.owner().is_none() {
            return Ok(());
        }
        let mut named = Vec::new();
        hashes(given, &mut named);
        for hash in named {
            if self.has_file(hash) && !self.may_read(caller, hash).await? {
                return Err(Refusal::missing(format!("File {hash} not found")));
            }
        }
        Ok(())
    }

    /// Whether a caller may read a file, by its hash.
    pub(crate) async fn may_read(&self, caller: &Visitor, hash: &str) -> Result<bool, Refusal> {
        if caller.owner().is_none() || self.files.find(&key(caller, hash)).await?.is_some() {
            return Ok(true);
        }
        let is_of_example = self.registry.all().iter().any(|hosted| {
            let example = hosted.example.as_ref().map(Json::to_string);
            example.is_some_and(|example| example.contains(hash))
        });
        Ok(is_of_example || self.is_result(caller, hash).await?)
    }

    /// Whether a graph made a file on a thread of the caller's.
    async fn is_result(&self, caller: &Visitor, hash: &str) -> Result<bool, Refusal> {
        let query = HistoryQuery {
            limit: Some(STATES),
            ..HistoryQuery::default()
        };
        for (id, record) in self.all_threads(caller).await? {
            let hosted = record.graph().map(|graph| self.registry.graph(graph));
            let Some(Ok(hosted)) = hosted else {
                continue;
            };
            let Some(field) = &hosted.result_field else {
                continue;
            };
            let (thread, root) = (record.thread(&id), GraphPath::default());
            // One that cannot be read holds nothing.
            let states = hosted.graph.history(&thread, &root, &query).await;
            let states = states.unwrap_or_default();
            let names = |values: Json| values.get(field).is_some_and(|it| it == hash);
            if states.iter().any(|state| names(state.values.to_json())) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn has_file(&self, hash: &str) -> bool {
        let folders = [&self.files_folder, &self.results_folder];
        let mut folders = folders.into_iter().flatten();
        folders.any(|folder| folder.join(hash).exists())
    }
}

/// All hashes that a value names, wherever in its texts.
fn hashes<'a>(given: &'a Json, into: &mut Vec<&'a str>) {
    match given {
        Json::String(text) => into.extend(in_text(text)),
        Json::Array(many) => many.iter().for_each(|one| hashes(one, into)),
        Json::Object(fields) => {
            for (name, value) in fields {
                into.extend(in_text(name));
                hashes(value, into);
            }
        }
        _ => {}
    }
}

fn in_text(text: &str) -> impl Iterator<Item = &str> {
    let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let runs = text.split(move |c| !is_digit(c));
    runs.filter(|run| run.len() == LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hashes_are_found_wherever_they_are_named() {
        let [one, two, three] = ["a", "0", "f"].map(|digit| digit.repeat(LENGTH));
        let given = json!({
            "problem": {"workbook": one, "more": [format!("see {two}.")]},
            &three: 1,
            "short": "abc",
            "long": "a".repeat(LENGTH + 1),
        });
        let mut found = Vec::new();
        hashes(&given, &mut found);
        found.sort_unstable();
        assert_eq!(found, [&*two, &*one, &*three]);
    }
}
