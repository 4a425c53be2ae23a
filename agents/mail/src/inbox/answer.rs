//! Answers to questions: resumes the run, and compares the thread with what it was before.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use superstep::{
    dynamic::{Snapshot, SubState, state::Depth},
    model::{
        Message,
        message::{Body, ToolStatus},
    },
};

use superstep_agent::Change;

use super::{
    error::InboxError,
    outcome::{After, Effect},
    question::{Question, Shown},
};
use crate::{AgentError, Answer, AnswerKind, MailAgent, Topic, Version, tools};

/// What there was before.
struct Before {
    messages: BTreeSet<String>,
    remarks: usize,
    /// The number of the newest version of each note.
    notes: Vec<u64>,
}

/// Answers questions of one thread together and resumes the run. `stop` stops it; the answers are kept.
pub async fn give(
    agent: &MailAgent,
    given: &[(Question, Answer)],
    stop: impl Future<Output = ()>,
) -> Result<After, InboxError> {
    let Some((first, _)) = given.first() else {
        return Err(InboxError::NoAnswer);
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
            outcome => outcome.err().map(InboxError::from),
        },
        () = stop => Some(InboxError::Stopped),
    };
    let mode = Some(agent.mode());
    let answered = |(question, answer): &(Question, Answer)| {
        let answer = answer.clone();
        (question.id(), Answer { mode, ..answer })
    };
    let answered = given.iter().map(answered).collect();
    let after = match failure {
        None => before.after(agent, thread, answered, None).await?,
        Some(error) => {
            // What was done before the failure is reported; if that cannot be read, the failure is.
            let Ok(after) = before.after(agent, thread, answered, None).await else {
                return Err(error);
            };
            let is_open = |ask| after.open.iter().any(|it| it.ask == ask);
            if given.iter().all(|(question, _)| is_open(question.ask)) {
                return Err(error);
            }
            After {
                failure: Some(error),
                ..after
            }
        }
    };
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

/// Resumes a run that was interrupted, or failed. `stop` stops it.
pub async fn resume(
    agent: &MailAgent,
    thread: &str,
    stop: impl Future<Output = ()>,
) -> Result<After, InboxError> {
    let before = Before::of(agent, thread).await?;
    let failure = tokio::select! {
        outcome = agent.resume(thread) => outcome.err().map(InboxError::from),
        () = stop => Some(InboxError::Stopped),
    };
    Ok(before.after(agent, thread, Vec::new(), failure).await?)
}

impl Before {
    async fn of(agent: &MailAgent, thread: &str) -> Result<Self, AgentError> {
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
        failure: Option<InboxError>,
    ) -> Result<After, AgentError> {
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
            if let Some(own) = versions.iter().rfind(|version| is_ours(version)) {
                let old = versions.iter().rfind(|version| version.number <= newest);
                let old = old.map_or("", |version| version.text.as_str());
                let changes = Change::between(old, &own.text).into_iter();
                let changes = changes.filter(|change| !matches!(change, Change::Kept(_)));
                effects.push(Effect::Learned(topic, changes.collect()));
            }
        }
        let remarks = remarks(&snapshot).into_iter().skip(self.remarks);
        effects.extend(remarks.map(Effect::Remark));
        let open = Question::open(agent, &Shown::Thread(thread.to_owned())).await?;
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

async fn snapshot(agent: &MailAgent, thread: &str) -> Result<Snapshot, AgentError> {
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
