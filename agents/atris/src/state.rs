//! State of a thread: the fields of the source document, by our names.
//!
//! Everything about one question is an option, and `reset_state_node` sets it to nothing: an absent key
//! keeps a field, null clears it. The host, the errors and the answers stay, bounded.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use superstep::{Ask, Nodes, State, model::Message};

use crate::{
    answer::Answer,
    catalogue::{Api, EntityType, Parameters},
    problem::Problem,
    question::{Aspect, Complexity, Computation, Reference},
    research::Research,
    tools::{Response, Source},
};

/// How many answers and errors a thread keeps.
pub const MAX_ANSWERS: usize = 20;
/// How many errors a thread keeps.
pub const MAX_ERRORS: usize = 100;

/// The parameter of the user in whose name something is changed.
pub(crate) const ACTING: &str = "user_id";

/// The state of a thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct AtrisState {
    /// The question.
    pub query: Option<String>,
    /// What kind of question it is.
    pub query_type: Option<String>,
    /// The names of the operations that may fit.
    pub categories: Option<Vec<String>>,
    /// These operations.
    pub apis: Option<Vec<Api>>,
    /// The one that is called.
    pub best_api: Option<Api>,
    /// Its parameters; defaults are filled in.
    pub parameters: Option<Parameters>,
    /// Its reply.
    pub response: Option<Response>,
    /// How much work the question is.
    pub complexity: Option<Complexity>,
    /// Whether it names somebody or something.
    pub is_entity_query: Option<bool>,
    /// Whom or what.
    pub entity_name: Option<Reference>,
    /// What that is.
    pub entity_type: Option<EntityType>,
    /// What went wrong.
    pub error: Option<Problem>,
    /// What went wrong so far, in all questions.
    pub error_history: Vec<Problem>,
    /// The conversation about this question.
    pub messages: Option<Vec<Message>>,
    /// The questions and answers so far.
    pub message_history: Vec<Answer>,
    /// The host that answered last.
    pub selected_host: Option<String>,
    /// What the name was found to be.
    pub entity: Option<Entity>,
    /// What else is called, for a comparison.
    pub secondary_api: Option<Secondary>,
    /// Its reply.
    pub secondary_response: Option<Response>,
    /// The thread before the question.
    pub initial_state: Option<Json>,
    /// The answer in words.
    pub formatted_response: Option<String>,
    /// The field that is asked for.
    pub aspect: Option<Aspect>,
    /// What is worked out from the whole reply.
    pub computation: Option<Computation>,
    /// How many of those that are compared are shown; nothing if the one that is first is.
    pub first: Option<u64>,
    /// The list of an earlier answer that the question is about.
    pub continued: Option<EarlierList>,
    /// How the question was read, where that is not plain.
    pub reading: Option<Vec<String>>,
    /// What a person is asked next.
    pub pending: Option<Pending>,
    /// Whether a person has answered something.
    pub was_asked: Option<bool>,
    /// The user in whose name something is changed, as the person said it; it is looked up.
    pub acting: Option<Reference>,
    /// Who the person said they are, for the next change in the thread; it is looked up then.
    pub signed_as: Option<Reference>,
    /// The hosts that the question was asked of.
    pub asked_of: Option<Vec<String>>,
    /// The one host that the call goes to, if a person approves it.
    pub bound_host: Option<String>,
    /// Every reply that was used.
    pub sources: Option<Vec<Source>>,
    /// What a strong model has found out so far; nothing where rules answer.
    pub research: Option<Research>,
    /// The answer.
    pub answer: Option<Answer>,
}

impl AtrisState {
    /// The last answer.
    pub fn last(&self) -> Option<&Answer> {
        self.message_history.last()
    }

    /// How often each error happened, most frequent first.
    pub fn error_frequencies(&self) -> Vec<(String, usize)> {
        let mut counts: Vec<(String, usize)> = Vec::new();
        for problem in &self.error_history {
            match counts.iter_mut().find(|(code, _)| *code == problem.code) {
                Some((_, count)) => *count += 1,
                None => counts.push((problem.code.clone(), 1)),
            }
        }
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }
}

/// Somebody or something at Audius.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// What it is.
    pub entity_type: EntityType,
    /// Its id.
    pub id: String,
    /// Its name or title.
    pub name: String,
    /// Its handle, or that of its owner.
    #[serde(default)]
    pub handle: Option<String>,
    /// What its record said when it was looked up: how many followers, tracks, plays it has.
    #[serde(default)]
    pub seen: Option<RecordCounts>,
}

/// Counts of a record that was looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordCounts {
    /// Which of the sources has the record, from 0.
    pub source: usize,
    /// Where it is in that reply: a JSON pointer.
    pub at: String,
    /// The counts, by their names on the wire.
    pub counts: BTreeMap<String, u64>,
}

/// The list of an earlier answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierList {
    /// The question that it was the answer to.
    pub question: String,
    /// The operation.
    pub operation: String,
    /// The parameters to call it with now.
    pub parameters: Parameters,
    /// The ids of the records that count; all if there are none here.
    pub among: Vec<String>,
}

/// The second of two things that are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Secondary {
    /// The operation.
    pub api: Option<Api>,
    /// What was named.
    pub entity_name: Reference,
    /// What it was found to be.
    pub entity: Option<Entity>,
    /// Its parameters.
    pub parameters: Option<Parameters>,
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Pending {
    /// A parameter that is missing.
    Missing {
        /// The parameter.
        parameter: String,
        /// What it names, if that has to be looked up.
        entity_type: Option<EntityType>,
        /// The word of the question that stands for it and says nothing here, such as `their`.
        #[serde(default)]
        word: Option<String>,
    },
    /// Which of several things was meant.
    Choose {
        /// What was named.
        name: String,
        /// The things.
        options: Vec<Entity>,
        /// Whether it is the second of a comparison.
        is_second: bool,
    },
    /// Whether to try again, after something that may succeed the next time.
    Again {
        /// What went wrong.
        problem: Problem,
    },
}

/// The nodes of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum Node {
    /// What the question is about.
    ExtractCategoryNode,
    /// Which operations may fit.
    GetApisNode,
    /// Which one it is.
    SelectApiNode,
    /// Its parameters.
    ExtractParamsNode,
    /// Asks a person for what is missing.
    AskUser,
    /// Looks up what a name stands for.
    ResolveEntity,
    /// Makes the call.
    ExecuteRequestNode,
    /// Makes the second call of a comparison.
    SecondaryRequest,
    /// Has a strong model say what it needs.
    ModelTurn,
    /// Does what the model asks for.
    ToolTurn,
    /// Records what went wrong.
    HandleError,
    /// Puts the answer into words.
    Format,
    /// Clears the state for the next question.
    ResetStateNode,
}

/// What a thread stops at. The answer is what the person says: a value, a name, a handle, a link, or the
/// number of an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Ask)]
#[ask(answer = String)]
pub struct Question {
    /// What is asked.
    pub question: String,
    /// What to choose from, if there is a choice. People know them by their numbers, from 1.
    pub options: Vec<String>,
    /// The answer that chooses each of the options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    /// The parameter that is missing, if it is one.
    pub parameter: Option<String>,
    /// What the question was understood as so far, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub understood: Option<String>,
}
