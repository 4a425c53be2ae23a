//! Answering a question: resumes the run and reports its effects.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use superstep::{
    dynamic::{Snapshot, SubState, state::Depth},
    model::{
        Message,
        message::{Body, ToolStatus},
    },
};
use superstep_mail::{Answer, AnswerKind, MailAgent, Topic, Version, tools};

use super::question::{self, Question, Shown};
use crate::{error::Error, terminal::Terminal};

/// The effects of an answer.
pub(super) struct After {
    pub(super) thread: String,
    /// The questions and the answers; none if the run was only resumed.
    pub(super) answered: Vec<(String, Answer)>,
    /// The effects that were decided about, and whether they were approved.
    decided: Vec<(String, bool)>,
    pub(super) effects: Vec<Effect>,
    /// What is asked now.
    pub(super) open: Vec<Question>,
    pub(super) is_done: bool,
    /// Why the run stopped, after what was done.
    pub(super) failure: Option<Error>,
}

impl After {
    /// The failure of the run, or that of an effect that a person approved: it failed, or was not even tried.
    pub(super) fn ended(self) -> Result<(), Error> {
        let ended = |name: &str, with_error: bool| {
            let is_one = |effect: &&Effect| match effect {
                Effect::Call { tool, is_error, .. } => tool == name && *is_error == with_error,
                _ => false,
            };
            self.effects.iter().filter(is_one).count()
        };
        let decided = |name: &str, approved: bool| {
            let is_one =
                |(action, was): &&(String, bool)| action.starts_with(name) && *was == approved;
            self.decided.iter().filter(is_one).count()
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
            } => *is_error && is_effect(tool) && text.starts_with(FAILED),
            _ => false,
        };
        match self.failure {
            Some(error) => Err(error),
            None if self.effects.iter().any(is_failed) || EFFECTS.iter().any(is_short) => {
                Err(Error::Reported { exit: 1 })
            }
            None => Ok(()),
        }
    }
}

/// How the result of a call begins that was made and failed. One that a person left is an error for the model too, but
/// not for the person.
const FAILED: &str = "the call failed: ";

/// The tools that change something in the world.
const EFFECTS: [&str; 2] = [tools::SEND, tools::SCHEDULE];

/// Whether a call of a tool changes something in the world.
fn is_effect(tool: &str) -> bool {
    EFFECTS.contains(&tool)
}

/// One thing that happened.
pub(super) enum Effect {
    /// A call of a tool was made, or not.
    Call {
        tool: String,
        text: String,
        is_error: bool,
    },
    /// A note changed.
    Learned(Topic),
    /// Something people should know.
    Remark(String),
}

/// What there was before.
struct Before {
    messages: BTreeSet<String>,
    remarks: usize,
    /// The number of the newest version of each note.
    notes: Vec<u64>,
}

/// Answers questions of one thread together and resumes the run. `stop` stops it; the answers are kept.
pub(super) async fn give(
    agent: &MailAgent,
    given: &[(Question, Answer)],
    stop: impl Future<Output = ()>,
) -> Result<After, Error> {
    let Some((first, _)) = given.first() else {
        return Err(Error::Usage("there is nothing to answer".into()));
    };
    let thread = first.thread.as_str();
    let before = Before::of(agent, thread).await?;
    let bound = |(question, answer): &(Question, Answer)| {
        (question.ask, question.item.answered(answer.clone()))
    };
    let answers: Vec<_> = given.iter().map(bound).collect();
    let failure = tokio::select! {
        outcome = agent.answer(thread, answers) => match outcome {
            // What is there now was done by whoever answered.
            Err(error) if error.is_answer_not_taken() => return Err(error.into()),
            outcome => outcome.err().map(Error::from),
        },
        () = stop => Some(Error::Cancelled),
    };
    let mode = Some(agent.mode());
    let answered = |(question, answer): &(Question, Answer)| {
        let answer = answer.clone();
        (question.id(), Answer { mode, ..answer })
    };
    let answered = given.iter().map(answered).collect();
    let after = match failure {
        None => before.after(agent, thread, answered, None).await,
        Some(error) => {
            // What was done before the failure is reported; if that cannot be read, the failure is.
            let Ok(after) = before.after(agent, thread, answered, None).await else {
                return Err(error);
            };
            let is_open = |ask| after.open.iter().any(|it| it.ask == ask);
            match given.iter().all(|(question, _)| is_open(question.ask)) {
                true => Err(error),
                false => Ok(After {
                    failure: Some(error),
                    ..after
                }),
            }
        }
    }?;
    for (question, _) in given.iter().filter(|(it, _)| it.edit.is_some()) {
        agent.drop_edit(thread, question.ask).await?;
    }
    let decided = |(question, answer): &(Question, Answer)| {
        let is_approved = matches!(answer.kind, AnswerKind::Accept | AnswerKind::Edit);
        (question.item.action_request.action.clone(), is_approved)
    };
    Ok(After {
        decided: given.iter().map(decided).collect(),
        ..after
    })
}

