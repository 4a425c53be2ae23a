//! Spans: pieces of a task's work, such as the call of a model or a tool.
//!
//! A span is emitted twice, when it starts and when it ends; one without an end was cut short. Whoever reads
//! a log makes a tree of spans, tasks and graphs of it. What is in a span went through
//! `superstep_text::Privacy` before anybody saw it.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    id::{ParseIdError, TaskId, text},
    value::Value,
};

/// Names a span within its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpanId(pub u64);

/// Text where people or scripts read it, 8 bytes elsewhere.
impl Serialize for SpanId {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        if out.is_human_readable() {
            return out.collect_str(self);
        }
        out.serialize_newtype_struct("SpanId", &self.0)
    }
}

impl<'de> Deserialize<'de> for SpanId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text::read(from, |text| {
            let id = u64::from_str_radix(text, 16).ok();
            let id = id.filter(|_| text.len() == 16);
            id.ok_or_else(|| ParseIdError(text.to_owned()))
        })
        .map(Self)
    }
}

impl SpanId {
    /// The `n`-th span of an attempt of a task, in the run of that lease.
    pub fn of(task: TaskId, epoch: u64, attempt: u32, n: u32) -> Self {
        let mut bytes = Vec::with_capacity(32);
        bytes.extend_from_slice(&task.0.to_be_bytes());
        bytes.extend_from_slice(&epoch.to_be_bytes());
        bytes.extend_from_slice(&attempt.to_be_bytes());
        bytes.extend_from_slice(&n.to_be_bytes());
        // Zero means no span to those who get traces.
        Self(xxh3_64(&bytes).max(1))
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A piece of a task's work, as it starts or as it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// The same at its start and at its end.
    pub id: SpanId,
    /// The span of the same task it is part of; without one it is part of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SpanId>,
    /// The task.
    pub task: TaskId,
    /// Its node.
    pub node: Arc<str>,
    /// Which attempt of the task, from 1.
    pub attempt: u32,
    /// What is done.
    pub kind: SpanKind,
    /// The model, the tool, or what else it is called.
    pub name: Arc<str>,
    /// Where in its life it is.
    pub phase: SpanPhase,
}

/// What a span does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SpanKind {
    /// Calls a model.
    Model,
    /// Runs a tool.
    Tool,
    /// Looks something up.
    Retriever,
    /// Makes data of text.
    Parser,
    /// Makes a prompt.
    Prompt,
    /// Any other piece of work.
    Chain,
    /// A whole attempt of a task, emitted by the run when it failed and is tried again.
    Attempt,
    /// The run had the result of a task, from its cache or from an earlier run: it did not run.
    Reuse,
}

impl SpanKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Retriever => "retriever",
            Self::Parser => "parser",
            Self::Prompt => "prompt",
            Self::Chain => "chain",
            Self::Attempt => "attempt",
            Self::Reuse => "reuse",
        }
    }
}

/// Where in its life a span is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SpanPhase {
    /// It starts.
    Started(SpanStart),
    /// It has ended; well, if there is no error.
    Ended(SpanEnd),
}

/// What is known when a span starts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanStart {
    /// What it works on.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub inputs: Value,
    /// What is known about it so far.
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    pub facts: Facts,
}

impl<T: Into<Value>> From<T> for SpanStart {
    fn from(inputs: T) -> Self {
        Self {
            inputs: inputs.into(),
            facts: Facts::default(),
        }
    }
}

/// What is known when a span ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpanEnd {
    /// What came of it; what there is of it, if it failed.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub outputs: Value,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<SpanError>,
    /// What is known about it; it adds to what was known at the start.
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    pub facts: Facts,
}

impl<T: Into<Value>> From<T> for SpanEnd {
    fn from(outputs: T) -> Self {
        Self {
            outputs: outputs.into(),
            ..Self::default()
        }
    }
}

impl From<SpanError> for SpanEnd {
    fn from(error: SpanError) -> Self {
        Self {
            error: Some(error),
            ..Self::default()
        }
    }
}

/// Why a span failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanError {
    /// A stable code, or the class of the error.
    pub code: Arc<str>,
    /// Its message.
    pub message: String,
}

impl SpanError {
    /// An error of that code.
    pub fn new(code: impl Into<Arc<str>>, message: impl fmt::Display) -> Self {
        Self {
            code: code.into(),
            message: message.to_string(),
        }
    }
}

/// What is known about a span besides what went in and came out. All of it may be unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Who was asked, such as `openai`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Arc<str>>,
    /// The model that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_asked: Option<Arc<str>>,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_answered: Option<Arc<str>>,
    /// The hash of the model's weights, where they are at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_hash: Option<Arc<str>>,
    /// Tokens that went in, cached ones too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Those of them that were cached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Tokens that came out, those of reasoning too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Those of them that were reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// What it cost, in millionths of a dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// The date of the prices the cost was worked out with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<Arc<str>>,
    /// Why the model stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<Arc<str>>,
    /// How many requests it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// How long the first token took, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_token: Option<u64>,
    /// Anything else that is short.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<Arc<str>, Arc<str>>,
}

impl Facts {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what is known later, which wins.
    pub fn absorb(&mut self, later: Self) {
        let Self {
            provider,
            model_asked,
            model_answered,
            model_hash,
            input_tokens,
            cached_tokens,
            output_tokens,
            reasoning_tokens,
            cost,
            prices,
            finish,
            attempts,
            first_token,
            labels,
        } = later;
        self.labels.extend(labels);
        take(&mut self.provider, provider);
        take(&mut self.model_asked, model_asked);
        take(&mut self.model_answered, model_answered);
        take(&mut self.model_hash, model_hash);
        take(&mut self.input_tokens, input_tokens);
        take(&mut self.cached_tokens, cached_tokens);
        take(&mut self.output_tokens, output_tokens);
        take(&mut self.reasoning_tokens, reasoning_tokens);
        take(&mut self.cost, cost);
        take(&mut self.prices, prices);
        take(&mut self.finish, finish);
        take(&mut self.attempts, attempts);
        take(&mut self.first_token, first_token);
    }
}

fn take<T>(known: &mut Option<T>, later: Option<T>) {
    if later.is_some() {
        *known = later;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_depends_on_task_run_attempt_and_number() {
        let of = |task, epoch, attempt, n| SpanId::of(TaskId(task), epoch, attempt, n);
        let ids = [of(1, 1, 1, 0), of(2, 1, 1, 0), of(1, 2, 1, 0)];
        let more = [of(1, 1, 2, 0), of(1, 1, 1, 1)];
        let all: std::collections::BTreeSet<_> = ids.into_iter().chain(more).collect();
        assert_eq!(all.len(), 5);
        assert_eq!(of(1, 1, 1, 0), of(1, 1, 1, 0));
    }

    #[test]
    fn later_facts_win_and_unknown_ones_change_nothing() {
        let mut facts = Facts {
            provider: Some("a".into()),
            input_tokens: Some(1),
            ..Facts::default()
        };
        facts.absorb(Facts {
            input_tokens: Some(2),
            output_tokens: Some(3),
            ..Facts::default()
        });
        assert_eq!(facts.provider.as_deref(), Some("a"));
        assert_eq!(
            (facts.input_tokens, facts.output_tokens),
            (Some(2), Some(3))
        );
    }

    #[test]
    fn unknown_facts_take_no_room() {
        assert_eq!(
            serde_json::to_string(&Facts::default()).ok(),
            Some("{}".into())
        );
    }
}
