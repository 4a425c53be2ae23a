//! Spans of the crate `tracing`: a run, its steps, its tasks, their calls of models and tools. Without the feature
//! `tracing` all of this is empty.

#[cfg(not(feature = "tracing"))]
pub(crate) use off::LiveSpan;
#[cfg(feature = "tracing")]
pub(crate) use on::LiveSpan;

#[cfg(feature = "tracing")]
mod on {
    use superstep_core::{
        event::{SpanId, SpanKind},
        runs::RunCost,
    };
    use tracing::{
        Instrument as _, Level, Span,
        field::{Empty, display},
        instrument::Instrumented,
        span::Entered,
    };

    use crate::{ctx::DynCtx, env::Env};

    /// A span of `tracing`; none if nobody subscribes to it.
    #[derive(Clone)]
    pub(crate) struct LiveSpan(Span);

    impl LiveSpan {
        /// Whether somebody subscribes to spans of runs.
        pub(crate) fn is_wanted() -> bool {
            tracing::span_enabled!(target: "superstep", Level::INFO)
        }

        pub(crate) fn none() -> Self {
            Self(Span::none())
        }

        pub(crate) fn current() -> Self {
            Self(Span::current())
        }

        pub(crate) fn run(env: &Env, graph: &str) -> Self {
            let span = tracing::info_span!(
                target: "superstep",
                "run",
                graph,
                thread = env.thread.as_ref().map(display),
                run = env.run.as_ref().map(display),
                trace_id = Empty,
                span_id = Empty,
                error = Empty,
            );
            if let Some(ids) = &env.trace {
                span.record("trace_id", display(format_args!("{:032x}", ids.trace())));
                span.record("span_id", display(ids.root()));
            }
            Self(span)
        }

        pub(crate) fn step(graph: &str, step: i64) -> Self {
            Self(tracing::info_span!(target: "superstep", "step", graph, step))
        }

        pub(crate) fn task(&self, ctx: &DynCtx) -> Self {
            let span = tracing::info_span!(
                target: "superstep",
                parent: &self.0,
                "node",
                node = &**ctx.node(),
                attempt = ctx.attempt(),
                task = Empty,
                span_id = Empty,
                error = Empty,
            );
            if !span.is_disabled() {
                let task = ctx.task_id();
                span.record("task", display(task));
                if let Some(ids) = &ctx.0.step.env.trace {
                    span.record("span_id", display(ids.task(task, 0)));
                }
            }
            Self(span)
        }

        /// The call of a model or a tool; none for other pieces of work.
        pub(crate) fn call(kind: SpanKind, name: &str, id: Option<SpanId>) -> Self {
            let id = id.map(display);
            Self(match kind {
                SpanKind::Model => tracing::info_span!(
                    target: "superstep",
                    "model",
                    model = name,
                    span_id = id,
                    input_tokens = Empty,
                    output_tokens = Empty,
                    error = Empty,
                ),
                SpanKind::Tool => tracing::info_span!(
                    target: "superstep",
                    "tool",
                    tool = name,
                    span_id = id,
                    error = Empty,
                ),
                _ => Span::none(),
            })
        }

        pub(crate) fn took(&self, cost: RunCost) {
            self.0.record("input_tokens", cost.input_tokens);
            self.0.record("output_tokens", cost.output_tokens);
        }

        pub(crate) fn failed(&self, code: &str) {
            self.0.record("error", code);
        }

        pub(crate) fn enter(&self) -> Entered<'_> {
            self.0.enter()
        }

        /// Work in this span.
        pub(crate) fn within<F: Future>(self, work: F) -> Instrumented<F> {
            work.instrument(self.0)
        }
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use superstep_core::{
        event::{SpanId, SpanKind},
        runs::RunCost,
    };

    use crate::{ctx::DynCtx, env::Env};

    #[derive(Clone)]
    pub(crate) struct LiveSpan;

    /// What lives while work is in no span.
    pub(crate) struct Entered;

    impl LiveSpan {
        pub(crate) fn is_wanted() -> bool {
            false
        }

        pub(crate) fn none() -> Self {
            Self
        }

        pub(crate) fn current() -> Self {
            Self
        }

        pub(crate) fn run(_: &Env, _: &str) -> Self {
            Self
        }

        pub(crate) fn step(_: &str, _: i64) -> Self {
            Self
        }

        pub(crate) fn task(&self, _: &DynCtx) -> Self {
            Self
        }

        pub(crate) fn call(_: SpanKind, _: &str, _: Option<SpanId>) -> Self {
            Self
        }

        pub(crate) fn took(&self, _: RunCost) {}

        pub(crate) fn failed(&self, _: &str) {}

        pub(crate) fn enter(&self) -> Entered {
            Entered
        }

        pub(crate) fn within<F: Future>(self, work: F) -> F {
            work
        }
    }
}
