//! Totals of a pass over the mailbox.

use serde_json::json;
use superstep::model::call::Spent;
use superstep_agent::{Block, Notice, Weight, bad, count, faint, plain, strong};

use crate::Ingested;

/// Error code: the budget is spent.
const SPENT: &str = "SS5014";

/// Totals of a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IngestTotals {
    pub(super) looked_at: usize,
    known: usize,
    pub(super) failed: usize,
    /// Whether the budget is spent.
    pub is_spent: bool,
}

impl IngestTotals {
    pub(super) fn add(&mut self, result: &Ingested) {
        match result {
            Ingested::Known => self.known += 1,
            Ingested::Failed { code, .. } => {
                self.failed += 1;
                self.is_spent |= *code == SPENT;
            }
            _ => self.looked_at += 1,
        }
    }

    /// The totals with the number of open questions and the cost, also in words. `how` is the command that answers
    /// questions.
    pub fn notice(&self, open: usize, (spent, cost): (&Spent, &str), how: &str) -> Notice {
        let micros = spent.money.as_micros();
        let event = json!({
            "looked_at": self.looked_at, "known": self.known,
            "failed": self.failed, "waiting": open, "cost_micros": micros,
            "cost_micro_usd": micros,
            "input_tokens": spent.usage.input, "output_tokens": spent.usage.output,
        });
        let mut line = vec![plain(format!(
            "Processed {} ({} seen before)",
            count(self.looked_at, "new mail"),
            self.known
        ))];
        if self.failed > 0 {
            line.push(bad(format!(", {} failed", self.failed)));
        }
        let mut blocks = vec![
            Block::Line(Weight::Note, line),
            Block::Line(Weight::Note, vec![faint(cost)]),
        ];
        if open > 0 {
            let questions = match open {
                1 => "1 question waits".to_owned(),
                _ => format!("{open} questions wait"),
            };
            let line = vec![strong(questions), plain(format!(": {how}"))];
            blocks.push(Block::Line(Weight::Say, line));
        }
        Notice::named("summary", event).with(blocks)
    }

    /// The exit code of a pass that failed in part.
    pub fn exit(&self) -> Option<u8> {
        match (self.is_spent, self.failed) {
            (true, _) => Some(5),
            (false, 0) => None,
            _ => Some(1),
        }
    }
}
