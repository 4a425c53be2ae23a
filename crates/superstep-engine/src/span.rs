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
    event::{
        EventKind, Modes, Span, SpanEnd, SpanError, SpanId, SpanKind, SpanPhase, SpanStart,
        TraceParent,
    },
    runs::{BudgetSpent, RunCost},
};

use crate::{ctx::DynCtx, instrument::LiveSpan, metrics::Measured};
use superstep_core::sync::lock;
use tokio::time::Instant;

/// A piece of a task's work under way. Dropped without an end, it was cut short.
#[must_use = "a span that is dropped at once is shown as cut"]
pub struct OpenSpan {
    kind: SpanKind,
    /// Nothing if nobody reads.
    open: Option<Box<Open>>,
    ctx: Option<DynCtx>,
    /// Where it is in the trace of its run, if that has one.
    place: Option<TraceParent>,
    live: LiveSpan,
    /// The call of a model, if it is measured.
    measure: Option<Box<(Arc<str>, Instant)>>,
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
        let is_read = is_alive && step.env.wants(step.nested, Modes::SPANS);
        let ids = step.env.trace.as_ref().filter(|_| is_alive);
        let id = (is_read || ids.is_some()).then(|| self.new_span_id());
        let is_measured = is_alive && kind == SpanKind::Model && step.env.recorder.is_some();
        // What a model took is counted, whoever reads.
        let counts = is_alive && kind == SpanKind::Model && step.env.run.is_some();
        let mut span = OpenSpan {
            kind,
            open: None,
            ctx: (is_read || counts || is_measured).then(|| self.clone()),
            place: ids.zip(id).map(|(ids, id)| ids.place(id)),
            live: LiveSpan::call(kind, name, id),
            measure: is_measured.then(|| Box::new((name.into(), Instant::now()))),
        };
        if let Some(id) = id.filter(|_| is_read) {
            let name = name.into();
            let open = Open { id, parent, name };
            let phase = SpanPhase::Started(start().into());
            self.tell_span(kind, &open, phase).await;
            span.open = Some(Box::new(open));
        }
        span
    }

    fn new_span_id(&self) -> SpanId {
        let n = {
            let mut progress = lock(&self.0.progress);
            progress.spans += 1;
            progress.spans
        };
        SpanId::of(self.task_id(), self.0.step.env.epoch, self.attempt(), n)
    }

    /// Whether the budget of the run and its thread has something left for another call of a model.
    pub fn check_budget(&self) -> Result<(), BudgetSpent> {
        self.0.step.env.check_budget()
    }

    /// Where the task is in the trace of its run: the `traceparent` of requests to other services. Nothing if the run is
    /// in no trace: it neither logs spans nor was started as part of one.
    pub fn traceparent(&self) -> Option<TraceParent> {
        let ids = self.0.step.env.trace.as_ref()?;
        Some(ids.place(ids.task(self.task_id(), 0)))
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

    /// Where it is in the trace of its run: the `traceparent` of what it asks of other services.
    pub fn traceparent(&self) -> Option<TraceParent> {
        self.place
    }

    /// The work that it is about, so that it is in the span of `tracing` too, with the feature of that name.
    pub fn within<F: Future>(&self, work: F) -> impl Future<Output = F::Output> {
        self.live.clone().within(work)
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
                place: None,
                live: LiveSpan::call(kind, name, None),
                measure: None,
            },
        }
    }

    /// It is done, or has failed if its end has an error.
    pub async fn end<E: Into<SpanEnd>>(self, end: impl FnOnce() -> E) {
        let Some(ctx) = &self.ctx else { return };
        ctx.beat_if_auto();
        let end: SpanEnd = end().into();
        let error = end.error.as_ref().map(|error| &*error.code);
        if let Some(code) = error {
            self.live.failed(code);
        }
        if self.kind == SpanKind::Model {
            let (step, mut cost) = (&ctx.0.step, RunCost::of(&end.facts));
            // A call that failed and took nothing needs no price.
            if error.is_some() && cost.input_tokens + cost.output_tokens == 0 {
                cost.unpriced = 0;
            }
            step.env.spend(cost);
            self.live.took(cost);
            if let Some((model, began)) = self.measure.as_deref() {
                step.env.measure(|| Measured::ModelCall {
                    graph: &step.plan.name,
                    node: ctx.node(),
                    model,
                    took: began.elapsed(),
                    cost,
                    error,
                });
            }
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
