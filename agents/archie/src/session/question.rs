//! Texts that a person reads before an answer or an approval.

use serde_json::json;
use superstep::{
    AskId,
    text::{Hidden, reveal},
};
use superstep_agent::{Block, Notice, Span, Weight, bad, faint, plain};

use crate::state::Question;

/// The most lines with hidden characters that are shown.
const MOST_SHOWN: usize = 8;

/// The most characters of such a line.
const LONGEST: usize = 500;

/// A question; its text only if the person has not just read it.
pub(super) fn presented(id: AskId, question: &Question, is_read: bool) -> Notice {
    let mut event = json!(question);
    if let Some(fields) = event.as_object_mut() {
        fields.insert("id".into(), id.to_string().into());
    }
    Notice::named("question", event).with(text(&question.query, is_read))
}

/// A text, unless the person has just read it, and a warning of hidden characters, which are not shown in it. An approval
/// covers them as well, so their lines are shown one by one.
pub(super) fn text(text: &str, is_read: bool) -> Vec<Block> {
    let mut blocks = match is_read {
        true => vec![Block::EndOfPieces],
        false => whole(text),
    };
    let hidden = Hidden::of(text);
    if hidden.is_empty() {
        return blocks;
    }
    let mut say = |spans: Vec<Span>| blocks.push(Block::Line(Weight::Say, spans));
    let warning = format!("! The text above contains {hidden}:");
    say(vec![bad(warning)]);
    let lines = text.split('\n').zip(1..);
    let mut lines = lines.filter(|(line, _)| !Hidden::of(line).is_empty());
    for (line, number) in lines.by_ref().take(MOST_SHOWN) {
        let line: String = reveal(line).chars().take(LONGEST).collect();
        say(vec![faint(format!("  line {number}: ")), plain(line)]);
    }
    match lines.count() {
        0 => {}
        more => say(vec![faint(format!("  and {more} more lines"))]),
    }
    blocks
}

/// A text that was not streamed.
pub(super) fn whole(text: &str) -> Vec<Block> {
    vec![Block::Piece(text.to_owned()), Block::EndOfPieces]
}
