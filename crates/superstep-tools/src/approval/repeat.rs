//! Questions that a thread repeats word for word under another digest.
//!
//! A copied or imported thread shows the question of the thread it was made of. An answer to that question is refused
//! (SS1015), and the thread asks in its own scope. If it asks the same, the answer is for the new question too: the
//! person has seen all of it.

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use superstep_core::id::AskId;
use superstep_engine::typed::OpenAsk;

use super::Digest;

/// The field of a question and of its answer that names the digest.
const DIGEST: &str = "digest";

/// Whether `new` asks word for word what `old` asked, and only the digest is another one. Every question about a call
/// has one: [`Approval`](super::Approval), [`OutcomeQuestion`](super::OutcomeQuestion), and a list of one item with a
/// `digest`.
pub fn repeats(old: &OpenAsk, new: &OpenAsk) -> bool {
    let ((shown, before), (now, digest)) = (parted(&old.body), parted(&new.body));
    let is_bound = digest.as_ref().is_some_and(|it| !it.is_outdated());
    old.kind == new.kind && shown == now && is_bound && before != digest
}

/// Whether an answer names the digest of a question; true also if neither has one.
pub fn is_for(answer: &Json, asked: &OpenAsk) -> bool {
    parted(answer).1 == parted(&asked.body).1
}

/// An answer to `old` as an answer to `new`, for [`Graph::answer`](superstep_engine::typed::Graph::answer). Nothing if
/// `new` does not repeat `old`, or the answer is for another question.
pub fn rebound(answer: &Json, old: &OpenAsk, new: &OpenAsk) -> Option<(AskId, Json)> {
    if !is_for(answer, old) || !repeats(old, new) {
        return None;
    }
    let mut answer = answer.clone();
    fields(&mut answer)?.insert(DIGEST.to_owned(), json!(parted(&new.body).1));
    Some((new.id, answer))
}

/// A question or an answer without its digest, and the digest.
fn parted(body: &Json) -> (Json, Option<Digest>) {
    let mut body = body.clone();
    let digest = fields(&mut body).and_then(|fields| fields.remove(DIGEST));
    (body, digest.and_then(|it| Digest::deserialize(it).ok()))
}

/// The fields of a question or an answer, or of the one item in its list.
fn fields(body: &mut Json) -> Option<&mut Map<String, Json>> {
    match body {
        Json::Array(items) => match items.as_mut_slice() {
            [item] => item.as_object_mut(),
            _ => None,
        },
        body => body.as_object_mut(),
    }
}
