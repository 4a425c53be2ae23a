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
    NoDatabase { path: String },
    /// A graph without a saver.
    #[error("there is no database")]
    NoSaver,
    /// A person has to answer.
    #[error("thread `{thread}` waits for an answer")]
    Waiting { thread: String },
    /// The graph pauses before or after a node.
    #[error("thread `{thread}` is paused, as its graph says")]
    Paused { thread: String },
    /// `db check` found something, and has named it.
    #[error("the database is damaged: {found}")]
    Damaged { found: String },
    /// It was printed already.
    #[error("failed")]
    Reported { exit: u8 },
    /// A trace cannot be sent.
    #[cfg(feature = "remote")]
    #[error(transparent)]
    Export(#[from] superstep::trace::export::ExportError),
    /// A trace was not taken.
    #[cfg(feature = "remote")]
    #[error("{dropped} runs did not arrive: {why}")]
    Unsent { dropped: u64, why: String },
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
        file: String,
        error: superstep::ArchiveError,
    },
    /// There is nothing to show.
    #[error("{what}")]
    Missing { what: String, hint: &'static str },
    /// A fork would do a second time what was done, or may have been.
    #[error(
        "a fork of thread `{thread}` at step {step} may do a second time what was done since: {effects}"
    )]
    Repeats {
        thread: String,
        step: String,
        effects: String,
    },
    /// An id names no open question.
    #[error(transparent)]
    Question(#[from] IdError),
    /// A check of `model test` failed.
    #[error("{failed} of {all} checks failed")]
    Checks { failed: usize, all: usize },
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
    "choose one: superstep setup; a key: superstep login, or set ANTHROPIC_API_KEY or OPENAI_API_KEY",
    "start a model server such as Ollama, or set OPENAI_BASE_URL to one",
    "download a small local model: superstep model pull",
];

/// How to make room on a full disk.
const MAKE_ROOM: &str = "`superstep threads delete NAME` needs little room, and `superstep db compact` returns what it freed; where other files took \
     even that, move one of them away first";

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
        self.facts().code
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        self.facts().exit
    }

    /// What to do about it.
    pub(crate) fn hints(&self) -> Vec<&'static str> {
        let full = matches!(self.saver(), Some(SaverError::Full(_)));
        let mut hints = self.facts().hints;
        hints.extend(full.then_some(MAKE_ROOM));
        hints
    }

    fn facts(&self) -> Facts {
        match self {
            Self::Model(error) => of_model(error),
            Self::NoModel => facts("SS5016", 3, WAYS_OUT),
            #[cfg(feature = "local")]
            Self::Weights(error) => {
                use superstep::local::weights::WeightsError;
                let is_name = matches!(error, WeightsError::Name { .. });
                facts(error.code(), 1 + u8::from(is_name), error.hint())
            }
            Self::Saver(error) => {
                let exit = match error {
                    SaverError::Busy { .. } | SaverError::Conflict { .. } => 6,
                    _ => 1,
                };
                let hint = match error {
                    SaverError::Corrupt(_) => Some(DAMAGED),
                    error => error.hint(),
                };
                let key = "the key is in the file that SUPERSTEP_DB_KEY_FILE names";
                let key = (error.code() == "SS2012").then_some(key);
                facts(error.code(), exit, hint.into_iter().chain(key))
            }
            Self::NoDatabase { .. } => {
                let hint = "run an agent first, or name a database with --db";
                facts("SS2015", 1, [hint])
            }
            Self::Run(error) => facts(error.code(), exit_of(error.code()), error.hint()),
            Self::Store(error) => facts(error.code(), 1, of_store(error)),
            Self::Agent(error) => {
                let error = error.get();
                facts(error.code(), error.exit(), error.hint())
            }
            Self::Server(error) => {
                let is_usage = matches!(error, superstep_server::ServerError::NoToken { .. });
                let token = "the token is what SUPERSTEP_TOKEN is set to";
                let token = (error.code() == "SS9002").then_some(token);
                let hints = error.hint().into_iter().chain(token);
                facts(error.code(), 1 + u8::from(is_usage), hints)
            }
            Self::File(error) => error.facts(),
            Self::Archive(error) | Self::ArchiveFile { error, .. } => {
                let hint = "export the thread again, or check which file it is";
                facts(error.code(), 1, [hint])
            }
            Self::Trust(error) => error.facts(),
            Self::Question(error) => error.facts(),
            #[cfg(feature = "remote")]
            Self::Export(error) => facts(error.code(), 2, None),
            #[cfg(feature = "remote")]
            Self::Unsent { .. } => facts("SS6054", 1, None),
            Self::Usage(_) => facts(USAGE, 2, None),
            Self::NoAccount => facts(
                "SS6051",
                2,
                [
                    "for a folder of .eml files: --folder DIR --owner ADDRESS",
                    "to keep it: superstep config set agents.mail.folder DIR, and agents.mail.owner ADDRESS",
                    "for Gmail or IMAP: `kind` in [agents.mail]; `superstep config init` makes a file to fill in",
                ],
            ),
            Self::Missing { hint, .. } => facts("SS6052", 1, [*hint]),
            Self::Checks { .. } => facts("SS6053", 1, None),
            Self::Cancelled => facts("SS6055", 130, None),
            Self::Io(_) => facts("SS6056", 1, None),
            Self::Build(_) | Self::NoSaver => {
                facts("SS6057", 1, ["report it: this is a mistake in superstep"])
            }
            Self::Repeats { .. } => facts(
                "SS6058",
                1,
                [
                    "if nobody knows whether it happened, say so first: `superstep threads show` names the command",
                    "or fork the thread as it is, without --at: the copy knows what was done",
                    "to fork there although it may be done again: --repeat",
                ],
            ),
            Self::Waiting { .. } => facts("SS6059", 3, [ANSWER]),
            Self::Paused { .. } => facts("SS6059", 3, None),
            Self::Damaged { .. } => facts("SS2005", 1, [RESTORE, SAVE]),
            Self::Reported { exit } => Facts {
                code: None,
                exit: *exit,
                hints: Vec::new(),
            },
            Self::Closed => Facts {
                code: None,
                exit: 0,
                hints: Vec::new(),
            },
        }
    }
}

/// What programs and people are told about an error besides its message.
pub(crate) struct Facts {
    code: Option<&'static str>,
    exit: u8,
    hints: Vec<&'static str>,
}

fn facts(code: &'static str, exit: u8, hints: impl IntoIterator<Item = &'static str>) -> Facts {
    Facts {
        code: Some(code),
        exit,
        hints: hints.into_iter().collect(),
    }
}

fn of_model(error: &ModelError) -> Facts {
    let exit = match error.kind() {
        ErrorKind::NoModel { .. } | ErrorKind::Untrusted { .. } => 3,
        ErrorKind::Auth { .. } => 4,
        ErrorKind::Budget { .. } => 5,
        ErrorKind::Settings { .. } | ErrorKind::Outside { .. } => 2,
        _ => 1,
    };
    match error.kind() {
        ErrorKind::NoModel { .. } => {
            let why = "`superstep model show` says why each source was not used";
            facts(error.code(), exit, WAYS_OUT.into_iter().chain([why]))
        }
        ErrorKind::Connect { host, .. } if host.ends_with(":11434") => {
            let hint = "is Ollama running? start it with `ollama serve`";
            facts(error.code(), exit, [hint])
        }
        _ => facts(error.code(), exit, error.hint()),
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
const DAMAGED: &str = "restore a backup if there is one; where the file still opens, `superstep db check` names all that is damaged";

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
