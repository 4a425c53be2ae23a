//! Effects of answers, and the end of their run, as notices.

use serde_json::{Value as Json, json};
use superstep::{text::single_line, tools::Mode};
use superstep_agent::{
    AfterAnswers, Block, Change, Context, InboxAnswer, InboxQuestion, Notice, RunEnd, Span, Verb,
    Weight, bad, faint, good, plain, strong,
};

use crate::{Topic, tools::EffectKind};

/// How the result of a call begins that was made and failed. One that a person left is an error for the model too, but
/// not for the person.
const FAILED: &str = "the call failed: ";

/// The effects of answers.
pub(super) struct Effects {
    pub(super) all: Vec<Effect>,
    /// The questions of the thread that are open now.
    pub(super) open: Vec<InboxQuestion>,
    /// Whether the thread is done.
    pub(super) is_done: bool,
    pub(super) end: RunEnd,
}

/// One effect.
pub(super) enum Effect {
    /// A call of a tool was made, or not.
    Call {
        tool: String,
        text: String,
        is_error: bool,
    },
    /// A note changed, by these lines.
    Learned(Topic, Vec<Change>),
    /// Something people should know.
    Remark(String),
}

/// Answers and their questions.
type GivenAnswers = [(InboxQuestion, InboxAnswer)];

impl Effects {
    /// The effects as notices, and the end of the run.
    pub(super) fn told(self, given: &GivenAnswers, mode: Mode, with: &Context) -> AfterAnswers {
        let thread = &with.thread;
        let is_dry = (!given.is_empty()).then_some(mode == Mode::Dry);
        let answered = given.iter().map(|(question, answer)| {
            let mut answer = answer.wire(question.tool());
            if let Some(fields) = answer.as_object_mut() {
                fields.insert("mode".into(), json!(mode));
            }
            let id = question.id();
            let event = json!({"thread": thread, "id": id, "answer": [answer], "dry_run": is_dry});
            Notice::named("answered", event)
        });
        let effects = self.all.iter().map(|effect| effect.notice(thread, is_dry));
        let notices = answered.chain(effects).chain([self.ended(with)]).collect();
        let end = match self.end {
            RunEnd::Done(_) => RunEnd::Done(self.has_failed(given).then_some(1)),
            other => other,
        };
        AfterAnswers { notices, end }
    }

    /// The state of the thread, the questions that are open, and the command that continues it.
    fn ended(&self, with: &Context) -> Notice {
        let status = match (self.open.is_empty(), self.is_done) {
            (false, _) => "waiting",
            (true, true) => "done",
            (true, false) => "cut",
        };
        let line = match (self.open.len(), self.is_done) {
            (0, true) => vec![good("done"), faint(": this mail is finished")],
            (0, false) => {
                let ingest = with.command(&["mail", "ingest"]);
                let how = faint(format!("; `{ingest}` continues"));
                vec![plain("not finished"), how]
            }
            (1, _) => vec![strong("one question is open")],
            (count, _) => vec![strong(format!("{count} questions are open"))],
        };
        let open: Vec<Json> = self.open.iter().map(InboxQuestion::wire).collect();
        let event = json!({"thread": with.thread, "status": status, "questions": open});
        let lines = self.open.iter().flat_map(|open| open.line().blocks);
        let lines = [data(line)].into_iter().chain(lines);
        Notice::named("ended", event).with(lines.collect())
    }

    /// Whether an effect that a person approved failed, or was not even tried.
    fn has_failed(&self, given: &GivenAnswers) -> bool {
        let ended = |name: &str, with_error: bool| {
            let is_one = |effect: &&Effect| match effect {
                Effect::Call { tool, is_error, .. } => tool == name && *is_error == with_error,
                _ => false,
            };
            self.all.iter().filter(is_one).count()
        };
        let decided = |name: &str, approved: bool| {
            let is_one = |(question, answer): &&(InboxQuestion, InboxAnswer)| {
                let was = matches!(answer.verb(), Verb::Accept | Verb::Edit);
                question.tool().starts_with(name) && was == approved
            };
            given.iter().filter(is_one).count()
        };
        // One that is asked about again has not ended; one that was refused ends with an error, too.
        let is_short = |name: &&str| {
            decided(name, true) > ended(name, false) && ended(name, true) > decided(name, false)
        };
        let is_failed = |effect: &Effect| match effect {
            Effect::Call {
                tool,
                text,
                is_error,
            } => *is_error && EffectKind::of(tool).is_some() && text.starts_with(FAILED),
            _ => false,
        };
        self.all.iter().any(is_failed) || EffectKind::TOOLS.iter().any(is_short)
    }
}

impl Effect {
    fn notice(&self, thread: &str, is_dry: Option<bool>) -> Notice {
        match self {
            Self::Call {
                tool,
                text,
                is_error,
            } => {
                let status = if *is_error { "error" } else { "success" };
                let event = json!({
                    "thread": thread, "tool": tool, "text": text, "dry_run": is_dry,
                    "status": status,
                });
                let name = format!("{}: ", single_line(tool));
                let name = if *is_error { bad(name) } else { good(name) };
                let line = data(vec![name, plain(single_line(text))]);
                Notice::named("call", event).with(vec![line])
            }
            Self::Learned(topic, changes) => {
                let (note, lines) = (note(*topic), changes.iter().map(changed));
                let lines: Vec<String> = lines.collect();
                let event = json!({"thread": thread, "note": note, "changes": lines});
                let first = vec![
                    good("learned: "),
                    plain(format!("the note `{note}` changed")),
                ];
                let shown = changes.iter().map(|change| match change {
                    Change::Removed(_) => vec![plain("  "), bad(changed(change))],
                    _ => vec![plain("  "), good(changed(change))],
                });
                let lines = [first].into_iter().chain(shown).map(data);
                Notice::named("learned", event).with(lines.collect())
            }
            Self::Remark(text) => {
                let line = data(vec![faint(single_line(text))]);
                let event = json!({"thread": thread, "text": text});
                Notice::named("remark", event).with(vec![line])
            }
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
