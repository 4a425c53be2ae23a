//! Questions and answers as notices: text for people, and the form of Agent Inbox for programs.

use serde_json::{Value as Json, json};
use superstep::tools::Mode;

use super::{
    answer::{InboxAnswer, Verb},
    question::InboxQuestion,
};
use crate::{
    block::{Block, Weight},
    diff::Diff,
    notice::Notice,
    span::{Span, bad, faint, good, plain, strong},
    words::shown,
};

impl InboxQuestion {
    /// The question in one line.
    pub fn line(&self) -> Notice {
        let [warning, edited] = self.marks();
        let line = vec![
            strong(format!("{}  ", self.short_id)),
            faint(format!("{:<11}", self.when())),
            plain(format!("{:<17}", self.asks)),
            warning,
            edited,
            plain(format!("{}  ", self.sender)),
            strong(&self.subject),
        ];
        Notice::event(self.wire()).with(vec![data(line)])
    }

    /// The marks: `!` for a warning, and whether a person changed it.
    pub fn marks(&self) -> [Span; 2] {
        let warning = match self.warnings.is_empty() {
            true => "  ",
            false => "! ",
        };
        let edited = match self.edit.is_some() {
            true => "edited  ",
            false => "",
        };
        [bad(warning), good(edited)]
    }

    /// The whole question.
    pub fn whole(&self) -> Notice {
        let head = vec![
            strong(self.id()),
            plain(format!("  {}", self.asks)),
            faint(format!("  {}", shown(&self.thread))),
        ];
        let lines = [head].into_iter().chain(self.lines.clone());
        Notice::event(self.wire()).with(lines.map(data).collect())
    }

    /// The lines that a person changed; nothing if it was not edited.
    pub fn diff(&self) -> Option<Notice> {
        let changes = self.changes(self.edit.as_ref()?).into_iter();
        let blocks = changes.map(|diff| Block::Diff(Weight::Data, diff));
        Some(Notice::event(self.wire()).with(blocks.collect()))
    }

    /// The whole question, and the command that answers it.
    pub fn to_answer(&self, how: &str) -> [Notice; 2] {
        let how = Notice::say([
            faint("answer it with "),
            plain(how),
            faint(", or "),
            plain("edit"),
            faint(", "),
            plain("respond"),
            faint(", "),
            plain("ignore"),
        ]);
        [self.whole(), how]
    }

    /// A dry run left it open; `how` does it for real.
    pub fn not_done(&self, is_kept: bool, how: &str) -> Notice {
        let event = json!({
            "thread": self.thread, "id": self.id(), "dry_run": true, "edit_kept": is_kept,
            "command": how,
        });
        let why = match is_kept {
            true => ": this is a dry run. Your changes are kept with the question. For real: ",
            false => ": this is a dry run, and the question stays open. For real: ",
        };
        let line = vec![strong("not sent"), plain(why), plain(how)];
        Notice::named("not_done", event).with(vec![data(line)])
    }

    /// The effect of an answer, before it is given.
    pub fn about_to(&self, answer: &InboxAnswer, mode: Mode) -> Notice {
        let changed = match answer {
            InboxAnswer::Edit(args) => self.changes(args),
            _ => Vec::new(),
        };
        let changed: Vec<_> = changed.iter().flat_map(Diff::lines).collect();
        let shown = self.first_lines();
        let texts = shown.iter().chain(&changed).map(|line| text_of(line));
        let event = json!({
            "thread": self.thread, "id": self.id(), "mode": mode,
            "action_request": self.interrupt.get("action_request"),
            "answer": [answer.wire(self.tool())], "lines": texts.collect::<Vec<_>>(),
        });
        let how = match mode {
            Mode::Dry => faint("  in a dry run"),
            Mode::Send => bad("  for real"),
        };
        let head = strong(format!("{}  {}", self.short_id, self.asks));
        let mut lines = vec![vec![head, how]];
        match answer.verb() {
            Verb::Accept | Verb::Edit => lines.extend(shown),
            Verb::Read => lines.push(vec![plain(match mode {
                Mode::Dry => "seen: the mail stays unread, and nothing is learnt",
                Mode::Send => "marked as read; nothing is learnt",
            })]),
            Verb::Ignore => lines.push(vec![plain("ignored: it is not done")]),
            Verb::Respond => lines.push(vec![plain("not done: the assistant gets your words")]),
        }
        if !changed.is_empty() {
            lines.push(vec![strong("your changes")]);
            lines.extend(changed);
        }
        Notice::named("about_to", event).with(vec![Block::Announcement(lines)])
    }

    /// The lines that are shown before an answer takes effect.
    fn first_lines(&self) -> Vec<Vec<Span>> {
        let mut all = self.lines.clone();
        let hidden = all.len().saturating_sub(self.brief);
        all.truncate(self.brief);
        if hidden > 0 {
            let id = &self.short_id;
            all.push(vec![faint(format!(
                "… {hidden} more lines: superstep inbox show {id}"
            ))]);
        }
        all
    }

    /// The question in the form of Agent Inbox: a list of one interrupt.
    pub fn wire(&self) -> Json {
        let interrupts = match &self.interrupt {
            list @ Json::Array(_) => list.clone(),
            one => json!([one]),
        };
        let takes: Vec<&str> = self.takes.iter().map(|verb| verb.name()).collect();
        let options = self.choices.options.iter();
        let options: Vec<&str> = options.map(|option| &*option.label).collect();
        json!({
            "thread": self.thread, "id": self.id(), "agent": self.agent, "sender": self.sender,
            "subject": self.subject, "date": self.date.map(|date| date.to_string()),
            "sent_at": self.date.map(|date| format!("{date:.3}")),
            "asks": self.asks, "takes": takes, "options": options,
            "edited_args": self.edit, "interrupts": interrupts,
        })
    }
}

fn text_of(line: &[Span]) -> String {
    line.iter().map(Span::text).collect()
}

fn data(line: Vec<Span>) -> Block {
    Block::Line(Weight::Data, line)
}
