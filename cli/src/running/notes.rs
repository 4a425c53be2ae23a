//! The notes of the e-mail assistant in `/store`: a client that edits one writes a version of it, as a person on the command line
//! does.

use std::sync::Arc;

use serde_json::Value as Json;
use superstep::store::{BoxFuture, Namespace, Store};
use superstep_mail::{Memory, MemoryError, NotePlace};
use superstep_server::{StoreEdit, StoreEditError, StoreEditor};

/// The notes, in whatever store.
pub(super) struct Notes(pub(super) Memory);

impl StoreEditor for Notes {
    fn has(&self, namespace: &Namespace, key: &str) -> bool {
        NotePlace::of(namespace, key).is_some()
    }

    fn put(
        &self,
        store: Arc<dyn Store>,
        edit: StoreEdit,
    ) -> BoxFuture<'_, Result<(), StoreEditError>> {
        Box::pin(async move {
            let topic = match NotePlace::of(&edit.namespace, &edit.key) {
                Some(NotePlace::Note(topic)) => topic,
                _ => return Err(not_a_note()),
            };
            let wrong = || {
                let why = "a note is a text, or an object with one text";
                StoreEditError::Invalid(why.to_owned())
            };
            let text = text_of(&edit.value).ok_or_else(wrong)?;
            let seen = edit.seen.as_ref();
            let seen = seen.map(|seen| text_of(seen).ok_or_else(wrong));
            let written = self.0.on(store).write(topic, text, seen.transpose()?).await;
            written.map(drop).map_err(refused)
        })
    }

    fn check_delete(&self, namespace: &Namespace, key: &str) -> Result<(), StoreEditError> {
        match NotePlace::of(namespace, key) {
            // It begins anew, and its versions stay.
            Some(NotePlace::Note(_)) => Ok(()),
            _ => Err(not_a_note()),
        }
    }
}

/// Clients whose items are objects send a text in one.
fn text_of(value: &Json) -> Option<&str> {
    match value {
        Json::String(text) => Some(text),
        Json::Object(fields) if fields.len() == 1 => fields.values().next()?.as_str(),
        _ => None,
    }
}

fn refused(error: MemoryError) -> StoreEditError {
    let why = match error.hint() {
        Some(hint) => format!("[{}] {error}; {hint}", error.code()),
        None => format!("[{}] {error}", error.code()),
    };
    match error {
        MemoryError::Store(error) => StoreEditError::Store(error),
        MemoryError::Changed { .. } => StoreEditError::Changed(why),
        _ => StoreEditError::Invalid(why),
    }
}

fn not_a_note() -> StoreEditError {
    let why = "the versions of notes are written with the notes, and nothing else is beside them";
    StoreEditError::NotAllowed(why.to_owned())
}
