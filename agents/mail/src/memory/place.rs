//! Which part of the store a note is, for those who let people look into the store.

use superstep::store::Namespace;

use super::Topic;

/// The key of a note.
pub(super) const KEY: &str = "user_preferences";

/// The namespace of all notes.
const NOTES: &str = "email_assistant";

/// Where the versions of a note are, below it.
const VERSIONS: &str = "versions";

/// What of a note is at a place of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotePlace {
    /// The note itself: [`Memory::write`](super::Memory::write) changes it.
    Note(Topic),
    /// A version of it, which nobody changes.
    Version(Topic),
    /// Nothing that belongs to a note.
    Other(Topic),
}

impl NotePlace {
    /// What is at a place; nothing if no note is there or above it.
    pub fn of(namespace: &Namespace, key: &str) -> Option<Self> {
        let mut labels = namespace.labels().iter().map(String::as_str);
        if labels.next() != Some(NOTES) {
            return None;
        }
        let label = labels.next()?;
        let topic = Topic::ALL.into_iter().find(|it| it.label() == label)?;
        Some(match (labels.next(), key) {
            (None, KEY) => Self::Note(topic),
            (Some(VERSIONS), _) => Self::Version(topic),
            _ => Self::Other(topic),
        })
    }
}

/// The namespace of a note.
pub(super) fn note(topic: Topic) -> [&'static str; 2] {
    [NOTES, topic.label()]
}

/// The namespace of its versions.
pub(super) fn versions(topic: Topic) -> [&'static str; 3] {
    [NOTES, topic.label(), VERSIONS]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_note_a_version_or_none_of_them() {
        let of = |labels: &[&str], key: &str| {
            NotePlace::of(&Namespace::new(labels.to_vec()).unwrap(), key)
        };
        let note = note(Topic::Triage);
        assert_eq!(of(&note, KEY), Some(NotePlace::Note(Topic::Triage)));
        assert_eq!(of(&note, "other"), Some(NotePlace::Other(Topic::Triage)));
        let versions = versions(Topic::Response);
        let version = NotePlace::Version(Topic::Response);
        assert_eq!(of(&versions, "00000001"), Some(version));
        assert_eq!(of(&["email_assistant", "queue"], KEY), None);
        assert_eq!(of(&["notes"], KEY), None);
    }
}
