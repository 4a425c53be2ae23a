//! Long-term memory: three notes about the owner, with all versions and undo.
//!
//! A note changes only by an act of a person. A model words the change. It is told the act in the program's and the
//! person's words, and what the act was about as marked data: the subject of the mail, the texts before and after an
//! edit (`feedback`). It is never shown the mail. A change that loses lines, brings in addresses nobody mentioned, or
//! takes over words from the data is refused (`guard`).
//!
//! In the store the notes are where clients of such assistants look for them: namespace
//! `("email_assistant", "triage_preferences" | "response_preferences" | "cal_preferences")`, key
//! `user_preferences`; versions are below that, in `versions`. Several processes may learn at once:
//! a change is stored only if the note still is what it was made of (`stored`), and is made again of
//! the newer note otherwise.

pub(crate) mod feedback;
mod guard;
mod line;
mod place;
mod stored;
mod wording;

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use superstep::{
    Category,
    store::{Store, StoreError},
};
use superstep_agent::Change;
use tokio::sync::Mutex;

use feedback::FeedbackItem;
pub use place::NotePlace;
pub(crate) use wording::Teacher;

/// Which note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// Which mail matters.
    Triage,
    /// How replies are written.
    Response,
    /// How meetings are made.
    Calendar,
}

impl Topic {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Triage, Self::Response, Self::Calendar];

    /// Its name in the store.
    pub fn label(self) -> &'static str {
        match self {
            Self::Triage => "triage_preferences",
            Self::Response => "response_preferences",
            Self::Calendar => "cal_preferences",
        }
    }

    pub(crate) fn default_text(self) -> &'static str {
        match self {
            Self::Triage => {
                "- Mail that asks me something directly needs an answer.\n\
                 - Requests for meetings need an answer.\n\
                 - Failures, deadlines and security notices are worth knowing.\n\
                 - Advertising and newsletters can be ignored."
            }
            Self::Response => {
                "- Short, friendly and to the point.\n\
                 - Answer every question of the mail.\n\
                 - Say so when something is not known yet."
            }
            Self::Calendar => {
                "- Meetings of 30 minutes are preferred; 15 minutes are fine too.\n\
                 - Meetings are within working hours."
            }
        }
    }
}

/// Why memory cannot be read or changed.
#[derive(Debug, thiserror::Error, superstep::Coded)]
#[non_exhaustive]
pub enum MemoryError {
    /// The store failed.
    #[error("the notes cannot be reached: {0}")]
    #[coded("SS7010", Unavailable, hint = "check the database; nothing was lost")]
    Store(#[from] StoreError),
    /// What is stored is no note.
    #[error("the note `{label}` is not what was stored: {why}")]
    #[coded(
        "SS7011",
        Conflict,
        hint = "put a text there, or delete it to begin anew"
    )]
    Malformed {
        /// Which.
        label: &'static str,
        /// What is wrong.
        why: String,
    },
    /// There is no such version.
    #[error("the note `{label}` has no version {number}")]
    #[coded("SS7012", NotFound, hint = "list its versions")]
    NoVersion {
        /// Which.
        label: &'static str,
        /// The version.
        number: u64,
    },
    /// It is as it was at first.
    #[error("the note `{label}` has no older version to go back to")]
    #[coded("SS7013", NotFound)]
    NothingToUndo {
        /// Which.
        label: &'static str,
    },
    /// A person's wording is not one of a note.
    #[error("the note `{label}` does not take that: {why}")]
    #[coded(
        "SS7023",
        InvalidInput,
        hint = "write some lines of text: at most 200 of 400 characters each"
    )]
    NotTaken {
        /// Which.
        label: &'static str,
        /// What is wrong.
        why: String,
    },
    /// Another process changed it at the same time.
    #[error("the note `{label}` was changed by another process meanwhile; nothing was overwritten")]
    #[coded(
        "SS2108",
        Conflict,
        hint = "look at its versions, then repeat the command"
    )]
    Changed {
        /// Which.
        label: &'static str,
    },
}

/// A note as it was at some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Counted from 1.
    pub number: u64,
    /// When it was written.
    pub at: Timestamp,
    /// Which act brought it about, in words.
    pub why: String,
    /// The note.
    pub text: String,
    /// The older version it brings back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restores: Option<u64>,
    /// The act, by a key that is equal on every attempt.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub act: String,
    /// The thread the act belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thread: String,
}

/// Which action of a person feedback comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeedbackId<'a> {
    /// Equal on every attempt.
    pub(crate) key: &'a str,
    pub(crate) thread: &'a str,
}

/// What came of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Learned {
    /// A new version.
    Changed,
    /// It taught nothing.
    Unchanged,
    /// What the model made of it was not taken.
    Refused(String),
}

/// The notes; cheap to clone.
#[derive(Clone)]
pub struct Memory {
    store: Arc<dyn Store>,
    /// Changes of this process come one after the other: each is of the note as it then is.
    turn: Arc<Mutex<()>>,
    is_read_only: bool,
}

