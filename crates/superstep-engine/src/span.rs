//! Spans of a node's work, for traces: the call of a model or a tool.
//!
//! ```
//! # use superstep_core::{Value, event::{Facts, SpanEnd, SpanKind}, run::Halt};
//! # use superstep_engine::DynCtx;
//! # async fn model(_: &str) -> Result<(String, u64), Halt> { Ok(("rain".into(), 7)) }
//! # async fn node(ctx: DynCtx) -> Result<Value, Halt> {
//! let span = ctx.span(SpanKind::Model, "small-1", || Value::from("a poem")).await;
//! let (poem, tokens) = model("a poem").await?;
//! span.end(|| SpanEnd {
//!     outputs: poem.as_str().into(),
//!     facts: Facts { output_tokens: Some(tokens), ..Facts::default() },
//!     ..SpanEnd::default()
//! })
//! .await;
//! # Ok(poem.into()) }
//! ```
//!
//! `?` above leaves the span without an end, and readers show it as cut. Nothing is built while
//! nobody reads: the content is made by functions that are called only then; but for the end of a model's
//! call, which has what it cost, and that is counted with the run.

use std::sync::Arc;

use superstep_core::{
    event::{EventKind, Modes, Span, SpanEnd, SpanError, SpanId, SpanKind, SpanPhase, SpanStart},
    runs::RunCost,
};

use crate::ctx::DynCtx;
use superstep_core::sync::lock;

/// A piece of a task's work under way. Dropped without an end, it was cut short.
#[must_use = "a span that is dropped at once is shown as cut"]
pub struct OpenSpan {
    kind: SpanKind,
    /// Nothing if nobody reads.
    open: Option<Box<Open>>,
    ctx: Option<DynCtx>,
}

struct Open {
    id: SpanId,
    parent: Option<SpanId>,
    name: Arc<str>,
}

impl DynCtx {
    /// Starts a span: a piece of the task's work; see [`OpenSpan`].
    pub async fn span<S: Into<SpanStart>>(
        &self,
        kind: SpanKind,
        name: &str,
        start: impl FnOnce() -> S,
    ) -> OpenSpan {
        self.open_span(kind, name, start, None).await
    }

    async fn open_span<S: Into<SpanStart>>(
        &self,
        kind: SpanKind,
        name: &str,
        start: impl FnOnce() -> S,
        parent: Option<SpanId>,
    ) -> OpenSpan {
        self.beat_if_auto();
        let step = &self.0.step;
        let is_alive = self.alive().is_ok();
        if !is_alive || !step.env.wants(step.nested, Modes::SPANS) {
            // What a model took is counted, whoever reads.
            let counts = is_alive && kind == SpanKind::Model && step.env.run.is_some();
            let (open, ctx) = (None, counts.then(|| self.clone()));
            return OpenSpan { kind, open, ctx };
        }
        let n = {
            let mut progress = lock(&self.0.progress);
            progress.spans += 1;
            progress.spans
        };
        let open = Open {
            id: SpanId::of(self.task_id(), step.env.epoch, self.attempt(), n),
            parent,
            name: name.into(),
        };
        let phase = SpanPhase::Started(start().into());
        self.tell_span(kind, &open, phase).await;
        OpenSpan {
            kind,
            open: Some(Box::new(open)),
            ctx: Some(self.clone()),
        }
    }

    async fn tell_span(&self, kind: SpanKind, open: &Open, phase: SpanPhase) {
        let mut span = Span {
            id: open.id,
            parent: open.parent,
            task: self.task_id(),
            node: self.node().clone(),
            attempt: self.attempt(),
            kind,
            name: open.name.clone(),
            phase,
        };
        self.0.step.env.privacy.redact(&mut span);
        self.emit_event(EventKind::Span(Box::new(span))).await;
    }
}

impl OpenSpan {
    /// Its id; nothing if nobody reads.
    pub fn id(&self) -> Option<SpanId> {
        self.open.as_ref().map(|open| open.id)
    }

    /// Starts a span within this one.
    pub async fn span<S: Into<SpanStart>>(
        &self,
        kind: SpanKind,
        name: &str,
        start: impl FnOnce() -> S,
    ) -> OpenSpan {
        match &self.ctx {
            Some(ctx) => ctx.open_span(kind, name, start, self.id()).await,
            None => OpenSpan {
                kind,
                open: None,
                ctx: None,
            },
        }
    }

    /// It is done, or has failed if its end has an error.
    pub async fn end<E: Into<SpanEnd>>(self, end: impl FnOnce() -> E) {
        let Some(ctx) = &self.ctx else { return };
        ctx.beat_if_auto();
        let end: SpanEnd = end().into();
        if self.kind == SpanKind::Model {
            ctx.0.step.env.spend(RunCost::of(&end.facts));
        }
        if let Some(open) = &self.open {
            ctx.tell_span(self.kind, open, SpanPhase::Ended(end)).await;
        }
    }

    /// It has failed.
    pub async fn fail(self, code: &str, message: impl std::fmt::Display) {
        self.end(|| SpanError::new(code, message)).await;
    }
}
