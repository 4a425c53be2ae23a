//! A check of labeled questions, question by question, and its score.

use std::sync::Arc;

use serde_json::json;
use superstep::{Backends, MemorySaver, Secret, model::Model};
use superstep_agent::{AgentError, Block, Notice, Weight, bad, faint, plain, strong};

use super::{Labeled, Verdict, read};
use crate::{Atris, Settings};

/// The token of orders, which are read and not carried out. It goes to a fake alone.
const TOKEN: &str = "token-of-nobody";

/// Reads labeled questions with rules or with a model, against a fake Audius.
pub struct LabelCheck {
    model: Option<Arc<dyn Model>>,
    settings: Settings,
}

/// A labeled question as it was read.
pub struct CheckedQuestion<'a> {
    label: &'a Labeled,
    faults: Vec<String>,
    /// The verdict on the reading.
    pub verdict: Verdict,
}

impl LabelCheck {
    /// A check with this model, if there is one. The host must be a fake.
    pub fn new(model: Option<Arc<dyn Model>>, host: String) -> Self {
        let mut settings = Settings::default();
        settings.client.hosts = vec![host];
        Self { model, settings }
    }

    /// Reads a question in a thread that is not kept.
    pub async fn question<'a>(
        &self,
        label: &'a Labeled,
    ) -> Result<CheckedQuestion<'a>, AgentError> {
        let backends = Backends::on(MemorySaver::default());
        // An order is read with writes switched on. It is not carried out, because it waits for approval.
        let mut settings = self.settings.clone();
        settings.writes = label.is_order();
        settings.client.token = settings.writes.then(|| Secret::from(TOKEN));
        let agent = Atris::new(self.model.clone(), settings, backends)?;
        let found = read(&agent, "check", &label.question).await?;
        Ok(CheckedQuestion {
            label,
            faults: found.faults(label),
            verdict: found.verdict(label),
        })
    }
}

impl CheckedQuestion<'_> {
    /// The question and its faults.
    pub fn notice(&self) -> Notice {
        let question = &self.label.question;
        let mut blocks = Vec::new();
        if self.faults.is_empty() {
            let line = vec![faint(format!("right: {question}"))];
            blocks.push(Block::Line(Weight::Say, line));
        } else {
            let line = vec![bad("wrong: "), plain(question)];
            blocks.push(Block::Line(Weight::Data, line));
        }
        for fault in &self.faults {
            let line = vec![faint("  "), plain(fault)];
            blocks.push(Block::Line(Weight::Data, line));
        }
        Notice::event(json!({"question": question, "faults": self.faults})).with(blocks)
    }
}

/// The score of a file.
pub fn score_notice(file: &str, verdicts: &[Verdict]) -> Notice {
    let count = |wanted: Verdict| verdicts.iter().filter(|it| **it == wanted).count();
    let right = count(Verdict::Right);
    let refused = count(Verdict::Refused);
    let told = count(Verdict::Told);
    let silent = count(Verdict::Silent);
    let all = verdicts.len();
    let mut line = format!(" right in {file}");
    if right < all {
        line.push_str(&format!(
            "; of the others {refused} refused, {told} misread with a remark, {silent} without"
        ));
    }
    let line = vec![strong(format!("{right} of {all}")), plain(line)];
    let event = Notice::event(json!({
        "file": file, "right": right, "all": all,
        "refused": refused, "told": told, "silent": silent,
    }));
    event.with(vec![Block::Line(Weight::Data, line)])
}
