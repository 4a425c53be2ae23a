//! Everything that can go wrong in a run, with stable codes.
//!
//! An [`Error`] has what happened ([`ErrorKind`]) and where ([`ErrorLocation`]). Codes are listed in
//! `docs/errors.md`; `category` is what kinds of faults there are, and `json` is the JSON form. Build mistakes have their own type, [`crate::plan::BuildError`].

mod category;
mod display;
mod json;
mod panics;
mod storage;

use std::{error::Error as StdError, fmt, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    ask::Ask,
    id::{AskId, CheckpointId, RunId, ThreadId},
    past::Repeated,
};

pub use category::Category;
pub use panics::panic_message;
pub use storage::SaverError;

/// A failed run, update or read.
///
/// ```
/// use superstep_core::error::{Error, ErrorKind};
///
/// let error = Error::from(ErrorKind::NoSaver);
/// assert_eq!(error.code(), "SS1107");
/// assert!(matches!(*error.kind, ErrorKind::NoSaver));
/// println!("{error}; {}", error.hint().unwrap_or_default());
/// ```
#[derive(Clone)]
pub struct Error {
    /// What happened.
    pub kind: Box<ErrorKind>,
    /// Where it happened.
    pub place: ErrorLocation,
}

/// Where in a run an error arose; as much as is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorLocation {
    /// The thread.
    pub thread: Option<ThreadId>,
    /// The node.
    pub node: Option<Arc<str>>,
    /// The step.
    pub step: Option<i64>,
}

/// A node, reducer or router failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// A short name of the error's class; retry policies match on it.
    pub kind: Arc<str>,
    /// Its message.
    pub message: String,
    /// Whether trying again may help; the default retry rule.
    pub transient: bool,
    /// The code of the layer it comes from, while the process lives.
    pub coded: Option<Box<Coded>>,
    /// The original error, while the process lives.
    pub source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// The stable code of an error of a layer above the engine.
///
/// An error type that gives one as its `source` keeps its code, its hint and whether a retry may
/// help when it becomes a [`Failure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coded {
    /// The code.
    pub code: &'static str,
    /// What kind of fault it is.
    pub category: Category,
    /// What to do about it, where there is something to say.
    pub hint: Option<&'static str>,
    /// Whether trying again may help.
    pub transient: bool,
}

impl Coded {
    /// The failure of a run that stops with an error of this code.
    pub fn failure(self, kind: impl Into<Arc<str>>, message: impl Into<String>) -> Failure {
        Failure {
            transient: self.transient,
            coded: Some(Box::new(self)),
            ..Failure::new(kind, message)
        }
    }
}

impl fmt::Display for Coded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hint {
            Some(hint) => write!(f, "{}: {hint}", self.code),
            None => f.write_str(self.code),
        }
    }
}

impl StdError for Coded {}

impl Failure {
    /// The stable code: of the error it was made of, if that has one.
    pub fn code(&self) -> &'static str {
        self.coded.as_ref().map_or("SS1001", |coded| coded.code)
    }

    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&'static str> {
        self.coded.as_ref().and_then(|coded| coded.hint)
    }

    /// What kind of fault it is: the program's own, unless the error it was made of says it.
    pub fn category(&self) -> Category {
        let coded = self.coded.as_ref();
        coded.map_or(Category::Internal, |coded| coded.category)
    }

    /// A failure with a class and a message, worth retrying.
    pub fn new(kind: impl Into<Arc<str>>, message: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            message: message.into(),
            transient: true,
            coded: None,
            source: None,
        }
    }

    /// Marks the failure as permanent: trying again will not help.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.transient = false;
        self
    }
}

impl PartialEq for Failure {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.message == other.message
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::of::<E>(Box::new(error))
    }
}

