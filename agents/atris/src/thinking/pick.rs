//! The choice of an operation by a small model: a number of a list, with worked examples.
//!
//! A model of a billion weights decides better between eight numbers than between eight ids that begin
//! alike, and everything but the list and the question is the same in every call, so that it is read once.

use serde::Deserialize;
use serde_json::json;
use superstep::model::Message;

use super::Thinker;
use crate::{
    catalogue::{Catalogue, EntityType, Operation},
    error::Error,
};

const PICK: &str = include_str!("../../prompts/pick.md");

/// How many phrases of an operation are told.
const MAX_PHRASES: usize = 2;

/// Lists, questions, what they name, and the numbers that are right.
const EXAMPLES: [(&str, &str, &str, &str); 5] = [
    (
        "1. who reposted a track; users who reposted a track\n2. details of a track; track info\n3. remixes of a track",
        "which people reposted Blue Door?",
        "the track Blue Door",
        "1",
    ),
    (
        "1. who reposted a track; users who reposted a track\n2. details of a track; track info\n3. remixes of a track",
        "how many reposts does Blue Door have?",
        "the track Blue Door",
        "2",
    ),
    (
        "1. latest tracks; newest tracks\n2. tracks by a user; tracks of a user\n3. about a user; user info",
        "Ada Field's newest songs",
        "the user Ada Field",
        "2",
    ),
    (
        "1. top users; top artists\n2. trending tracks; hot tracks\n3. tracks by a user; tracks of a user",
        "what is everybody listening to?",
        "nothing",
        "2",
    ),
    (
        "1. search users; find users called\n2. search tracks; find tracks about\n3. search playlists; find playlists about",
        "look for playlists with the sea in their name",
        "nothing",
        "3",
    ),
];

#[derive(Deserialize)]
struct Picked {
    choice: String,
}

impl Thinker<'_> {
    /// Which of these operations answers a question, by its number; nothing if that is none of theirs.
    pub(crate) async fn pick<'a>(
        &self,
        question: &str,
        named: Option<(EntityType, &str)>,
        candidates: &[&'a Operation],
    ) -> Result<Option<&'a Operation>, Error> {
        let catalogue = Catalogue::get()?;
        let list = (1..).zip(candidates).map(|(number, operation)| {
            let phrases = catalogue.phrases(operation).iter().take(MAX_PHRASES);
            let phrases: Vec<&str> = phrases.map(String::as_str).collect();
            match phrases.is_empty() {
                true => format!("{number}. {}", operation.id_words()),
                false => format!("{number}. {}", phrases.join("; ")),
            }
        });
        let list = list.collect::<Vec<_>>().join("\n");
        // The same for every question, however many candidates it has.
        let numbers: Vec<String> = (1..=crate::question::CANDIDATES)
            .map(|it| it.to_string())
            .collect();
        let schema = json!({
            "type": "object",
            "properties": {"choice": {"type": "string", "enum": numbers}},
            "required": ["choice"],
            "additionalProperties": false,
        });
        let asked = |list: &str, question: &str, named: &str| {
            Message::user(format!("{list}\nQuestion: {question}\nIt names {named}."))
        };
        let mut messages = vec![Message::system(PICK)];
        for (list, question, named, number) in EXAMPLES {
            messages.push(asked(list, question, named));
            messages.push(Message::model(json!({"choice": number}).to_string()));
        }
        let named = named.map_or_else(
            || "nothing".to_owned(),
            |(kind, name)| format!("the {} {name}", kind.name()),
        );
        messages.push(asked(&list, question, &named));
        let picked: Picked = self.ask("choice", schema, messages).await?;
        let number = picked.choice.parse::<usize>().ok();
        let place = number.and_then(|number| number.checked_sub(1));
        Ok(place.and_then(|place| candidates.get(place).copied()))
    }
}
