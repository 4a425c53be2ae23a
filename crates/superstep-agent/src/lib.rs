//! The contract between agents and their front ends.
//!
//! An [`Agent`] has a [`Card`] of facts that need no model, and opens without one for reading threads.
//!
//! An [`OpenAgent`] is a graph that is ready to run, plus its manners: how it shows progress, how it presents a question,
//! how it reads a typed answer, and what it reports at the end. All of that is data ([`Notice`], [`Prompt`],
//! [`Report`]) with one form in JSON, so any front end can render it. Every method but [`OpenAgent::graph`] has a default that works for
//! any graph.
//!
//! [`Conversation`] is the one loop over input, answers, failures and resumption. A front end brings a [`Console`]:
//! where notices go and where lines come from.

mod agent;
mod answers;
mod block;
mod card;
mod console;
mod context;
mod conversation;
mod defaults;
mod demo;
mod diff;
mod failure;
#[cfg(feature = "files")]
mod file_agent;
mod form;
mod inbox;
mod money;
mod no_model;
mod notice;
mod open;
mod outcome;
mod plain_agent;
mod prompt;
mod question_id;
mod question_view;
mod result_file;
mod settings;
pub mod slash;
mod span;
mod surroundings;
mod turn;
mod usage_error;
mod words;

pub use agent::{Agent, GraphAgent, READ_ONLY, Site};
pub use answers::{Answers, written_answers};
pub use block::{Block, Table, TableStyle, Weight};
pub use card::{Card, NamedPath};
pub use console::{Commands, Console, Line, Local, ReadLine, Topic};
pub use context::Context;
pub use conversation::{Conversation, Ended, Next};
pub use demo::Demo;
pub use diff::{Change, Diff, Hunk};
pub use failure::{AgentError, Failure, exit_of};
#[cfg(feature = "files")]
pub use file_agent::{FileAgent, McpServer};
pub use form::{Field, FieldKind, Form};
pub use inbox::{
    AfterAnswers, Desk, InboxAnswer, InboxEffect, InboxQuestion, QuestionKey, RunEnd, Verb,
};
pub use money::in_micro_usd;
pub use no_model::NoModel;
pub use notice::{ForPrograms, Notice, Report};
pub use open::{Instead, OpenAgent, Reply};
pub use outcome::Outcome;
pub use plain_agent::PlainAgent;
pub use prompt::{Answer, Decides, Prompt, Reading};
pub use question_id::{SHORTEST_ID, names_question, short_id};
pub use question_view::{
    Choices, QuestionFact, QuestionKind, QuestionOption, QuestionView, QuestionWarning,
    WarningLevel,
};
pub use result_file::{FilePlace, ResultFile};
pub use settings::{AgentSetting, settings_of};
pub use span::{Span, Style, bad, code, faint, good, plain, strong};
pub use surroundings::{ReplyLength, Surroundings};
pub use turn::{Speaker, Turn};
pub use usage_error::UsageError;
pub use words::{count, shown};
