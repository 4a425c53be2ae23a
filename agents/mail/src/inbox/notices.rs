//! Questions, answers and their effects as notices: text for people, and the JSON of Agent Inbox.

use serde_json::{Value as Json, json};
use superstep::text::single_line;
use superstep_agent::{
    Block, Change, Diff, Notice, Span, Weight, bad, faint, good, plain, shown, strong,
};

use super::{
    description::text_of,
    outcome::{After, Effect},
    question::Question,
};
use crate::{Answer, AnswerKind, Mode, Topic, UnreadableThread, tools::EffectKind};

/// How many lines of a reply are shown before it is sent.
const FIRST: usize = 8;

/// How many lines of anything else.
const MOST: usize = 16;

impl Question {
    /// The question in one line.
    pub fn line(&self) -> Notice {
        let [warning, edited] = self.marks();
        let line = vec![
            strong(format!("{}  ", self.short_id())),
            faint(format!("{:<11}", self.when())),
            plain(format!("{:<17}", self.asks())),
            warning,
            edited,
            plain(format!("{}  ", self.sender)),
            strong(&self.subject),
        ];
        Notice::event(self.wire()).with(vec![data(line)])
    }

    /// Its marks: `!` for a warning, and whether a person changed it.
    pub fn marks(&self) -> [Span; 2] {
        let warning = match self.described().warnings.is_empty() {
            true => "  ",
            false => "! ",
        };
        let edited = match self.edit.is_some() {
            true => "edited  ",
            false => "",
        };
        [bad(warning), good(edited)]
    }

    /// The question with all that belongs to it.
    pub fn whole(&self) -> Notice {
        let head = vec![
            strong(self.id()),
            plain(format!("  {}", self.asks())),
            faint(format!("  {}", shown(&self.thread))),
        ];
        let lines = [head].into_iter().chain(self.described().lines);
        Notice::event(self.wire()).with(lines.map(data).collect())
    }

    /// The lines of it that a person changed; nothing if it was not edited.
    pub fn diff(&self) -> Option<Notice> {
        let changes = self.changes(self.edit.as_ref()?).into_iter();
        let blocks = changes.map(|diff| Block::Diff(Weight::Data, diff));
        Some(Notice::event(self.wire()).with(blocks.collect()))
    }

    /// The question with all that belongs to it, and the command that answers it.
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
    pub fn about_to(&self, answer: &Answer, mode: Mode) -> Notice {
        let changed = self.edit_of(answer);
        let changed = changed.map_or_else(Vec::new, |args| self.changes(&args));
        let changed: Vec<_> = changed.iter().flat_map(Diff::lines).collect();
        let shown = self.first_lines();
        let texts = shown.iter().chain(&changed).map(|line| text_of(line));
        let event = json!({
            "thread": self.thread, "id": self.id(), "mode": mode,
            "action_request": self.item.action_request, "answer": [answer],
            "lines": texts.collect::<Vec<_>>(),
        });
        let how = match mode {
            Mode::Dry => faint("  in a dry run"),
            Mode::Send => bad("  for real"),
        };
        let mut lines = vec![vec![
            strong(format!("{}  {}", self.short_id(), self.asks())),
            how,
        ]];
        match answer.kind {
            AnswerKind::Accept | AnswerKind::Edit => lines.extend(shown),
            AnswerKind::Read => lines.push(vec![plain(match mode {
                Mode::Dry => "seen: the mail stays unread, and nothing is learnt",
                Mode::Send => "marked as read; nothing is learnt",
            })]),
            AnswerKind::Ignore => lines.push(vec![plain("ignored: it is not done")]),
            AnswerKind::Response => {
                lines.push(vec![plain("not done: the assistant gets your words")]);
            }
        }
        if !changed.is_empty() {
            lines.push(vec![strong("your changes")]);
            lines.extend(changed);
        }
        Notice::named("about_to", event).with(vec![Block::Announcement(lines)])
    }

    /// To whom, the subject and the first lines of a reply; the first lines of anything else.
    fn first_lines(&self) -> Vec<Vec<Span>> {
        let mut all = self.described().lines;
        let starts = |line: &Vec<Span>, with: &str| {
            let first = line.first().map_or("", Span::text);
            first.starts_with(with)
        };
        let to = all.iter().position(|line| starts(line, "To: "));
        let subject = to.and_then(|to| {
            let rest = all.iter().skip(to);
            let found = rest.enumerate().find(|(_, line)| starts(line, "Subject: "));
            found.map(|(place, _)| to + place)
        });
        let is_reply = EffectKind::of(&self.item.action_request.action) == Some(EffectKind::Mail);
        let most = match subject.filter(|_| is_reply) {
            // An empty line is between the subject and the text.
            Some(subject) => subject + 2 + FIRST,
            None => MOST,
        };
        let hidden = all.len().saturating_sub(most);
        all.truncate(most);
        if hidden > 0 {
            let id = self.short_id();
            all.push(vec![faint(format!(
                "… {hidden} more lines: superstep inbox show {id}"
            ))]);
        }
        all
    }

