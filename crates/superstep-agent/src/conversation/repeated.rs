//! Questions that a copied thread asks again.

use serde_json::Value as Json;
use superstep::OpenAsk;

/// The same answer for the question as a copied thread asks it now.
///
/// A copy holds the question of the thread that it was copied from, and an answer to that one fits no question of its
/// own: approvals name their thread in their digest. If the copy asks for the same action in the same words, the answer
/// is for that.
pub(super) fn repeated(answered: &OpenAsk, now: &OpenAsk, answer: &Json) -> Option<Json> {
    let is_same = |name: &str| answered.body.get(name) == now.body.get(name);
    let shows_same = ["action_request", "description"].into_iter().all(is_same);
    if answered.kind != now.kind || !shows_same || is_same("digest") {
        return None;
    }
    let mut answer = answer.clone();
    *answer.get_mut("digest")? = now.body.get("digest")?.clone();
    Some(answer)
}
