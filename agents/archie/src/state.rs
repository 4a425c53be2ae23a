//! State of a thread, the nodes that write it, and the question it stops at.
//!
//! All of it is data. The model is a resource of the graph, and the text of documents is in the
//! long-term store, so checkpoints stay small and a thread resumes without its folder.

use serde::{Deserialize, Serialize};
use superstep::{Ask, Nodes, State, model::Message, tools::Chat};

use crate::{documents::Inputs, fact::Fact, progress::Notice, usage::Spent};

/// The state of a thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct Analysis {
    /// What the person said last: the query, an answer, a question.
    pub user_input: String,
    /// What the thread is for.
    pub current_flow: Flow,
    /// The folder with the documents, and what was found there.
    pub inputs: Inputs,
    /// What was said, two entries a turn.
    #[reduce(Chat)]
    pub analysis_history: Vec<Message>,
    /// What the person is asked next.
    pub current_analysis_query: Option<String>,
    /// What it all came to; the thread is done once it is there. A later message may change it.
    pub analysis_output: Option<String>,
    /// The model the thread was begun with, as `provider:name`.
    pub model_name: String,
    /// What the memory holds about the query.
    pub system_context: String,
    /// What a context document is about.
    pub context_name: Option<String>,
    /// Whether the person approved; only an answer of a person sets it.
    #[state(sealed)]
    pub approved: bool,
    /// Every call of a model and what it cost.
    #[reduce(superstep::Append)]
    pub usage: Vec<Spent>,
    /// What went wrong without stopping the thread.
    #[reduce(superstep::Append)]
    pub notices: Vec<Notice>,
    /// What the documents say, sentence by sentence, if the model is a small one.
    pub facts: Option<Vec<Fact>>,
}

impl Analysis {
    /// Which turn of the conversation it is, from 1.
    pub fn turn(&self) -> usize {
        self.analysis_history.len().div_ceil(2)
    }

    /// What the calls that led to this state cost together; [`Archie::spent`](crate::Archie::spent) also knows
    /// those that were taken back.
    pub fn spent(&self) -> Spent {
        self.usage
            .iter()
            .fold(Spent::default(), |sum, spent| sum.plus(spent))
    }
}

/// What a thread is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// A conversation that ends in an analysis.
    #[default]
    Analysis,
    /// A document about a system, made of its documents.
    BuildContext,
    /// One question, one answer.
    Ask,
}

/// The nodes of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum Node {
    /// Reads the documents.
    DocumentRetrieval,
    /// Recalls what the memory knows. Earlier versions extracted entities here.
    GraphExtraction,
    /// Thinks: the next question, or the result.
    AnalysisPrepare,
    /// Asks the person.
    AnalysisInterrupt,
    /// Remembers what the person decided and told.
    Remember,
    /// Writes a context document.
    BuildContext,
    /// Answers a question.
    Ask,
}

/// What a thread stops at. The answer is what the person says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Ask)]
#[ask(answer = String)]
pub struct Question {
    /// What is asked.
    pub query: String,
    /// Which turn it is, from 1.
    pub turn: usize,
    /// What an answer means.
    pub kind: Kind,
}

/// What the answer to a question means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It is the person's next turn, or the approval.
    Question,
    /// Yes approves, no does not, and anything else is the person's next turn.
    Confirm,
}