impl Memory {
    /// The notes in a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            turn: Arc::default(),
            is_read_only: false,
        }
    }

    /// The same in another store, as a server has one for each owner. Changes of both come one after the other.
    #[must_use]
    pub fn on(&self, store: Arc<dyn Store>) -> Self {
        Self {
            store,
            ..self.clone()
        }
    }

    /// The notes in a store that is only read: reading a note writes nothing, and a note that was never
    /// written is what it would begin with.
    pub fn read_only(store: Arc<dyn Store>) -> Self {
        Self {
            is_read_only: true,
            ..Self::new(store)
        }
    }

    /// A note. The first look writes down what it begins with, unless the store is only read.
    pub async fn show(&self, topic: Topic) -> Result<String, MemoryError> {
        match stored::text(&*self.store, topic).await? {
            Some(text) => Ok(text),
            None => Ok(self.note(topic).await?.text),
        }
    }

    async fn note(&self, topic: Topic) -> Result<stored::Note, MemoryError> {
        match self.is_read_only {
            true => stored::look(&*self.store, topic).await,
            false => stored::read(&*self.store, topic).await,
        }
    }

    /// Every version of a note, the oldest first.
    pub async fn versions(&self, topic: Topic) -> Result<Vec<Version>, MemoryError> {
        Ok(self.note(topic).await?.versions)
    }

    /// What changed from one version to another, line by line.
    pub async fn diff(&self, topic: Topic, from: u64, to: u64) -> Result<Vec<Change>, MemoryError> {
        let versions = self.versions(topic).await?;
        let text = |number: u64| {
            let found = versions.iter().find(|version| version.number == number);
            let label = topic.label();
            found
                .map(|version| version.text.as_str())
                .ok_or(MemoryError::NoVersion { label, number })
        };
        Ok(Change::between(text(from)?, text(to)?))
    }

    /// Goes back to the version before, which becomes the newest. Undoing again goes back further.
    /// If another process changes the note meanwhile this is an error: what would be undone now is
    /// not what the person has seen.
    pub async fn undo(&self, topic: Topic) -> Result<Version, MemoryError> {
        let _turn = self.turn.lock().await;
        let note = stored::read(&*self.store, topic).await?;
        let label = topic.label();
        let nothing = || MemoryError::NothingToUndo { label };
        let newest = note.versions.last().ok_or_else(nothing)?;
        let shown = newest.restores.unwrap_or(newest.number);
        let mut older = note.versions.iter().rev();
        let target = older.find(|version| version.number < shown);
        let target = target.ok_or_else(nothing)?;
        let version = Version {
            restores: Some(target.restores.unwrap_or(target.number)),
            ..note.next(
                format!("undone: back to version {}", target.number),
                target.text.clone(),
            )
        };
        match stored::add(&*self.store, topic, &note, &version).await? {
            true => Ok(version),
            false => Err(MemoryError::Changed { label }),
        }
    }

    /// Writes a note in the words of a person, as its newest version. `seen` is the note that they changed: if it is
    /// another by now, nothing is written. The same words again are no new version.
    pub async fn write(
        &self,
        topic: Topic,
        text: &str,
        seen: Option<&str>,
    ) -> Result<Version, MemoryError> {
        let label = topic.label();
        let text = guard::plain(text).map_err(|why| MemoryError::NotTaken { label, why })?;
        let _turn = self.turn.lock().await;
        for _ in 0..ATTEMPTS {
            let note = stored::read(&*self.store, topic).await?;
            if seen.is_some_and(|seen| seen != note.text) {
                break;
            }
            if let (true, Some(newest)) = (note.text == text, note.versions.last()) {
                return Ok(newest.clone());
            }
            let version = note.next("written by hand".to_owned(), text.clone());
            if stored::add(&*self.store, topic, &note, &version).await? {
                return Ok(version);
            }
        }
        Err(MemoryError::Changed { label })
    }

    /// Lets a model word what acts of a person teach. The acts are known by a key: a second attempt
    /// changes nothing more. If another process changes the note while the model words it, the model
    /// is asked again, about the note as it is then.
    pub(crate) async fn learn(
        &self,
        topic: Topic,
        teacher: Teacher<'_>,
        from: FeedbackId<'_>,
        items: &[FeedbackItem],
    ) -> Result<Learned, MemoryError> {
        let _turn = self.turn.lock().await;
        let feedback_text: Vec<String> = items.iter().map(FeedbackItem::describe).collect();
        let feedback_text = feedback_text.join("\n\n");
        let material: Vec<String> = items.iter().map(FeedbackItem::material).collect();
        let material = material.join("\n\n").trim().to_owned();
        let why: Vec<String> = items.iter().map(FeedbackItem::title).collect();
        for _ in 0..ATTEMPTS {
            let note = stored::read(&*self.store, topic).await?;
            if note.versions.iter().any(|version| version.act == from.key) {
                return Ok(Learned::Changed);
            }
            let told = (feedback_text.as_str(), material.as_str());
            let wording = match teacher.worded(&note.text, told).await {
                Ok(wording) => wording,
                Err(why) => return Ok(Learned::Refused(why)),
            };
            let new = match guard::check(&note.text, &wording, told) {
                Ok(None) => return Ok(Learned::Unchanged),
                Ok(Some(new)) => new,
                Err(why) => return Ok(Learned::Refused(why)),
            };
            let version = Version {
                act: from.key.to_owned(),
                thread: from.thread.to_owned(),
                ..note.next(why.join("; "), new)
            };
            if stored::add(&*self.store, topic, &note, &version).await? {
                return Ok(Learned::Changed);
            }
        }
        Ok(Learned::Refused(format!(
            "other processes changed them {ATTEMPTS} times meanwhile; what you did was carried out"
        )))
    }
}

/// How often a change is made anew because another process changed the note meanwhile. Each time
/// that process has stored a change of its own, so several in a row are rare.
const ATTEMPTS: u32 = 8;