impl Failure {
    /// The failure that an error is which was of the type `E` before it was boxed. Text and boxes,
    /// whose types say nothing, are of the kind `Error`.
    pub fn of<E>(error: Box<dyn StdError + Send + Sync>) -> Self {
        let full = std::any::type_name::<E>();
        let bare = full.split('<').next().unwrap_or(full);
        let kind = match bare.rsplit("::").next().unwrap_or(bare) {
            "Box" | "Cow" | "String" | "&str" => "Error",
            kind => kind,
        };
        let message = error.to_string();
        let coded = error.source().and_then(|source| source.downcast_ref());
        let coded: Option<Coded> = coded.copied();
        Self {
            transient: coded.is_none_or(|coded| coded.transient),
            coded: coded.map(Box::new),
            source: Some(error.into()),
            ..Self::new(kind, message)
        }
    }
}

/// Which of a node's limits ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limit {
    /// The whole attempt took too long.
    Run,
    /// Nothing was heard from the attempt for too long.
    Idle,
}

/// Why an answer did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmatched {
    /// An answered or unknown id.
    NotPending,
    /// A map without ids.
    EmptyMap,
    /// One plain answer for several questions.
    Ambiguous,
}

/// What happened.
///
/// ```
/// use superstep_core::error::{Error, ErrorKind};
///
/// fn worth_a_retry(error: &Error) -> bool {
///     match &*error.kind {
///         ErrorKind::TimedOut { .. } => true,
///         ErrorKind::Failed(failure) => failure.transient,
///         _ => false,
///     }
/// }
/// # assert!(!worth_a_retry(&ErrorKind::NoSaver.into()));
/// ```
#[derive(Clone, Debug, superstep_coded::Coded)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A node failed, after all retries and without a handler.
    #[coded(transparent)]
    Failed(Failure),
    /// A node panicked.
    #[coded("SS1002", Internal)]
    Panicked {
        /// The panic message.
        message: String,
    },
    /// A node ran past a limit.
    #[coded("SS1003", TimedOut)]
    TimedOut {
        /// Which limit.
        limit: Limit,
        /// How long it was.
        after: Duration,
    },
    /// A node returned something that is not an update.
    #[coded(
        "SS1004",
        Internal,
        hint = "return an object of channel values, a Command, or nothing"
    )]
    BadReturn {
        /// What it returned.
        got: String,
    },
    /// Two tasks of one step wrote a channel that takes one write.
    #[coded(
        "SS1005",
        Internal,
        hint = "give the channel a reducer, or let one task write it"
    )]
    Conflict {
        /// The channel.
        channel: Arc<str>,
        /// The nodes that wrote it, where they are known.
        by: Vec<Arc<str>>,
    },
    /// Two tasks of one step overwrote the same channel.
    #[coded(
        "SS1006",
        Internal,
        hint = "let one task of a step overwrite the channel"
    )]
    DoubleOverwrite {
        /// The channel.
        channel: Arc<str>,
        /// The nodes that wrote it, where they are known.
        by: Vec<Arc<str>>,
    },
    /// A reducer failed.
    #[coded("SS1007", Internal)]
    Reduce {
        /// The channel.
        channel: Arc<str>,
        /// The nodes that wrote it, where they are known.
        by: Vec<Arc<str>>,
        /// The reducer's message.
        failure: Failure,
    },
    /// A router returned a value its map does not have.
    #[coded("SS1008", Internal, hint = "add the result to the router's map")]
    RouteMissing {
        /// What it returned.
        result: String,
    },
    /// A router returned nothing usable.
    #[coded("SS1009", Internal, hint = "return a node name, a Send, or the end")]
    RouteInvalid,
    /// A send to the end of the graph.
    #[coded("SS1010", Internal, hint = "send to a node; the end runs nothing")]
    SendToEnd,
    /// A node asked a question, ignored that it has no answer, and went on.
    #[coded("SS1011", Internal, hint = "pass the error of `ask` on with `?`")]
    SwallowedAsk,
    /// A command for the parent graph in a graph without one.
    #[coded(
        "SS1012",
        Internal,
        hint = "use a command for the parent only inside a subgraph"
    )]
    NoParent,
    /// Stored or returned data does not have the type the graph expects.
    #[coded("SS1013", InvalidInput)]
    Decode {
        /// The channel, input or answer.
        what: String,
        /// The decoder's message.
        why: String,
    },
    /// A node went to a node it had not declared.
    #[coded(
        "SS1014",
        Internal,
        hint = "declare it with `may_goto`, `may_send` or `route`"
    )]
    Undeclared {
        /// Where it went.
        target: String,
    },
    /// An answer does not have the type its question asks for; the question stays open.
    #[coded(
        "SS1015",
        InvalidInput,
        hint = "read what is asked now and answer that; if the words of a question differ on every attempt, `#[ask(about = …)]` \
                names what an answer is for"
    )]
    BadAnswer {
        /// The kind of question.
        kind: String,
        /// The decoder's message.
        why: String,
        /// The question as it is asked now; it may have changed since it was stored.
        asked: Option<Box<Ask>>,
    },
    /// A run without input on a thread with nothing to continue.
    #[coded(
        "SS1101",
        InvalidInput,
        hint = "give an input, or name a thread that has work left"
    )]
    EmptyInput,
    /// The step limit ran out; the thread can be continued.
    #[coded(
        "SS1102",
        Exhausted,
        hint = "continue the thread without input, or raise the limit"
    )]
    StepLimit {
        /// The limit.
        limit: u64,
    },
    /// The run was asked to stop between steps; the thread can be continued.
    #[coded("SS1103", Unavailable, hint = "continue the thread without input")]
    Drained {
        /// Why.
        reason: String,
    },
    /// One plain answer, several open questions.
    #[coded("SS1104", InvalidInput, hint = "answer by ask id")]
    AmbiguousResume {
        /// The open questions.
        pending: Vec<AskId>,
    },
    /// Strict resume: the answer matches no open question.
    #[coded(
        "SS1105",
        Conflict,
        hint = "read the thread's open questions and answer one of them"
    )]
    UnknownAsk {
        /// In which way.
        reason: Unmatched,
        /// The open questions.
        pending: Vec<AskId>,
    },
    /// The time for an answer to a question is over.
    #[coded(
        "SS1124",
        Conflict,
        hint = "the thread continues without the answer; read what it asks now"
    )]
    AskExpired {
        /// The question.
        id: AskId,
    },
    /// Strict input: it names something that the graph does not take.
    #[coded(
        "SS1120",
        InvalidInput,
        hint = "spell it as one of the graph's channels"
    )]
    UnknownKeys {
        /// The input, or which node.
        of: String,
        /// What it names.
        names: Vec<String>,
    },
    /// New input on a thread with open questions, by a run that must not drop them.
    #[coded(
        "SS1121",
        Conflict,
        hint = "answer the open questions, or give the input without `keep_asks`"
    )]
    OpenAsks {
        /// The open questions.
        pending: Vec<AskId>,
    },
    /// Input or an edit from outside the graph for fields that only its nodes write.
    #[coded(
        "SS1122",
        InvalidInput,
        hint = "leave these fields out; only nodes of the graph write them"
    )]
    SealedFields {
        /// Their names.
        names: Vec<String>,
    },
    /// A run that continues another one and brings no context, while the context of that run could not be stored.
    #[coded(
        "SS1123",
        InvalidInput,
        hint = "bring the context again: `graph.with_context(…)` before `answer` or `resume`"
    )]
    ContextUnstored {
        /// The run that had the context.
        run: RunId,
    },
    /// An answer for a graph that stores nothing.
    #[coded("SS1106", InvalidInput, hint = "give the graph a saver")]
    ResumeWithoutSaver,
    /// An operation that needs a saver on a graph without one.
    #[coded("SS1107", Internal, hint = "give the graph a saver")]
    NoSaver,
    /// A node, channel or graph that does not exist.
    #[coded("SS1108", NotFound)]
    Unknown {
        /// What kind of thing.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// An update without a node to act as, where several could be meant.
    #[coded("SS1109", InvalidInput, hint = "say which node the update acts as")]
    AmbiguousUpdate,
    /// An update that makes no sense.
    #[coded("SS1110", InvalidInput)]
    BadUpdate {
        /// Why.
        why: String,
    },
    /// An argument that makes no sense.
    #[coded("SS1111", InvalidInput)]
    BadArgument {
        /// Why.
        why: String,
    },
    /// No such checkpoint on the thread.
    #[coded("SS1112", NotFound)]
    UnknownCheckpoint {
        /// The id asked for.
        id: CheckpointId,
    },
    /// Somebody cancelled the run.
    #[coded(
        "SS1113",
        Conflict,
        hint = "resume the thread to continue from its last step"
    )]
    Cancelled {
        /// Why.
        reason: String,
    },
    /// The run had not ended at its deadline.
    #[coded(
        "SS1114",
        TimedOut,
        hint = "resume the thread with a later deadline, or with none"
    )]
    DeadlinePassed,
    /// The thread was written by another version of the state and no migration leads here.
    #[coded(
        "SS1201",
        Conflict,
        hint = "raise the version and declare how to get there: `#[state(version = 2, migrate(1 => state), \
                migrate_update(1 => update))]`; the first returns all fields, the second those that an update has"
    )]
    Version {
        /// What was found and what is needed.
        why: String,
    },
    /// The thread is about to run nodes that the graph no longer has.
    #[coded(
        "SS1203",
        Conflict,
        hint = "keep a node until no thread waits for it, or fork the thread before it"
    )]
    LostNodes {
        /// Their names.
        nodes: Vec<Arc<str>>,
    },
    /// The thread belongs to another graph.
    #[coded(
        "SS1204",
        Conflict,
        hint = "use that graph; if this one was renamed, build it with `formerly` and the old name"
    )]
    ForeignThread {
        /// The graph it belongs to.
        of: Arc<str>,
        /// The graph that read it.
        graph: Arc<str>,
    },
    /// An effect was started and its outcome is unknown.
    #[coded(
        "SS1202",
        Conflict,
        hint = "find out whether the effect happened, then settle it"
    )]
    UnknownOutcome {
        /// The effect's key.
        key: String,
        /// The effect's message, if this run started it.
        cause: Option<String>,
    },
    /// What goes back to an earlier checkpoint would repeat effects, or what continues would forget one of which
    /// nobody knows whether it happened.
    #[coded(
        "SS1205",
        Conflict,
        hint = "settle what nobody knows: resume the thread and answer what it asks; to continue all the same, say so \
                with the checkpoint: `CheckpointRef::repeating`, over HTTP `repeat_effects`"
    )]
    RepeatsEffects {
        /// Those that happened or may have.
        effects: Vec<Repeated>,
    },
    /// Several tasks have an effect with this key whose outcome is unknown.
    #[coded(
        "SS1206",
        Conflict,
        hint = "list them with `unknown_effects`, and settle each by what is listed"
    )]
    SeveralEffects {
        /// The key.
        key: String,
        /// How many.
        count: usize,
    },
    /// A task named two effects by one key.
    #[coded(
        "SS3050",
        Internal,
        hint = "give every effect of a task a key of its own"
    )]
    EffectKeyReused {
        /// The key.
        key: String,
    },
    /// The context of a task was used after the attempt it belongs to had ended.
    #[coded(
        "SS3051",
        Internal,
        hint = "await all that uses the context before the node returns"
    )]
    TaskEnded,
    /// A graph with one history in its thread was run by several tasks of a step, or several times by one.
    #[coded(
        "SS3052",
        Internal,
        hint = "run it once in each step, or build it with `Persist::PerCall`: then each run of it has a history of its own"
    )]
    SharedHistory {
        /// Where the graph is.
        position: String,
    },
    /// A graph that stores nothing of itself wants an effect to happen once.
    #[coded(
        "SS3053",
        Internal,
        hint = "build the graph with `Persist::PerCall`, or make the effect in the node that runs it"
    )]
    EffectNotKept {
        /// The key.
        key: String,
    },
    /// A node asked a question inside an effect, which cannot be left and entered again.
    #[coded(
        "SS3054",
        Internal,
        hint = "ask before the effect, and let it act on the answer; its outcome is unknown until it is settled"
    )]
    AskInEffect {
        /// The key of the effect.
        key: String,
    },
    /// The saver refused.
    #[coded(transparent)]
    Saver(SaverError),
}

