//! Errors of commands, with stable codes, hints and exit codes.

mod agent;
mod file;
mod question_id;
mod trust;

use superstep::{
    SaverError,
    model::{ErrorKind, ModelError},
    text::{reveal, single_line},
};
use superstep_agent::{AgentError, exit_of};

pub(crate) use agent::InFile;
pub(crate) use file::FileError;
pub(crate) use question_id::{AskedBy, IdError, IdErrorKind};
pub(crate) use trust::TrustError;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A model, a setting, or no model at all.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// No model; the sources were printed.
    #[error("there is no model")]
    NoModel,
    /// Weights could not be had.
    #[cfg(feature = "local")]
    #[error(transparent)]
    Weights(#[from] superstep::local::weights::WeightsError),
    /// The storage refused.
    #[error(transparent)]
    Saver(#[from] SaverError),
    /// A run failed; its thread is kept.
    #[error(transparent)]
    Run(#[from] superstep::Error),
    /// A graph of ours cannot be built.
    #[error(transparent)]
    Build(#[from] superstep::BuildErrors),
    /// The long-term store refused.
    #[error(transparent)]
    Store(#[from] superstep::store::StoreError),
    /// An agent cannot do something.
    #[error("{0}")]
    Agent(AgentError),
    /// The server cannot start, or stopped.
    #[error(transparent)]
    Server(#[from] superstep_server::ServerError),
    /// There is no mail to work on.
    #[error("there is no mail account")]
    NoAccount,
    /// There is no database to read.
    #[error("there is no database at {path}")]
    NoDatabase {
        /// Where it would be.
        path: String,
    },
    /// A graph without a saver.
    #[error("there is no database")]
    NoSaver,
    /// A person has to answer.
    #[error("thread `{thread}` waits for an answer")]
    Waiting {
        /// The thread.
        thread: String,
    },
    /// The graph pauses before or after a node.
    #[error("thread `{thread}` is paused, as its graph says")]
    Paused {
        /// The thread.
        thread: String,
    },
    /// `db check` found something, and has named it.
    #[error("the database is damaged: {found}")]
    Damaged {
        /// How much was found.
        found: String,
    },
    /// It was printed already.
    #[error("failed")]
    Reported {
        /// The exit code.
        exit: u8,
    },
    /// A trace cannot be sent.
    #[cfg(feature = "remote")]
    #[error(transparent)]
    Export(#[from] superstep::trace::export::ExportError),
    /// A trace was not taken.
    #[cfg(feature = "remote")]
    #[error("{dropped} runs did not arrive: {why}")]
    Unsent {
        /// How many.
        dropped: u64,
        /// The last error of the collector or the network.
        why: String,
    },
    /// Nothing was decided about a project's file.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// An archive of a thread cannot be read or written.
    #[error(transparent)]
    Archive(#[from] superstep::ArchiveError),
    /// A file is no archive of a thread.
    #[error("{file}: {error}")]
    ArchiveFile {
        /// The file.
        file: String,
        /// What is wrong with it.
        error: superstep::ArchiveError,
    },
    /// There is nothing to show.
    #[error("{what}")]
    Missing {
        /// What is missing.
        what: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// A fork would do a second time what was done, or may have been.
    #[error(
        "a fork of thread `{thread}` at step {step} may do a second time what was done since: {effects}"
    )]
    Repeats {
        /// The thread.
        thread: String,
        /// The step.
        step: String,
        /// What was done, or may have been.
        effects: String,
    },
    /// An id names no open question.
    #[error(transparent)]
    Question(#[from] IdError),
    /// A check of `model test` failed.
    #[error("{failed} of {all} checks failed")]
    Checks {
        /// How many.
        failed: usize,
        /// Of how many.
        all: usize,
    },
    /// Invalid use.
    #[error("{0}")]
    Usage(String),
    /// Ctrl-C.
    #[error("cancelled")]
    Cancelled,
    /// The reader of stdout has gone.
    #[error("the output was closed")]
    Closed,
    /// The system failed.
    #[error("{0}")]
    Io(std::io::Error),
}

/// The code of a command line that cannot be understood.
pub(crate) const USAGE: &str = "SS6050";

/// Hints for a missing model.
const WAYS_OUT: [&str; 3] = [
    "use a key: superstep login anthropic, or set ANTHROPIC_API_KEY or OPENAI_API_KEY",
    "start a model server such as Ollama, or set OPENAI_BASE_URL to one",
    "download a small local model: superstep model pull",
];

/// How to make room on a full disk.
const MAKE_ROOM: &str = "`superstep threads delete` works on a full disk, and `superstep db compact` returns what it freed";

impl Error {
    /// Whether there is no model.
    pub(crate) fn is_no_model(&self) -> bool {
        match self {
            Self::NoModel => true,
            Self::Model(error) => matches!(error.kind(), ErrorKind::NoModel { .. }),
            _ => false,
        }
    }

    /// The refusal of the storage, if that is why.
    pub(crate) fn saver(&self) -> Option<&SaverError> {
        let run = match self {
            Self::Saver(error) => return Some(error),
            Self::Run(error) => error,
            Self::Agent(error) => error.get().run()?,
            _ => return None,
        };
        match &*run.kind {
            superstep::ErrorKind::Saver(error) => Some(error),
            _ => None,
        }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        match self {
            Self::Model(error) => match error.kind() {
                ErrorKind::NoModel { .. } | ErrorKind::Untrusted { .. } => 3,
                ErrorKind::Auth { .. } => 4,
                ErrorKind::Budget { .. } => 5,
                ErrorKind::Settings { .. } | ErrorKind::Outside { .. } => 2,
                _ => 1,
            },
            #[cfg(feature = "local")]
            Self::Weights(error) => match error {
                superstep::local::weights::WeightsError::Name { .. } => 2,
                _ => 1,
            },
            Self::Usage(_) | Self::NoAccount => 2,
            Self::Saver(SaverError::Busy { .. } | SaverError::Conflict { .. }) => 6,
            Self::Saver(_)
            | Self::NoDatabase { .. }
            | Self::Missing { .. }
            | Self::Damaged { .. }
            | Self::Repeats { .. } => 1,
            Self::Run(error) => exit_of(error.code()),
            Self::Agent(error) => error.get().exit(),
            Self::Server(superstep_server::ServerError::NoToken { .. }) => 2,
            Self::Server(_) => 1,
            Self::Build(_) | Self::Store(_) | Self::NoSaver => 1,
            Self::Question(error) => error.exit(),
            Self::File(error) => error.exit(),
            Self::Archive(_) | Self::ArchiveFile { .. } => 1,
            Self::Waiting { .. } | Self::Paused { .. } => 3,
            Self::Trust(error) => error.exit(),
            Self::Reported { exit } => *exit,
            #[cfg(feature = "remote")]
            Self::Export(_) => 2,
            #[cfg(feature = "remote")]
            Self::Unsent { .. } => 1,
            Self::NoModel => 3,
            Self::Checks { .. } | Self::Io(_) => 1,
            Self::Cancelled => 130,
            Self::Closed => 0,
        }
    }

    /// The message, by line.
    pub(crate) fn lines(&self) -> Vec<String> {
        if let Self::Model(error) = self
            && let ErrorKind::NoModel { why } = error.kind()
        {
            // Every source that was considered is what `model show` is for.
            let first = match why.contains(": ") {
                true => "there is no model yet".to_owned(),
                false => format!("there is no model: {why}"),
            };
            return vec![first];
        }
        let text = match self {
            Self::Run(error) => of_run(error),
            Self::Agent(error) => match error.get().run() {
                Some(run) => of_run(run),
                None => error.to_string(),
            },
            // They have names of threads and files in them, which may have ends of lines.
            Self::Saver(_)
            | Self::Waiting { .. }
            | Self::Paused { .. }
            | Self::Repeats { .. }
            | Self::NoDatabase { .. }
            | Self::File(_) => single_line(&reveal(&self.to_string())),
            other => other.to_string(),
        };
        text.lines().map(str::to_owned).collect()
    }

    /// The stable code; what was reported had its own.
    pub(crate) fn code(&self) -> Option<&'static str> {
        match self {
            Self::Model(error) => Some(error.code()),
            Self::NoModel => Some("SS5016"),
            Self::Saver(error) => Some(error.code()),
            Self::NoDatabase { .. } => Some("SS2015"),
            Self::Run(error) => Some(error.code()),
            Self::Store(error) => Some(error.code()),
            Self::Agent(error) => Some(error.get().code()),
            Self::Server(error) => Some(error.code()),
            Self::File(error) => Some(error.code()),
            Self::Archive(error) | Self::ArchiveFile { error, .. } => Some(error.code()),
            Self::Trust(error) => Some(error.code()),
            Self::Question(error) => Some(error.code()),
            #[cfg(feature = "remote")]
            Self::Export(error) => Some(error.code()),
            #[cfg(feature = "local")]
            Self::Weights(error) => Some(error.code()),
            Self::Usage(_) => Some(USAGE),
            Self::NoAccount => Some("SS6051"),
            Self::Missing { .. } => Some("SS6052"),
            Self::Checks { .. } => Some("SS6053"),
            #[cfg(feature = "remote")]
            Self::Unsent { .. } => Some("SS6054"),
            Self::Cancelled => Some("SS6055"),
            Self::Io(_) => Some("SS6056"),
            Self::Build(_) | Self::NoSaver => Some("SS6057"),
            Self::Repeats { .. } => Some("SS6058"),
            Self::Waiting { .. } | Self::Paused { .. } => Some("SS6059"),
            Self::Damaged { .. } => Some("SS2005"),
            Self::Reported { .. } | Self::Closed => None,
        }
    }

    /// What to do about it.
    pub(crate) fn hints(&self) -> Vec<&'static str> {
        let full = matches!(self.saver(), Some(SaverError::Full(_)));
        let mut hints = self.own_hints();
        hints.extend(full.then_some(MAKE_ROOM));
        hints
    }

    fn own_hints(&self) -> Vec<&'static str> {
        match self {
            Self::NoModel => WAYS_OUT.to_vec(),
            Self::NoDatabase { .. } => vec!["run an agent first, or name a database with --db"],
            Self::Saver(SaverError::Corrupt(_)) => vec![DAMAGED],
            Self::Damaged { .. } => vec![RESTORE, SAVE],
            Self::Waiting { .. } => vec![ANSWER],
            Self::Saver(error) => {
                let key = "the key is in the file that SUPERSTEP_DB_KEY_FILE names";
                let key = (error.code() == "SS2012").then_some(key);
                error.hint().into_iter().chain(key).collect()
            }
            Self::Store(error) => of_store(error),
            Self::Run(error) => error.hint().into_iter().collect(),
            Self::Agent(error) => error.get().hint().into_iter().collect(),
            Self::Server(error) => {
                let token = "the token is what SUPERSTEP_TOKEN is set to";
                let token = (error.code() == "SS9002").then_some(token);
                error.hint().into_iter().chain(token).collect()
            }
            Self::File(error) => vec![error.hint()],
            Self::Archive(_) | Self::ArchiveFile { .. } => {
                vec!["export the thread again, or check which file it is"]
            }
            Self::Trust(error) => error.hints(),
            Self::Missing { hint, .. } => vec![hint],
            Self::Repeats { .. } => vec![
                "if nobody knows whether it happened, say so first: `superstep threads show` names the command",
                "or fork the thread as it is, without --at: the copy knows what was done",
                "to fork there although it may be done again: --repeat",
            ],
            Self::Question(error) => vec![error.hint()],
            Self::Build(_) | Self::NoSaver => vec!["report it: this is a mistake in superstep"],
            Self::NoAccount => vec![
                "for a folder of .eml files: --folder DIR --owner ADDRESS",
                "to keep it: superstep config set agents.mail.folder DIR, and agents.mail.owner ADDRESS",
                "for Gmail or IMAP: `kind` in [agents.mail]; `superstep config init` makes a file to fill in",
            ],
            Self::Model(error) => match error.kind() {
                ErrorKind::NoModel { .. } => {
                    let why = "`superstep model show` says why each source was not used";
                    WAYS_OUT.into_iter().chain([why]).collect()
                }
                ErrorKind::Connect { host, .. } if host.ends_with(":11434") => {
                    vec!["is Ollama running? start it with `ollama serve`"]
                }
                _ => error.hint().into_iter().collect(),
            },
            #[cfg(feature = "local")]
            Self::Weights(error) => error.hint().into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// The message of a run that failed. The code and the thread are printed anyway.
fn of_run(error: &superstep::Error) -> String {
    match &*error.kind {
        superstep::ErrorKind::Failed(failure) => {
            // That of a graph within a graph has the code in front.
            let code = format!("[{}] ", error.code());
            let message = failure.message.as_str();
            message.strip_prefix(&code).unwrap_or(message).to_owned()
        }
        other => single_line(&other.to_string()),
    }
}

/// What to do about damage.
const DAMAGED: &str =
    "restore a backup if there is one; `superstep db check` names all that is damaged";

/// The same, for whom the damage was named to.
const RESTORE: &str =
    "restore a backup if there is one: put the file that `superstep db backup` wrote in its place";
const SAVE: &str = "threads that can be read are saved with `superstep threads export`";

/// What to do about an open question, where the command that does it was not printed.
const ANSWER: &str = "`superstep threads show` shows the question, and the command that answers it";

/// The hint of the storage below, which knows what failed.
fn of_store(error: &superstep::store::StoreError) -> Vec<&'static str> {
    use std::error::Error as _;
    let below = error
        .source()
        .and_then(|it| it.downcast_ref::<SaverError>());
    match below {
        Some(SaverError::Corrupt(_)) => vec![DAMAGED],
        Some(below) => below.hint().into_iter().collect(),
        None if matches!(error, superstep::store::StoreError::Embedding { .. }) => vec![
            "for the embedder `local`: superstep model pull minilm",
            "without --embedder the words of the query are looked for",
        ],
        None => error.hint().into_iter().collect(),
    }
}

impl<E: std::fmt::Display> From<superstep::NewError<E>> for Error
where
    Self: From<E>,
{
    fn from(error: superstep::NewError<E>) -> Self {
        match error {
            superstep::NewError::Settings(error) => error.into(),
            superstep::NewError::Graph(errors) => Self::Build(errors),
            other => Self::Usage(other.to_string()),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Io(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ollama_that_is_off_is_told_with_how_to_start_it() {
        let kind = ErrorKind::Connect {
            host: "127.0.0.1:11434".into(),
            message: "refused".into(),
        };
        let error = Error::from(ModelError::from(kind));
        let hints = error.hints();
        assert_eq!(hints, ["is Ollama running? start it with `ollama serve`"]);
    }
}
