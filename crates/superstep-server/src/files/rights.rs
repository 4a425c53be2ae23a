//! Whose a file is, for callers who are owners: what they uploaded, what graphs made on their threads, and what belongs to examples.
//! What a graph made on a thread that goes with its run stays its owner's (`keep_results`).
//!
//! A file goes by the hash of its bytes, and graphs read it by that. So whatever an owner gives to a graph names no file of somebody
//! else: it is refused as one that is not there. What a graph made it names itself, in the field that `Server::result_field`
//! says; nothing else in a state is taken for it, as others write there too.

use serde_json::Value as Json;
use superstep::{
    HistoryQuery,
    dynamic::GraphPath,
    store::{ContentHash, UPLOADS},
};

use super::key;
use crate::{
    app::App,
    owners::visitor::Visitor,
    records::{file::ResultRecord, thread::Record},
    refusal::Refusal,
    request::payload::Payload,
    time,
};

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
            if self.has_file(&hash).await? && !self.may_read(caller, &hash).await? {
                return Err(Refusal::missing(format!("File {hash} not found")));
            }
        }
        Ok(())
    }

    /// Refuses an assistant whose runs would be given such a file.
    pub(crate) async fn check_settings(
        &self,
        caller: &Visitor,
        body: &Payload,
    ) -> Result<(), Refusal> {
        for name in ["config", "context"] {
            self.check_files(caller, &body.look(name)).await?;
        }
        Ok(())
    }

    /// Whether a caller may read a file, by its hash.
    pub(super) async fn may_read(&self, caller: &Visitor, hash: &str) -> Result<bool, Refusal> {
        let Ok(named) = hash.parse() else {
            return Ok(false);
        };
        if !caller.is_owner() || self.files.find(caller, &named).await?.is_some() {
            return Ok(true);
        }
        let is_of_example = self.registry.all().iter().any(|hosted| {
            let example = hosted.card.example.as_ref().map(Json::to_string);
            example.is_some_and(|example| example.contains(hash))
        });
        let is_kept = self.results.find(&key(caller, hash)).await?.is_some();
        Ok(is_of_example || is_kept || self.is_result(caller, hash).await?)
    }

    /// Whether a graph made a file on a thread of the caller's.
    async fn is_result(&self, caller: &Visitor, hash: &str) -> Result<bool, Refusal> {
        let mut after = None;
        loop {
            let (page, next) = self.threads_of(caller, after).await?;
            for (id, record) in page {
                let made = self.made_on(&id, &record).await;
                if made.iter().any(|made| made == hash) {
                    return Ok(true);
                }
            }
            if next.is_none() {
                return Ok(false);
            }
            after = next;
        }
    }

    /// What its graph made on a thread.
    async fn made_on(&self, id: &str, record: &Record) -> Vec<String> {
        let hosted = record.graph().map(|graph| self.registry.graph(graph));
        let Some(Ok(hosted)) = hosted else {
            return Vec::new();
        };
        let Some(field) = &hosted.result_field else {
            return Vec::new();
        };
        let query = HistoryQuery {
            limit: Some(STATES),
            ..HistoryQuery::default()
        };
        let (thread, root) = (record.thread(id), GraphPath::default());
        // One that cannot be read holds nothing.
        let states = hosted.graph.history(&thread, &root, &query).await;
        let states = states.unwrap_or_default().into_iter();
        let made = states.filter_map(|state| {
            let made = state.values.to_json().get(field)?.as_str()?.to_owned();
            made.parse::<ContentHash>().is_ok().then_some(made)
        });
        made.collect()
    }

    /// What its graph made on a thread that is about to go stays its owner's.
    pub(crate) async fn keep_results(&self, id: &str) -> Result<(), Refusal> {
        let record = self.threads.find(&Visitor::SERVER, id).await?;
        let Some(record) = record.filter(|record| record.owner.is_some()) else {
            return Ok(());
        };
        let owner = Visitor::of(record.owner.clone());
        let created = time::now();
        for hash in self.made_on(id, &record).await {
            let kept = ResultRecord { created };
            self.results.make(&key(&owner, &hash), &kept).await?;
        }
        Ok(())
    }

    async fn has_file(&self, hash: &str) -> Result<bool, Refusal> {
        let (Some(blobs), Ok(hash)) = (&self.blobs, hash.parse()) else {
            return Ok(false);
        };
        let spaces = [Some(UPLOADS), self.results_space.as_deref()];
        for space in spaces.into_iter().flatten() {
            if blobs.contains(space, hash).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// All hashes that a value names, wherever in its texts and in whatever case.
fn hashes(given: &Json, into: &mut Vec<String>) {
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

fn in_text(text: &str) -> impl Iterator<Item = String> {
    let runs = text.split(|c: char| !c.is_ascii_hexdigit());
    let runs = runs.filter(|run| run.len() == LENGTH);
    runs.map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hashes_are_found_wherever_they_are_named() {
        let [one, two, three] = ["a", "0", "f"].map(|digit| digit.repeat(LENGTH));
        let given = json!({
            "problem": {"workbook": one.to_uppercase(), "more": [format!("see {two}.")]},
            &three: 1,
            "short": "abc",
            "long": "a".repeat(LENGTH + 1),
        });
        let mut found = Vec::new();
        hashes(&given, &mut found);
        found.sort_unstable();
        assert_eq!(found, [two, one, three]);
    }
}