impl Error {
    /// What kind of fault it is.
    pub fn category(&self) -> Category {
        self.kind.category()
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        self.kind.hint()
    }

    /// Names the node, unless one is named already.
    #[must_use]
    pub fn at_node(mut self, node: &Arc<str>) -> Self {
        self.place.node.get_or_insert_with(|| node.clone());
        self
    }

    /// Names the step, unless one is named already.
    #[must_use]
    pub fn at_step(mut self, step: i64) -> Self {
        self.place.step.get_or_insert(step);
        self
    }

    /// Names the thread, unless one is named already.
    #[must_use]
    pub fn at_thread(mut self, thread: Option<&ThreadId>) -> Self {
        if self.place.thread.is_none() {
            self.place.thread = thread.cloned();
        }
        self
    }

    /// Whether the default retry rule tries again after this error.
    pub fn is_transient(&self) -> bool {
        match &*self.kind {
            ErrorKind::Failed(failure) => failure.transient,
            ErrorKind::TimedOut { .. } => true,
            _ => false,
        }
    }

    /// Whether an answer does not fit its question, which stays open (SS1015).
    pub fn is_answer_misfit(&self) -> bool {
        matches!(*self.kind, ErrorKind::BadAnswer { .. })
    }

    /// Whether an answer was not taken: its question is no longer open (SS1105), or another run has the thread (SS2001).
    ///
    /// ```
    /// use superstep_core::error::{Error, SaverError};
    ///
    /// let busy = Error::from(SaverError::Busy { thread: "t".into() });
    /// assert!(busy.is_answer_not_taken() && !busy.is_answer_misfit());
    /// ```
    pub fn is_answer_not_taken(&self) -> bool {
        matches!(
            *self.kind,
            ErrorKind::UnknownAsk { .. } | ErrorKind::Saver(SaverError::Busy { .. })
        )
    }