/// Resumes a run that was interrupted, or failed.
pub(super) async fn resume(
    agent: &MailAgent,
    thread: &str,
    terminal: &mut Terminal,
) -> Result<After, Error> {
    let before = Before::of(agent, thread).await?;
    let failure = tokio::select! {
        outcome = agent.resume(thread) => outcome.err().map(Error::from),
        () = terminal.ctrl_c() => Some(Error::Cancelled),
    };
    before.after(agent, thread, Vec::new(), failure).await
}

impl Before {
    async fn of(agent: &MailAgent, thread: &str) -> Result<Self, Error> {
        let snapshot = snapshot(agent, thread).await?;
        let mut messages = Vec::new();
        tool_messages(&snapshot, &mut messages);
        let mut notes = Vec::new();
        for topic in Topic::ALL {
            let versions = agent.memory().versions(topic).await?;
            notes.push(versions.last().map_or(0, |version| version.number));
        }
        Ok(Self {
            messages: messages.into_iter().filter_map(|it| it.id).collect(),
            remarks: remarks(&snapshot).len(),
            notes,
        })
    }

    async fn after(
        self,
        agent: &MailAgent,
        thread: &str,
        answered: Vec<(String, Answer)>,
        failure: Option<Error>,
    ) -> Result<After, Error> {
        let snapshot = snapshot(agent, thread).await?;
        let mut messages = Vec::new();
        tool_messages(&snapshot, &mut messages);
        let mut effects = Vec::new();
        for message in messages {
            let is_new = message
                .id
                .as_ref()
                .is_none_or(|id| !self.messages.contains(id));
            if let (true, Body::Tool(reply)) = (is_new, &message.body)
                && reply.name != tools::DONE
            {
                effects.push(Effect::Call {
                    tool: reply.name.clone(),
                    text: message.text(),
                    is_error: reply.status == ToolStatus::Error,
                });
            }
        }
        for (topic, newest) in Topic::ALL.into_iter().zip(self.notes) {
            // A note may also have changed because of another process.
            let versions = agent.memory().versions(topic).await?;
            let is_ours = |it: &Version| it.number > newest && it.thread == thread;
            if versions.iter().any(is_ours) {
                effects.push(Effect::Learned(topic));
            }
        }
        let remarks = remarks(&snapshot).into_iter().skip(self.remarks);
        effects.extend(remarks.map(Effect::Remark));
        let open = question::all(agent, &Shown::Thread(thread.to_owned())).await?;
        Ok(After {
            thread: thread.to_owned(),
            answered,
            decided: Vec::new(),
            effects,
            is_done: snapshot.next.is_empty(),
            open,
            failure,
        })
    }
}

async fn snapshot(agent: &MailAgent, thread: &str) -> Result<Snapshot, Error> {
    let graph = agent.graph().dynamic();
    Ok(graph.state(&thread.into(), None, Depth::Subgraphs).await?)
}

/// The results of tools, of the graph and of the one below it, each once.
fn tool_messages(snapshot: &Snapshot, all: &mut Vec<Message>) {
    for json in list(snapshot, "messages") {
        let Ok(message) = serde_json::from_value::<Message>(json) else {
            continue;
        };
        let is_known = message.id.is_some() && all.iter().any(|it| it.id == message.id);
        if matches!(message.body, Body::Tool(_)) && !is_known {
            all.push(message);
        }
    }
    for task in &snapshot.tasks {
        if let Some(SubState::Snapshot(inner)) = &task.state {
            tool_messages(inner, all);
        }
    }
}

fn remarks(snapshot: &Snapshot) -> Vec<String> {
    let texts = list(snapshot, "remarks");
    let texts = texts.iter().filter_map(Json::as_str);
    texts.map(str::to_owned).collect()
}

fn list(snapshot: &Snapshot, name: &str) -> Vec<Json> {
    let state = serde_json::to_value(&snapshot.values).unwrap_or_default();
    let list = state.get(name).and_then(Json::as_array);
    list.cloned().unwrap_or_default()
}
