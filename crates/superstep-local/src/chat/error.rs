//! Errors of the embedded model.

use std::path::PathBuf;

use superstep_model::{ErrorKind, ModelError};

use super::gguf::FileError;

/// Why the embedded model cannot be used, or did not answer a call.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The weights cannot be read.
    #[error("cannot read {path}: {why}")]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// The weights are not a model that can be used.
    #[error("{path}: {error}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        error: FileError,
    },
    /// There is not enough memory for the model.
    #[error("the model needs {needed} MB of memory and {free} MB are free")]
    Memory {
        /// What it needs, in megabytes.
        needed: u64,
        /// What there is, in megabytes.
        free: u64,
    },
    /// The conversation and the reply do not fit the context.
    #[error("{prompt} tokens of conversation and {reply} of reply are more than {context}")]
    TooLong {
        /// Tokens of the conversation.
        prompt: usize,
        /// Tokens the reply may have.
        reply: usize,
        /// Tokens there is room for.
        context: usize,
    },
    /// A schema that cannot be made a grammar.
    #[error("the schema cannot be used: {0}")]
    Schema(String),
    /// The grammar gave up in the middle of a reply.
    #[error("the grammar failed: {0}")]
    Grammar(String),
    /// A tool must be called, and there is none of that name.
    #[error("a tool must be called, but it is not among the tools")]
    NoTool,
    /// The model's template does not take the conversation.
    #[error("the conversation does not fit the model's template: {0}")]
    Template(String),
    /// The model's template took more steps or wrote more than any conversation needs.
    #[error("the chat template was stopped: {0}")]
    Runaway(String),
    /// The request has something in it that the model does not understand.
    #[error("the model does not understand {0}")]
    Unable(&'static str),
    /// Too many calls are waiting.
    #[error("{0} calls are waiting already")]
    Busy(usize),
    /// The thread that computes could not be started or has ended.
    #[error("the model's thread is gone: {0}")]
    Gone(String),
}

impl ChatError {
    /// As an error of a call to `model`.
    pub(super) fn of_call(self, model: &str) -> ModelError {
        let message = self.to_string();
        match self {
            Self::TooLong { .. } => ErrorKind::TooLong { message },
            Self::Busy(_) => ErrorKind::Limited {
                message,
                after: None,
            },
            Self::Unable(what) => ErrorKind::Unable {
                model: model.to_owned(),
                what: format!("understand {what}"),
            },
            Self::Runaway(why) => ErrorKind::Template {
                model: model.to_owned(),
                why,
            },
            Self::Schema(_) | Self::NoTool | Self::Template(_) => ErrorKind::Unable {
                model: model.to_owned(),
                what: format!("answer: {message}"),
            },
            _ => ErrorKind::Local { why: message },
        }
        .into()
    }
}
