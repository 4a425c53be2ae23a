//! Summary of the part of memories that is relevant to a query.

use super::{Entity, Memory, Statement};
use crate::documents::rank::{Count, Words};

/// How much the model gets at most.
const MOST_STATEMENTS: usize = 24;
const MOST_ENTITIES: usize = 12;
const MOST_RELATIONSHIPS: usize = 16;
const MOST_BYTES: usize = 6_000;

/// What memories hold about a query, a line for each; empty if they hold nothing. A small memory is told whole. A memory
/// with a label is of a system of that name, and what is told of it says so.
pub(crate) fn relevant(memories: &[(String, Memory)], query: &str) -> String {
    let words = Words::new(query);
    let mut text = Listing::default();
    let statements = memories.iter().flat_map(|(_, memory)| &memory.statements);
    let statements: Vec<&Statement> = statements.collect();
    for it in closest(&words, statements, MOST_STATEMENTS, |it| {
        vec![&it.text, &it.about]
    }) {
        let about = match it.about.as_str() {
            "" => String::new(),
            about => format!("about {about}, "),
        };
        let kind = it.kind.name();
        let mark = format!("[memory {}]", it.date).replace(" ]", "]");
        text.add(&format!(
            "- {mark} {about}{kind} of the person: {}",
            it.text
        ));
    }
    for (label, memory) in memories {
        let told = entities(memory, &words);
        if !told.is_empty() && !label.is_empty() {
            text.add(&format!("About {label}:"));
        }
        for line in told {
            text.add(&line);
        }
    }
    text.0
}

/// The items that are closest to some words, at most so many; all of a few.
fn closest<'a, T>(
    words: &Words,
    items: Vec<&'a T>,
    most: usize,
    texts: impl Fn(&'a T) -> Vec<&'a str>,
) -> Vec<&'a T> {
    let counts: Vec<Count> = items.iter().map(|it| words.count(texts(it))).collect();
    let scores = words.scores(&counts.iter().collect::<Vec<_>>());
    let mut ranked: Vec<_> = items.into_iter().zip(scores).collect();
    if ranked.len() > most {
        ranked.retain(|(_, score)| *score > 0.0);
    }
    ranked.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    ranked.truncate(most);
    ranked.into_iter().map(|(item, _)| item).collect()
}

/// Lines about entities and how they work together.
fn entities(memory: &Memory, words: &Words) -> Vec<String> {
    // Memories of earlier versions have documents among their entities.
    let paths: Vec<&str> = memory
        .documents
        .values()
        .map(|it| it.path.as_str())
        .collect();
    let is_document = |name: &str| is_document(name, &paths);
    let entities = memory.entities.iter();
    let entities: Vec<&Entity> = entities.filter(|it| !is_document(&it.name)).collect();
    let chosen = closest(words, entities, MOST_ENTITIES, |entity| {
        let tags = entity.tags.iter().map(String::as_str);
        let parts = [&*entity.name, &*entity.description, &*entity.kind];
        parts.into_iter().chain(tags).collect()
    });
    let told = chosen.iter().map(|entity| {
        let kind = match entity.kind.as_str() {
            "" => String::new(),
            kind => format!(" ({kind})"),
        };
        format!("- {}{kind}: {}", entity.name, entity.description)
    });
    let is_told = |name: &str| chosen.iter().any(|it| it.name.eq_ignore_ascii_case(name));
    let about = memory
        .relationships
        .iter()
        .filter(|it| is_told(&it.from) || is_told(&it.to))
        .filter(|it| !is_document(&it.from) && !is_document(&it.to));
    let about = about.take(MOST_RELATIONSHIPS);
    let about = about.map(|it| format!("- {} {} {}", it.from, it.kind, it.to));
    told.chain(about).collect()
}

#[derive(Default)]
struct Listing(String);

impl Listing {
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

/// Endings of documents.
const ENDINGS: [&str; 12] = [
    "md", "markdown", "txt", "rst", "adoc", "pdf", "doc", "docx", "odt", "html", "htm", "rtf",
];

/// Whether something is named like a document: one of these, any file with the ending of one, or `Document 2`, as the
/// prompt numbers them.
fn is_document(name: &str, paths: &[&str]) -> bool {
    let name = name.trim().trim_matches(['`', '"', '\'']);
    let is_same = |path: &&str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        path.eq_ignore_ascii_case(name) || file.eq_ignore_ascii_case(name)
    };
    if paths.iter().any(is_same) {
        return true;
    }
    if let Some((_, ending)) = name.rsplit_once('.')
        && ENDINGS.iter().any(|it| it.eq_ignore_ascii_case(ending))
    {
        return true;
    }
    let mut words = name.split_whitespace();
    let is_numbered = words
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("document"))
        && words
            .next()
            .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    is_numbered && words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{ReadDocument, Relationship};

    fn entity(name: &str, description: &str) -> Entity {
        Entity {
            name: name.into(),
            description: description.into(),
            kind: "service".into(),
            ..Entity::default()
        }
    }

    fn alone(memory: Memory) -> [(String, Memory); 1] {
        [(String::new(), memory)]
    }

    #[test]
    fn statements_come_first_and_say_when_and_about_what_they_were_made() {
        let memory = |about: &str| Memory {
            statements: vec![Statement {
                text: "One server stays.".into(),
                about: about.into(),
                date: "2026-03-02".into(),
                ..Statement::default()
            }],
            entities: vec![entity("Ledger", "keeps accounts")],
            ..Memory::default()
        };
        let all = ["shop", "bank"].map(|about| (about.to_owned(), memory(about)));
        assert_eq!(
            relevant(&all, "server"),
            "- [memory 2026-03-02] about shop, fact of the person: One server stays.\n\
             - [memory 2026-03-02] about bank, fact of the person: One server stays.\n\
             About shop:\n- Ledger (service): keeps accounts\n\
             About bank:\n- Ledger (service): keeps accounts"
        );
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
        let text = relevant(&alone(memory), "unrelated");
        assert_eq!(
            text,
            "- Ledger (service): keeps accounts\n- Gateway writes to Ledger"
        );
        assert_eq!(relevant(&[], "x"), "");
    }

    #[test]
    fn documents_that_were_taken_for_entities_are_not_told() {
        let seen = ReadDocument {
            path: "notes/LICENSE".into(),
            ..ReadDocument::default()
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
        let text = relevant(&alone(memory), "unrelated");
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
        let text = relevant(&alone(memory), "where are accounts kept?");
        assert_eq!(text, "- Ledger (service): keeps accounts");
    }

    #[test]
    fn a_document_is_told_from_what_it_tells_of() {
        let paths = ["notes/offers.md", "Makefile"];
        for name in [
            "offers.md", "Notes/Offers.md", "`offers.md`", "other.pdf", "Document 2", "makefile",
        ] {
            assert!(is_document(name, &paths), "{name}");
        }
        for name in [
            "offers", "Offer service", "Document store", "Node.js", "document", "a.b",
        ] {
            assert!(!is_document(name, &paths), "{name}");
        }
    }
}