    /// The question as inboxes know it: a list of one interrupt.
    fn wire(&self) -> Json {
        json!({
            "thread": self.thread, "id": self.id(), "sender": self.sender,
            "subject": self.subject, "date": self.date.map(|date| date.to_string()),
            "sent_at": self.date.map(|date| format!("{date:.3}")),
            "edited_args": self.edit, "interrupts": [self.item],
        })
    }
}

impl UnreadableThread {
    /// A thread that may have questions and cannot be read.
    pub fn notice(&self) -> Notice {
        let Self { thread, code, why } = self;
        let event = json!({"thread": thread, "error": {"code": code, "message": why}});
        Notice::event(event).with(vec![
            say(vec![
                bad(format!("[{code}] ")),
                strong(thread),
                plain(format!(" cannot be read: {}", single_line(why))),
            ]),
            say(vec![
                faint("  superstep db check shows what is damaged; to remove it: "),
                plain(format!("superstep threads delete {thread}")),
            ]),
        ])
    }
}

impl After {
    /// The effects of an answer, and how the run stands. `ingest` is the command that continues it.
    pub fn notices(&self, ingest: &str) -> Vec<Notice> {
        let thread = &self.thread;
        let first = self.answered.first();
        let is_dry = first.map(|(_, answer)| answer.mode != Some(Mode::Send));
        let answered = self.answered.iter().map(|(id, answer)| {
            let event = json!({"thread": thread, "id": id, "answer": [answer], "dry_run": is_dry});
            Notice::named("answered", event)
        });
        let effects = self.effects.iter().map(|effect| {
            let notice = match effect {
                Effect::Call {
                    tool,
                    text,
                    is_error,
                } => {
                    let status = if *is_error { "error" } else { "success" };
                    let event = json!({
                        "thread": thread, "tool": tool, "text": text, "dry_run": is_dry,
                        "status": status,
                    });
                    Notice::named("call", event)
                }
                Effect::Learned(topic, changes) => {
                    let lines: Vec<String> = changes.iter().map(changed).collect();
                    let event = json!({"thread": thread, "note": note(*topic), "changes": lines});
                    Notice::named("learned", event)
                }
                Effect::Remark(text) => {
                    Notice::named("remark", json!({"thread": thread, "text": text}))
                }
            };
            let mut lines = vec![data(effect.words())];
            if let Effect::Learned(_, changes) = effect {
                let shown = changes.iter().map(|change| match change {
                    Change::Removed(_) => bad(changed(change)),
                    _ => good(changed(change)),
                });
                lines.extend(shown.map(|line| data(vec![plain("  "), line])));
            }
            notice.with(lines)
        });
        let status = match (self.open.is_empty(), self.is_done) {
            (false, _) => "waiting",
            (true, true) => "done",
            (true, false) => "cut",
        };
        let open: Vec<Json> = self.open.iter().map(Question::wire).collect();
        let event = json!({"thread": thread, "status": status, "questions": open});
        let lines = self.open.iter().flat_map(|open| open.line().blocks);
        let lines = [data(self.ending(ingest))].into_iter().chain(lines);
        let ended = Notice::named("ended", event).with(lines.collect());
        answered.chain(effects).chain([ended]).collect()
    }

    /// How the run stands, and the command that continues it.
    pub fn ending(&self, ingest: &str) -> Vec<Span> {
        match (self.open.len(), self.is_done) {
            (0, true) => vec![good("done"), faint(": this mail is finished")],
            (0, false) => vec![
                plain("not finished"),
                faint(format!("; `{ingest}` continues")),
            ],
            (1, _) => vec![strong("one question is open")],
            (count, _) => vec![strong(format!("{count} questions are open"))],
        }
    }
}

impl Effect {
    /// The effect as text.
    pub fn words(&self) -> Vec<Span> {
        match self {
            Self::Call {
                tool,
                text,
                is_error,
            } => {
                let text = plain(single_line(text));
                let tool = format!("{}: ", single_line(tool));
                vec![if *is_error { bad(tool) } else { good(tool) }, text]
            }
            Self::Learned(topic, _) => vec![
                good("learned: "),
                plain(format!("the note `{}` changed", note(*topic))),
            ],
            Self::Remark(text) => vec![faint(single_line(text))],
        }
    }
}

/// A changed line of a note, with its sign.
fn changed(change: &Change) -> String {
    match change {
        Change::Added(line) => format!("+ {}", single_line(line)),
        Change::Removed(line) => format!("- {}", single_line(line)),
        Change::Kept(line) => single_line(line),
    }
}

fn note(topic: Topic) -> &'static str {
    match topic {
        Topic::Triage => "triage",
        Topic::Response => "response",
        Topic::Calendar => "calendar",
    }
}

fn data(line: Vec<Span>) -> Block {
    Block::Line(Weight::Data, line)
}

fn say(line: Vec<Span>) -> Block {
    Block::Line(Weight::Say, line)
}
