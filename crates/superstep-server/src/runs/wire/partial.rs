//! Messages as far as they have come: each piece is shown with all that came before it.

use std::collections::HashMap;

use serde_json::{Value as Json, json};

use crate::forms::message::Sum;

/// The messages of a stream.
#[derive(Default)]
pub(super) struct Partials(HashMap<String, Sum>);

impl Partials {
    /// The frames of a piece: what is known about its message, once, and the message so far.
    pub(super) fn frames(&mut self, piece: &Json, metadata: Json) -> Vec<(&'static str, Json)> {
        let id = piece.get("id").and_then(Json::as_str).unwrap_or_default();
        let mut frames = Vec::new();
        if !self.0.contains_key(id) {
            let about = json!({ id: { "metadata": metadata } });
            frames.push(("messages/metadata", about));
        }
        let whole = self.0.entry(id.to_owned()).or_default().add(piece);
        let is_piece = piece
            .get("type")
            .is_some_and(|kind| kind == "AIMessageChunk");
        let name = match is_piece {
            true => "messages/partial",
            false => "messages/complete",
        };
        frames.push((name, json!([whole])));
        frames
    }
}
