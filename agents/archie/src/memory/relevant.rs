//! Summary of the part of a memory that is relevant to a query.

use super::{Entity, Memory, extract::is_document};
use crate::documents::rank::{Count, Words};

/// How much the model gets at most.
const MOST_ENTITIES: usize = 12;
const MOST_RELATIONSHIPS: usize = 16;
const MOST_BYTES: usize = 3_000;

/// What a memory holds about a query, a line for each; empty if it holds nothing. A small memory
/// is given whole.
pub(crate) fn relevant(memory: &Memory, query: &str) -> String {
    let words = Words::new(query);
    // Memories of earlier versions have documents among their entities.
    let paths: Vec<&str> = memory
        .documents
        .values()
        .map(|it| it.path.as_str())
        .collect();
    let is_document = |name: &str| is_document(name, &paths);
    let entities = memory.entities.iter();
    let entities: Vec<&Entity> = entities.filter(|it| !is_document(&it.name)).collect();
    let counts: Vec<Count> = entities
        .iter()
        .map(|entity| {
            let tags = entity.tags.iter().map(String::as_str);
            let parts = [&*entity.name, &*entity.description, &*entity.kind];
            words.count(parts.into_iter().chain(tags))
        })
        .collect();
    let scores = words.scores(&counts.iter().collect::<Vec<_>>());
    let mut ranked: Vec<_> = entities.into_iter().zip(scores).collect();
    if ranked.len() > MOST_ENTITIES {
        ranked.retain(|(_, score)| *score > 0.0);
    }
    ranked.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    ranked.truncate(MOST_ENTITIES);
    let mut text = Lines::default();
    for (entity, _) in &ranked {
        let kind = match entity.kind.as_str() {
            "" => String::new(),
            kind => format!(" ({kind})"),
        };
        text.add(&format!("- {}{kind}: {}", entity.name, entity.description));
    }
    let is_told = |name: &str| {
        let mut chosen = ranked.iter();
        chosen.any(|(entity, _)| entity.name.eq_ignore_ascii_case(name))
    };
    let about = memory
        .relationships
        .iter()
        .filter(|it| is_told(&it.from) || is_told(&it.to))
        .filter(|it| !is_document(&it.from) && !is_document(&it.to));
    for it in about.take(MOST_RELATIONSHIPS) {
        text.add(&format!("- {} {} {}", it.from, it.kind, it.to));
    }
    text.0
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, line: &str) {
        let line = superstep::text::single_line(line);
        if self.0.len() + line.len() < MOST_BYTES {
            if !self.0.is_empty() {
                self.0.push('\n');
            }
            self.0.push_str(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Relationship, Seen};

    fn entity(name: &str, description: &str) -> Entity {
        Entity {
            name: name.into(),
            description: description.into(),
            kind: "service".into(),
            ..Entity::default()
        }
    }

    #[test]
    fn a_small_memory_is_told_whole() {
        let memory = Memory {
            entities: vec![entity("Ledger", "keeps accounts")],
            relationships: vec![Relationship {
                from: "Gateway".into(),
                to: "Ledger".into(),
                kind: "writes to".into(),
                ..Relationship::default()
            }],
            ..Memory::default()
        };
        let text = relevant(&memory, "unrelated");
        assert_eq!(
            text,
            "- Ledger (service): keeps accounts\n- Gateway writes to Ledger"
        );
        assert_eq!(relevant(&Memory::default(), "x"), "");
    }

    #[test]
    fn documents_that_were_taken_for_entities_are_not_told() {
        let seen = Seen {
            path: "notes/LICENSE".into(),
            ..Seen::default()
        };
        let memory = Memory {
            entities: vec![
                entity("license", "a file"),
                entity("Ledger", "keeps accounts"),
            ],
            relationships: vec![Relationship {
                from: "offers.md".into(),
                to: "Ledger".into(),
                kind: "describes".into(),
                ..Relationship::default()
            }],
            documents: [("hash".to_owned(), seen)].into(),
            ..Memory::default()
        };
        let text = relevant(&memory, "unrelated");
        assert_eq!(text, "- Ledger (service): keeps accounts");
    }

    #[test]
    fn of_a_large_memory_only_what_fits_the_query_is_told() {
        let mut entities: Vec<Entity> = (0..100)
            .map(|number| entity(&format!("Part {number}"), "does something"))
            .collect();
        entities.push(entity("Ledger", "keeps accounts"));
        let memory = Memory {
            entities,
            ..Memory::default()
        };
        let text = relevant(&memory, "where are accounts kept?");
        assert_eq!(text, "- Ledger (service): keeps accounts");
    }
}
