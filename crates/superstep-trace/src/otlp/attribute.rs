//! Span attributes: OpenTelemetry's GenAI conventions, those that LangSmith reads, and our own.

use std::sync::Arc;

use superstep_core::{
    event::{Facts, SpanKind},
    id::ThreadId,
    value::Value,
};

use super::Origin;
use crate::tree::{Branch, Kind, Run};

/// A name and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The name.
    pub key: String,
    /// What it is worth.
    pub worth: Worth,
}

/// What an attribute is worth.
#[derive(Clone, Debug, PartialEq)]
pub enum Worth {
    /// Text.
    Text(String),
    /// A number.
    Int(i64),
    /// A fraction.
    Float(f64),
    /// Several texts.
    Texts(Vec<String>),
}

/// What a branch says.
pub(super) fn of(branch: &Branch, thread: &ThreadId, run: &Run, origin: &Origin) -> Vec<Attribute> {
    let mut says = Says(Vec::new());
    says.text("langsmith.trace.name", &*run.root.name);
    says.text("langsmith.span.kind", langsmith_kind(branch.kind));
    says.some("langsmith.trace.session_name", origin.project.as_deref());
    says.text("langsmith.metadata.thread_id", thread.as_str());
    says.text("langsmith.metadata.run_id", format!("{:032x}", run.trace));
    let place = &branch.place;
    let checkpoint = place.checkpoint.map(|id| id.to_string());
    says.some("langsmith.metadata.checkpoint_id", checkpoint);
    says.some("langsmith.metadata.node", place.node.as_deref());
    says.int("langsmith.metadata.step", place.step);
    says.text("gen_ai.conversation.id", thread.as_str());
    says.text("superstep.kind", branch.kind.as_str());
    says.text("superstep.status", branch.status.as_str());
    says.int("superstep.run", i64::try_from(run.number).ok());
    says.int("superstep.attempt", place.attempt.map(i64::from));
    if !place.namespace.is_root() {
        says.text("superstep.namespace", place.namespace.as_str());
    }
    let (input, output) = match branch.kind {
        Kind::Span(SpanKind::Model) => {
            says.text("gen_ai.operation.name", "chat");
            says.text("gen_ai.request.model", asked(branch));
            ("gen_ai.input.messages", "gen_ai.output.messages")
        }
        Kind::Span(SpanKind::Tool) => {
            says.text("gen_ai.operation.name", "execute_tool");
            says.text("gen_ai.tool.name", &*branch.name);
            ("input.value", "output.value")
        }
        Kind::Graph => {
            says.text("gen_ai.operation.name", "invoke_agent");
            says.text("gen_ai.agent.name", &*branch.name);
            ("input.value", "output.value")
        }
        _ => ("input.value", "output.value"),
    };
    says.content(input, &branch.inputs);
    says.content(output, &branch.outputs);
    says.facts(&branch.facts);
    if let Some(error) = &branch.error {
        says.text("error.type", &*error.code);
    }
    says.0
}

/// The model a span asked for.
pub(super) fn asked(branch: &Branch) -> &Arc<str> {
    branch.facts.model_asked.as_ref().unwrap_or(&branch.name)
}

fn langsmith_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Span(SpanKind::Model) => "llm",
        Kind::Span(SpanKind::Tool) => "tool",
        Kind::Span(SpanKind::Retriever) => "retriever",
        Kind::Span(SpanKind::Prompt) => "prompt",
        Kind::Span(SpanKind::Parser) => "parser",
        _ => "chain",
    }
}

struct Says(Vec<Attribute>);

impl Says {
    fn add(&mut self, key: impl Into<String>, worth: Worth) {
        let key = key.into();
        self.0.push(Attribute { key, worth });
    }

    fn text(&mut self, key: &str, text: impl AsRef<str>) {
        self.add(key, Worth::Text(text.as_ref().to_owned()));
    }

    fn some(&mut self, key: &str, text: Option<impl AsRef<str>>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    fn int(&mut self, key: &str, number: Option<i64>) {
        if let Some(number) = number {
            self.add(key, Worth::Int(number));
        }
    }

    fn count(&mut self, key: &str, number: Option<u64>) {
        self.int(key, number.map(|n| i64::try_from(n).unwrap_or(i64::MAX)));
    }

    fn content(&mut self, key: &str, value: &Value) {
        match value {
            Value::Null => {}
            Value::Str(text) if !key.starts_with("gen_ai.") => self.text(key, text),
            value => self.text(key, value.to_json().to_string()),
        }
    }

    fn facts(&mut self, facts: &Facts) {
        let Facts {
            provider,
            model_asked: _,
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
        } = facts;
        self.some("gen_ai.provider.name", provider.as_deref());
        self.some("gen_ai.system", provider.as_deref());
        self.some("gen_ai.response.model", model_answered.as_deref());
        self.count("gen_ai.usage.input_tokens", *input_tokens);
        self.count("gen_ai.usage.output_tokens", *output_tokens);
        if let Some(finish) = finish {
            let reasons = vec![finish.to_string()];
            self.add("gen_ai.response.finish_reasons", Worth::Texts(reasons));
        }
        self.count("superstep.tokens.cached", *cached_tokens);
        self.count("superstep.tokens.reasoning", *reasoning_tokens);
        if let Some(cost) = cost {
            let dollars = *cost as f64 / 1_000_000.0;
            self.add("superstep.cost_usd", Worth::Float(dollars));
        }
        self.some("superstep.prices", prices.as_deref());
        self.some("superstep.model_hash", model_hash.as_deref());
        self.int("superstep.requests", attempts.map(i64::from));
        self.count("superstep.first_token_us", *first_token);
        if !labels.is_empty() {
            let tags = labels.iter().map(|(key, label)| format!("{key}:{label}"));
            let tags: Vec<String> = tags.collect();
            self.text("langsmith.span.tags", tags.join(","));
        }
    }
}