    /// The class a retry policy matches on.
    pub fn class(&self) -> &str {
        match &*self.kind {
            ErrorKind::Failed(failure) | ErrorKind::Reduce { failure, .. } => &failure.kind,
            ErrorKind::TimedOut { .. } => "NodeTimeout",
            ErrorKind::Panicked { .. } => "Panic",
            other => other.code(),
        }
    }
}

impl ErrorKind {
    /// Names the nodes whose writes of a channel do not go together.
    pub(crate) fn name_writers(&mut self, writers: impl FnOnce(&str) -> Vec<Arc<str>>) {
        if let Self::Conflict { channel, by }
        | Self::DoubleOverwrite { channel, by }
        | Self::Reduce { channel, by, .. } = self
        {
            *by = writers(channel);
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self {
            kind: Box::new(kind),
            place: ErrorLocation::default(),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        ErrorKind::Failed(failure).into()
    }
}

impl From<SaverError> for Error {
    fn from(error: SaverError) -> Self {
        ErrorKind::Saver(error).into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code(), self.kind)?;
        let ErrorLocation { thread, node, step } = &self.place;
        if let Some(node) = node {
            write!(f, " (node `{node}`")?;
        }
        match (node.is_some(), step) {
            (true, Some(step)) => write!(f, ", step {step}")?,
            (false, Some(step)) => write!(f, " (step {step}")?,
            _ => {}
        }
        match (node.is_some() || step.is_some(), thread) {
            (true, Some(thread)) => write!(f, ", thread `{thread}`)"),
            (true, None) => f.write_str(")"),
            (false, Some(thread)) => write!(f, " (thread `{thread}`)"),
            (false, None) => Ok(()),
        }
    }
}

/// What a person should see when a program ends with this error: message, code, place, hint.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        match self.hint() {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &*self.kind {
            ErrorKind::Failed(failure) => failure.source.as_ref().map(|e| &**e as &dyn StdError),
            ErrorKind::Saver(error) => Some(error),
            _ => None,
        }
    }
}
