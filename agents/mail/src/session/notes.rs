//! The notes of the assistant, their versions and what changed between them.

use serde_json::{Value as Json, json};
use superstep::text::single_line;
use superstep_agent::{Block, Change, Notice, Weight, bad, faint, good, plain, strong};

use crate::{Memory, MemoryError, Topic, Version};

impl Memory {
    /// A note.
    pub async fn note_notice(&self, topic: Topic) -> Result<Notice, MemoryError> {
        let text = self.show(topic).await?;
        let about = match topic {
            Topic::Triage => "Which mail matters",
            Topic::Response => "How replies are written",
            Topic::Calendar => "How meetings are made",
        };
        let head = vec![strong(about), faint(format!("  ({})", topic.label()))];
        let event = json!({"topic": topic, "note": topic.label(), "text": text});
        let lines = [Block::Line(Weight::Data, head)]
            .into_iter()
            .chain(lines(&text));
        Ok(Notice::event(event).with(lines.collect()))
    }

    /// The versions of a note, oldest first.
    pub async fn version_notices(&self, topic: Topic) -> Result<Vec<Notice>, MemoryError> {
        let versions = self.versions(topic).await?;
        let notice = |version: &Version| {
            let line = vec![
                strong(format!("{:>4}  ", version.number)),
                faint(version.at.strftime("%Y-%m-%d %H:%M UTC  ")),
                plain(single_line(&version.why)),
            ];
            event(version).with(vec![Block::Line(Weight::Data, line)])
        };
        Ok(versions.iter().map(notice).collect())
    }

    /// The lines that changed from one version to another: by default with the newest one.
    pub async fn change_notices(
        &self,
        topic: Topic,
        (from, to): (Option<u64>, Option<u64>),
    ) -> Result<Vec<Notice>, MemoryError> {
        let newest = self.versions(topic).await?;
        let newest = newest.last().map_or(1, |version| version.number);
        let to = to.unwrap_or(newest);
        let from = from.unwrap_or_else(|| to.saturating_sub(1).max(1));
        let notice = |change: &Change| {
            let (sign, name, text) = match change {
                Change::Kept(text) => (plain("  "), "kept", text),
                Change::Added(text) => (good("+ "), "added", text),
                Change::Removed(text) => (bad("- "), "removed", text),
            };
            let line = Block::Line(Weight::Data, vec![sign, plain(text)]);
            Notice::event(json!({"change": name, "line": text})).with(vec![line])
        };
        Ok(self
            .diff(topic, from, to)
            .await?
            .iter()
            .map(notice)
            .collect())
    }

    /// Goes back to the version before.
    pub async fn undo_notice(&self, topic: Topic) -> Result<Notice, MemoryError> {
        let version = self.undo(topic).await?;
        let why = Block::Line(Weight::Say, vec![plain(single_line(&version.why))]);
        let lines = [why].into_iter().chain(lines(&version.text));
        Ok(event(&version).with(lines.collect()))
    }
}

fn event(version: &Version) -> Notice {
    Notice::event(serde_json::to_value(version).unwrap_or(Json::Null))
}

fn lines(text: &str) -> impl Iterator<Item = Block> {
    text.lines()
        .map(|line| Block::Line(Weight::Data, vec![plain(line)]))
}
