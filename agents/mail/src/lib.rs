//! An e-mail assistant that asks before it acts.
//!
//! [`Mailbox`] and [`Calendar`] are what it works on; a back end implements them. Everything a
//! mailbox gives is the mail as it came, so that one parser reads all of them. [`FolderMailbox`] and
//! [`FolderCalendar`] are back ends that need no account.
//!
//! [`MailAgent`] is the assistant: [`MailAgent::ingest`] puts mail before it, [`MailAgent::open`] gives
//! the questions it has for a person, [`MailAgent::answer`] takes the answers, [`MailAgent::memory`]
//! shows what it learnt of them. How it works is in [`graph`].
//!
//! ```
//! use std::{fs, sync::Arc};
//!
//! use serde_json::json;
//! use superstep::{
//!     Backends, MemorySaver, MemoryStore,
//!     model::{
//!         NodeModels,
//!         script::{Script, Step, When},
//!     },
//! };
//! use superstep_mail::{
//!     Address, Answer, FolderCalendar, FolderMailbox, IngestOptions, MailAgent, MailParts, Settings,
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let letter = "From: ann@example.org\r\nSubject: Lunch\r\n\r\nAre you free at noon?\r\n";
//! fs::write(folder.path().join("lunch.eml"), letter)?;
//!
//! // A model that follows a script, so that nothing but this runs.
//! let sorted = json!({"reasoning": "Ann asks.", "classification": "respond", "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"});
//! let reply = json!({"email_id": "lunch.eml", "response_text": "Yes.", "email_address": "me@example.org"});
//! let model = Script::new([
//!     Step::data(sorted).when(When::schema("triage")),
//!     Step::call("send_email_tool", reply).and_call("Done", json!({"done": true})),
//! ]);
//!
//! let agent = MailAgent::new(MailParts {
//!     models: NodeModels::new(Arc::new(model)),
//!     mailbox: Arc::new(FolderMailbox::open(folder.path(), Address::new("me@example.org"))?),
//!     calendar: Arc::new(FolderCalendar::open(folder.path().join("meetings"), "Europe/Berlin")?),
//!     settings: Settings { dry_run: false, ..Settings::default() },
//!     backends: Backends {
//!         saver: Some(Arc::new(MemorySaver::new())),
//!         store: Some(Arc::new(MemoryStore::default())),
//!         ..Backends::default()
//!     },
//! })?;
//! agent.ingest(&IngestOptions::default()).await?;
//! for question in agent.inbox().await?.items {
//!     assert_eq!(question.item.action_request.action, "send_email_tool");
//!     assert!(!folder.path().join("sent").exists());
//!     agent.answer(&question.thread, [(question.ask, Answer::accept())]).await?;
//! }
//! assert_eq!(fs::read_dir(folder.path().join("sent"))?.count(), 1);
//! # Ok(()) }
//! ```

pub mod account;
mod address;
mod agenda;
mod agent;
mod attempts;
mod bookkeeping;
mod calendar;
mod cautions;
mod class;
mod compose;
mod contract;
mod danger;
mod edits;
mod error;
mod failure;
mod folder;
#[cfg(feature = "google")]
pub mod google;
pub mod graph;
#[cfg(any(feature = "google", feature = "imap"))]
mod header;
#[cfg(feature = "imap")]
pub mod imap;
mod inbox;
mod ingest;
pub mod ingest_graph;
mod input;
mod judgement;
mod key;
mod mailbox;
mod markdown;
mod memory;
mod mode;
mod moment;
mod no_account;
mod parse;
mod past_calls;
mod prompt;
mod prompts;
mod proposals;
mod questions;
mod queue;
mod services;
pub mod session;
mod settings;
mod slots;
mod small;
pub mod tools;
mod view;
mod wire;

pub use address::Address;
pub use agent::{AgentError, MailAgent, MailParts};
pub use bookkeeping::BOOKKEEPING;
pub use calendar::{
    Busy, Calendar, Changed, Event, EventChange, EventId, EventLookup, NewEvent, Span, When,
};
pub use class::Class;
pub use compose::{NewMail, Recipients, forward_subject, reply_subject};
pub use contract::{MODEL_NODES, MailContract};
pub use edits::KeptEdit;
pub use error::MailError;
pub use folder::{FolderCalendar, FolderMailbox};
pub use graph::MailState;
pub use ingest::{IngestOptions, Ingested, Intake};
pub use input::EmailInput;
pub use judgement::{Judgement, Urgency};
pub use key::thread_name;
pub use mailbox::{
    Arrival, Later, Lookup, MailId, Mailbox, Outgoing, Page, PageToken, Query, RawMail, SendError,
    Sent, ThreadKey,
};
pub use memory::{Memory, MemoryError, NotePlace, Topic, Version};
pub use mode::without_mode;
pub use no_account::{NoCalendar, NoMailbox};
pub use parse::{AttachedFile, Attachment, DisguisedLink, Mail, Sending, attached_files, parse};
pub use prompts::{PromptError, Prompts, Stage};
pub use questions::{Inbox, UnreadableThread};
pub use settings::{Settings, WorkingHours};
pub use slots::Day;
pub use superstep::tools::{Mode, guided::Profile};
pub use view::{Invitation, Letter, View, Warning};
pub use wire::{Action, Allowed, Answer, AnswerKind, Asked, InboxItem, Item};
