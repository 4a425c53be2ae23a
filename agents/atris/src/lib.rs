//! Atris: questions about Audius, answered from its public API.
//!
//! With a strong model a question is researched: the model looks operations up, calls them, computes with their
//! records and answers, and every figure of the answer is traced to a field (`research`). Without one, or with a
//! small one, rules make one call of the question, sometimes two: the catalogue is searched for the operations that
//! fit, one is chosen, its parameters are taken from the question and checked, names are looked up, and the reply
//! is put into words. What is missing is asked for. Nothing is made up: a failed call is an error, and an empty
//! reply is empty.
//!
//! ```text
//! start ─► extract_category_node ─► get_apis_node ─► select_api_node ─► extract_params_node
//!                                                                     │
//!                     ask_user ◄──► resolve_entity ◄──────────────────┤
//!                                        │                            ▼
//!                   secondary_request ◄──┴───────────────► execute_request_node
//!                           │                                         │
//!        any of them ─► handle_error ─► format ◄──────────────────────┘
//!                                         └─► reset_state_node ─► end
//!
//! with a strong model:  extract_category_node ─► model_turn ◄──► tool_turn ─► format
//! ```
//!
//! | in the source document | here |
//! |---|---|
//! | `extract_category_node`, `get_apis_node`, `select_api_node`, `extract_params_node`, `execute_request_node`, `reset_state_node` | nodes of these names ([`Node`]) |
//! | `llm` | a resource of the graph, never in the state |
//! | `query`, `queryType`, `categories`, `apis`, `bestApi`, `parameters` | [`AtrisState::query`], `query_type`, `categories`, `apis`, `best_api`, `parameters` |
//! | `response`, `complexity`, `error`, `messages` | the same names |
//! | `isEntityQuery`, `entityName`, `entityType`, `entity` | `is_entity_query`, `entity_name`, `entity_type`, `entity` |
//! | `errorHistory`, `messageHistory`, `selectedHost` | `error_history`, `message_history`, `selected_host`: what `reset_state_node` keeps |
//! | `secondaryApi`, `secondaryResponse` | `secondary_api`, `secondary_response` |
//! | `initialState` | `initial_state`: the thread before the question |
//! | `formattedResponse` | `formatted_response`, and after the reset [`Answer::answer`] of the last entry of `message_history` |
//! | an API of the corpus | [`catalogue::Api`], with the document's keys |
//! | `response.data[]` | [`tools::Response::data`], with the document's names of fields |
//!
//! Begin with [`Atris`]. The guide is `docs/atris.md`. [`Catalogue`] has every operation of the API,
//! [`question`] reads a question by rules, [`Audius`] makes the calls, [`reply`] makes records of replies.

mod answer;
pub mod catalogue;
mod client;
mod contract;
mod draft;
mod error;
mod failure;
mod graph;
pub mod labeled;
mod mention;
mod nodes;
mod problem;
pub mod question;
mod recall;
pub mod reply;
mod research;
mod services;
mod session;
mod settings;
mod state;
pub mod tools;
mod wording;

pub use answer::{Answer, Fact, Status, Table};
pub use catalogue::Catalogue;
pub use client::{Audius, Fetched};
pub use contract::AtrisAgent;
pub use error::Error;
pub use graph::{Atris, MODEL_NODES, NewError};
pub use mention::{Mention, Mentions};
pub use problem::Problem;
pub use research::{MAX_CALLS, Progress, RecordSet, Research};
pub use session::{AnswerCommand, AtrisSession, SKIP, changes, help_of, thread_errors};
pub use settings::{AtrisTable, ClientSettings, Settings, USUAL_HOST};
pub use state::{
    AtrisState, AtrisStateUpdate, EarlierList, Entity, MAX_ANSWERS, MAX_ERRORS, Node, Pending,
    Question, RecordCounts, Secondary,
};
