//! Merging extracted facts into a memory. Nothing that is there is lost.

use super::{Entity, Memory, Relationship, Source};

/// What is new in a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grown {
    /// Entities.
    pub entities: usize,
    /// Relationships.
    pub relationships: usize,
}

impl Memory {
    /// Adds what another memory holds. An entity that is there keeps its name and kind, and gets
    /// the tags, properties and sources it lacks, and the longer description.
    pub fn add(&mut self, other: Self) -> Grown {
        let mut grown = Grown::default();
        for entity in other.entities {
            let name = key(&entity.name);
            match self
                .entities
                .iter_mut()
                .find(|known| key(&known.name) == name)
            {
                Some(known) => known.add(entity),
                None => {
                    grown.entities += 1;
                    self.entities.push(entity);
                }
            }
        }
        for relationship in other.relationships {
            let name = relationship.key();
            match self
                .relationships
                .iter_mut()
                .find(|known| known.key() == name)
            {
                Some(known) => known.add(relationship),
                None => {
                    grown.relationships += 1;
                    self.relationships.push(relationship);
                }
            }
        }
        for (sha256, seen) in other.documents {
            self.documents.entry(sha256).or_insert(seen);
        }
        for (name, field) in other.other {
            self.other.entry(name).or_insert(field);
        }
        grown
    }
}

impl Entity {
    fn add(&mut self, other: Self) {
        if other.description.len() > self.description.len() {
            self.description = other.description;
        }
        if self.kind.is_empty() {
            self.kind = other.kind;
        }
        for tag in other.tags {
            if !self.tags.iter().any(|known| key(known) == key(&tag)) {
                self.tags.push(tag);
            }
        }
        for (name, value) in other.properties {
            self.properties.entry(name).or_insert(value);
        }
        add_sources(&mut self.sources, other.sources);
    }
}

impl Relationship {
    fn key(&self) -> [String; 3] {
        [key(&self.from), key(&self.to), key(&self.kind)]
    }

    fn add(&mut self, other: Self) {
        for (name, value) in other.properties {
            self.properties.entry(name).or_insert(value);
        }
        add_sources(&mut self.sources, other.sources);
    }
}

fn add_sources(known: &mut Vec<Source>, other: Vec<Source>) {
    for source in other {
        if !known.contains(&source) {
            known.push(source);
        }
    }
}

/// What makes names equal.
fn key(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(name: &str, description: &str, document: &str) -> Entity {
        Entity {
            name: name.into(),
            description: description.into(),
            tags: vec![document.into()],
            sources: vec![Source {
                thread: "t".into(),
                document: document.into(),
            }],
            ..Entity::default()
        }
    }

    fn of(entities: Vec<Entity>) -> Memory {
        Memory {
            entities,
            ..Memory::default()
        }
    }

    #[test]
    fn what_is_known_grows_and_is_not_replaced() {
        let mut memory = of(vec![entity("Ledger", "keeps accounts", "a")]);
        let other = of(vec![
            entity("ledger ", "short", "b"),
            entity("Gateway", "lets payments in", "b"),
        ]);
        let grown = memory.add(other.clone());
        assert_eq!(grown.entities, 1);
        let ledger = memory.entities.first().cloned().unwrap_or_default();
        assert_eq!(ledger.name, "Ledger");
        assert_eq!(ledger.description, "keeps accounts");
        assert_eq!(ledger.tags, ["a", "b"]);
        assert_eq!(ledger.sources.len(), 2);
        let before = memory.clone();
        assert_eq!(memory.add(other), Grown::default());
        assert_eq!(memory, before);
    }

    #[test]
    fn relationships_are_the_same_by_both_ends_and_kind() {
        let relationship = |kind: &str| Relationship {
            from: "Gateway".into(),
            to: "Ledger".into(),
            kind: kind.into(),
            ..Relationship::default()
        };
        let with = |kinds: &[&str]| Memory {
            relationships: kinds.iter().map(|kind| relationship(kind)).collect(),
            ..Memory::default()
        };
        let mut memory = with(&["writes to"]);
        let grown = memory.add(with(&["Writes To", "reads"]));
        assert_eq!(grown.relationships, 1);
        assert_eq!(memory.relationships.len(), 2);
    }
}
