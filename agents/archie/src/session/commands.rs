//! Replies to slash commands.

use std::{collections::HashMap, iter};

use superstep::CheckpointId;
use superstep_agent::{
    AgentError, Notice, Reply, count, faint, plain,
    slash::{self, Parsed, TypedAt},
    strong,
};

use super::{ArchieSession, events::cost};
use crate::state::Node;

impl ArchieSession {
    /// The reply to a line; nothing if it is no command.
    pub(super) async fn reply(
        &self,
        line: &str,
        thread: &str,
    ) -> Result<Option<Reply>, AgentError> {
        let notices: Vec<Notice> = match slash::parse(line, TypedAt::Analysis) {
            Parsed::Text => return Ok(None),
            Parsed::Exit => return Ok(Some(Reply::Exit)),
            Parsed::Undo => return Ok(Some(self.undo(thread).await?)),
            Parsed::Documents => self.documents(thread).await?,
            Parsed::Tokens => vec![self.tokens(thread).await?],
            Parsed::Model(_) => {
                let state = self.archie.graph().state(thread).await?.state;
                vec![Notice::say([plain(&state.model_name)])]
            }
            Parsed::Thread => vec![Notice::say([plain(thread)])],
            Parsed::Unknown(why) => vec![Notice::say([plain(why)])],
            Parsed::Editor => vec![Notice::say([plain(slash::NO_EDITOR)])],
            Parsed::Help | Parsed::New | Parsed::Clear | Parsed::Inputs(_) | Parsed::Resume(_) => {
                let all = slash::commands(TypedAt::Analysis);
                let line = |(name, about): (&str, &str)| {
                    Notice::say([strong(format!("  {name:<12}")), plain(about)])
                };
                all.map(line).collect()
            }
        };
        Ok(Some(Reply::Shown(notices)))
    }

    /// The documents of a thread, included or not.
    pub async fn documents(&self, thread: &str) -> Result<Vec<Notice>, AgentError> {
        let state = self.archie.graph().state(thread).await?.state;
        let entries = self.archie.manifest(&state).await?;
        let lines = entries.iter().map(|entry| Notice::say([plain(entry)]));
        Ok(lines.collect())
    }

    /// The cost of all calls of a thread.
    pub async fn tokens(&self, thread: &str) -> Result<Notice, AgentError> {
        let spent = self.archie.spent(thread).await?;
        let turns = self.archie.graph().state(thread).await?.state.turn();
        Ok(Notice::say([plain(format!(
            "{}, {}: {}",
            count(turns, "turn"),
            count(spent.calls as usize, "call"),
            cost(&spent)
        ))]))
    }

    /// The checkpoints that the thread asked at, the newest first. Along the parents: an answer that was undone is in the
    /// history too, and is no parent.
    pub(super) async fn questions(&self, thread: &str) -> Result<Vec<CheckpointId>, AgentError> {
        let history = self.archie.graph().history(thread).await?;
        let steps: HashMap<_, _> = history.iter().map(|step| (step.id, step)).collect();
        let line = iter::successors(history.first(), |step| {
            let parent = step.parent?;
            steps.get(&Some(parent)).copied()
        });
        let asked = line.filter(|step| step.next == [Node::AnalysisInterrupt]);
        Ok(asked.filter_map(|step| step.id).collect())
    }

    /// Goes back to the question before the open one.
    async fn undo(&self, thread: &str) -> Result<Reply, AgentError> {
        let questions = self.questions(thread).await?;
        let Some(before) = questions.into_iter().nth(1) else {
            let none = Notice::say([faint("there is no answer to undo")]);
            return Ok(Reply::Shown(vec![none]));
        };
        self.archie.graph().fork(thread, before).await?;
        let back = Notice::say([faint("back at the previous question")]);
        Ok(Reply::Resume(vec![back]))
    }
}
