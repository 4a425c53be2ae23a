//! Answers to questions: resumes the run, and compares the thread with what it was before.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};
use superstep::{
    OpenAsk,
    dynamic::{Snapshot, SubState, state::Depth},
    future::BoxFuture,
    model::{
        Message,
        message::{Body, ToolStatus},
    },
    tools::Mode,
};
use superstep_agent::{
    AfterAnswers, AgentError as ContractError, Change, Context, Desk, InboxAnswer, InboxQuestion,
    RunEnd,
};

use super::{
    editable::completed,
    effects::{Effect, Effects},
};
use crate::{AgentError, Answer, Item, MailAgent, Topic, Version, tools};

/// What there was before.
struct Before {
    messages: BTreeSet<String>,
    remarks: usize,
    /// The number of the newest version of each note.
    notes: Vec<u64>,
}

impl Desk for MailAgent {
    fn mode(&self) -> Mode {
        Self::mode(self)
    }

    fn question<'a>(
        &'a self,
        thread: &'a str,
        ask: &'a OpenAsk,
    ) -> BoxFuture<'a, Result<Option<InboxQuestion>, ContractError>> {
        Box::pin(async move { Ok(self.asked(thread, ask).await?) })
    }

    fn edited<'a>(
        &'a self,
        question: &'a InboxQuestion,
        args: &'a Map<String, Json>,
    ) -> BoxFuture<'a, Result<InboxQuestion, ContractError>> {
        Box::pin(async move {
            let (thread, item) = (&question.thread, self.item_of(question)?);
            let call = completed(&item, args);
            let description = self.describe_edit(thread, &item, &call).await?;
            let item = Item {
                description,
                ..item
            };
            let edit = Some(args.clone());
            Ok(self.listed(thread, &question.ask, item, edit).await?)
        })
    }

    fn keep<'a>(
        &'a self,
        question: &'a InboxQuestion,
        args: &'a Map<String, Json>,
    ) -> BoxFuture<'a, Result<bool, ContractError>> {
        Box::pin(async move {
            let (thread, ask) = (&question.thread, question.ask.id);
            let is_changed = *args != question.asked;
            match is_changed {
                true => {
                    let item = self.item_of(question)?;
                    let call = completed(&item, args);
                    self.keep_edit(thread, ask, &item, &call).await?;
                }
                false => self.drop_edit(thread, ask).await?,
            }
            Ok(is_changed)
        })
    }

    fn give<'a>(
        &'a self,
        given: &'a [(InboxQuestion, InboxAnswer)],
        with: &'a Context,
        stop: BoxFuture<'a, ()>,
    ) -> BoxFuture<'a, Result<AfterAnswers, ContractError>> {
        Box::pin(async move {
            let thread = &*with.thread;
            let before = Before::of(self, thread).await?;
            let mut answers = Vec::new();
            for (question, answer) in given {
                if *answer == InboxAnswer::Accept {
                    self.check_edit(question).await?;
                }
                answers.push((question.ask.id, self.wire_answer(question, answer)?));
            }
            let run = async {
                match answers.is_empty() {
                    true => self.resume(thread).await,
                    false => self.answer(thread, answers).await,
                }
            };
            let end = tokio::select! {
                outcome = run => match outcome {
                    Ok(_) => RunEnd::Done(None),
                    // What is there now was done by whoever answered.
                    Err(error) if !given.is_empty() && error.is_answer_not_taken() => {
                        return Err(error.into());
                    }
                    Err(error) => RunEnd::Failed(error.into()),
                },
                () = stop => RunEnd::Stopped,
            };
            let after = match (before.after(self, thread).await, end) {
                // What was done before a failure is reported; if that cannot be read, the failure is.
                (Err(_), RunEnd::Failed(error)) => return Err(error),
                (Err(error), RunEnd::Done(_)) => return Err(error.into()),
                (Err(_), RunEnd::Stopped) => return Ok(stopped()),
                (Ok(after), end) => Effects { end, ..after },
            };
            let is_open = |ask| after.open.iter().any(|it| it.ask.id == ask);
            if !given.is_empty() && given.iter().all(|(question, _)| is_open(question.ask.id)) {
                match after.end {
                    RunEnd::Failed(error) => return Err(error),
                    RunEnd::Stopped => return Ok(stopped()),
                    RunEnd::Done(_) => {}
                }
            }
            for (question, _) in given.iter().filter(|(it, _)| it.edit.is_some()) {
                self.drop_edit(thread, question.ask.id).await?;
            }
            Ok(after.told(given, self.mode(), with))
        })
    }
}

/// A run that was stopped before it took an answer.
fn stopped() -> AfterAnswers {
    AfterAnswers {
        notices: Vec::new(),
        end: RunEnd::Stopped,
    }
}

impl MailAgent {
    /// Refuses to accept a question as it was asked if changes to it were kept since it was shown.
    async fn check_edit(&self, question: &InboxQuestion) -> Result<(), AgentError> {
        let now = self.asked(&question.thread, &question.ask).await?;
        match now.is_none_or(|now| now.edit == question.edit) {
            true => Ok(()),
            false => Err(AgentError::EditedMeanwhile {
                question: question.short_id.clone(),
            }),
        }
    }

    /// An answer as the question takes it, bound to that question.
    fn wire_answer(
        &self,
        question: &InboxQuestion,
        answer: &InboxAnswer,
    ) -> Result<Answer, AgentError> {
        let item = self.item_of(question)?;
        let tool = &item.action_request.action;
        let answer = match answer {
            InboxAnswer::Accept => Answer::accept(),
            InboxAnswer::Edit(args) => Answer::edit(tool, completed(&item, args)),
            InboxAnswer::Respond(words) => Answer::response(words),
            InboxAnswer::Read => Answer::read(),
            InboxAnswer::Ignore => Answer::ignore(),
        };
        Ok(item.answered(answer))
    }
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

    async fn after(self, agent: &MailAgent, thread: &str) -> Result<Effects, AgentError> {
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
        Ok(Effects {
            all: effects,
            is_done: snapshot.next.is_empty(),
            open: agent.inbox_questions(thread).await?,
            end: RunEnd::Done(None),
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
