//! Texts that a person reads before an answer or an approval.

use serde_json::json;
use superstep::{
    AskId,
    text::{Hidden, reveal},
};
use superstep_agent::{Block, Notice, Span, Weight, bad, faint, plain};

use crate::state::{Kind, Question};

/// The most lines with hidden characters that are shown.
const MOST_SHOWN: usize = 8;

/// The most characters of such a line.
const LONGEST: usize = 500;

/// Said once, below the first question of a thread.
const APPROVAL: &str = "/approve writes the result; anything else continues the conversation";

/// A question; its text only if the person has not just read it.
pub(super) fn presented(id: AskId, question: &Question, is_read: bool) -> Notice {
    let mut event = json!(question);
    if let Some(fields) = event.as_object_mut() {
        fields.insert("id".into(), id.to_string().into());
    }
    let mut blocks = text(&question.query, is_read);
    let is_first = question.turn == 1 && question.kind == Kind::Question;
    if is_first && !question.query.contains("/approve") {
        blocks.push(Block::Line(Weight::Note, vec![faint(APPROVAL)]));
    }
    Notice::named("question", event).with(blocks)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_question_alone_says_how_to_approve() {
        let told = |query: &str, turn, kind| {
            let query = query.to_owned();
            let question = Question { query, turn, kind };
            let id = serde_json::from_value(json!("00000000000000000000000000000001"));
            format!("{:?}", presented(id.unwrap(), &question, true)).contains(APPROVAL)
        };
        assert!(told("How many?", 1, Kind::Question));
        assert!(!told("How many?", 2, Kind::Question));
        assert!(!told("Yes?", 1, Kind::Confirm));
        assert!(!told(
            "It is 3; /approve writes the result.",
            1,
            Kind::Question
        ));
    }
}
