//! Run options as they are stored with a run, and options for a run made of stored ones.

use std::sync::{Arc, LazyLock};

use superstep_core::{
    caller::Caller,
    runs::{QueuedOptions, RunRecord},
    value::Value,
};

use crate::{clock::time, options::RunOptions};

static DEFAULT: LazyLock<RunOptions> = LazyLock::new(RunOptions::default);

/// The stored options of most runs, shared by all of them.
static NOTHING: LazyLock<Arc<QueuedOptions>> = LazyLock::new(Arc::default);

impl RunOptions {
    /// The options that a run takes along to the queue.
    pub(crate) fn queued(&self) -> QueuedOptions {
        QueuedOptions {
            at: self.at.clone(),
            limit: Some(self.limit),
            max_concurrency: self.max_concurrency,
            durability: Some(self.durability),
            context: Some(self.context.clone()),
            context_unstored: false,
            caller: self.caller.clone(),
            pause_before: Some(self.pause_before.clone()),
            pause_after: Some(self.pause_after.clone()),
            strict_resume: Some(self.strict_resume),
            strict_input: Some(self.strict_input),
            keep_asks: Some(self.keep_asks),
            log: Some(self.log),
            grace: Some(self.grace),
            budget: Some(self.budget).filter(|budget| !budget.is_unlimited()),
            traceparent: self.traceparent,
            state_version: None,
            state_shape: None,
        }
    }

    /// The options that are stored with a run that begins: those that are not the default, and the context
    /// and the caller that it runs with.
    pub(crate) fn begun(&self, context: &Value, caller: &Caller) -> Arc<QueuedOptions> {
        let default = &*DEFAULT;
        let stored = stored(context);
        let options = QueuedOptions {
            limit: differing(&self.limit, &default.limit),
            max_concurrency: self.max_concurrency,
            durability: differing(&self.durability, &default.durability),
            context_unstored: stored.is_none(),
            context: stored.filter(|context| !context.is_null()),
            caller: Some(caller).filter(|caller| !caller.is_local()).cloned(),
            pause_before: differing(&self.pause_before, &default.pause_before),
            pause_after: differing(&self.pause_after, &default.pause_after),
            log: differing(&self.log, &default.log),
            grace: differing(&self.grace, &default.grace),
            budget: differing(&self.budget, &default.budget),
            traceparent: self.traceparent,
            // It continues from what it was fed, and where it got to.
            at: None,
            strict_resume: None,
            strict_input: None,
            keep_asks: None,
            state_version: None,
            state_shape: None,
        };
        match options.is_empty() {
            true => NOTHING.clone(),
            false => Arc::new(options),
        }
    }

    /// These options for a run from the queue.
    pub(crate) fn for_queued(&self, run: &RunRecord) -> Self {
        let own = run.queued.as_ref().map(|queued| &queued.options);
        let options = match &run.options {
            // It was started without a queue, and slept.
            Some(_) => self.for_interrupted(run),
            None => self.with_stored(run, own.unwrap_or(&NOTHING)),
        };
        Self {
            run: Some(run.id),
            ..options
        }
    }

    /// These options for a run that continues one that was cut short, as that one was meant. Records of
    /// earlier versions hold no options; such a run gets all of these.
    pub(crate) fn for_interrupted(&self, run: &RunRecord) -> Self {
        let options = match &run.options {
            None => self.with_stored(run, run.given().unwrap_or(&NOTHING)),
            Some(own) => Self {
                output: self.output.clone(),
                fidelity: self.fidelity,
                modes: self.modes,
                subgraphs: self.subgraphs,
                privacy: self.privacy.clone(),
                drain: self.drain.clone(),
                ..Self::default()
            }
            .with_stored(run, own),
        };
        Self {
            run: None,
            at: None,
            ..options
        }
    }

    /// These options, with what is stored of a run in their place.
    fn with_stored(&self, run: &RunRecord, own: &QueuedOptions) -> Self {
        let own = own.clone();
        Self {
            thread: Some(run.thread.clone()),
            metadata: run.metadata.clone(),
            deadline: run.deadline.map(time).or(self.deadline),
            at: own.at.or_else(|| self.at.clone()),
            limit: own.limit.unwrap_or(self.limit),
            max_concurrency: own.max_concurrency.or(self.max_concurrency),
            durability: own.durability.unwrap_or(self.durability),
            context: own.context.unwrap_or_else(|| self.context.clone()),
            caller: own.caller.or_else(|| self.caller.clone()),
            pause_before: own.pause_before.unwrap_or(self.pause_before.clone()),
            pause_after: own.pause_after.unwrap_or(self.pause_after.clone()),
            strict_resume: own.strict_resume.unwrap_or(self.strict_resume),
            strict_input: own.strict_input.unwrap_or(self.strict_input),
            keep_asks: own.keep_asks.unwrap_or(self.keep_asks),
            log: own.log.unwrap_or(self.log),
            grace: own.grace.unwrap_or(self.grace),
            budget: own.budget.unwrap_or(self.budget),
            traceparent: own.traceparent.or(self.traceparent),
            ..self.clone()
        }
    }
}

fn differing<T: PartialEq + Clone>(own: &T, default: &T) -> Option<T> {
    (own != default).then(|| own.clone())
}

/// The stored form of a context: plain data, the same in every saver. Nothing if it has none.
fn stored(context: &Value) -> Option<Value> {
    let plain = match context {
        Value::Typed(cell) if cell.loses_number() => return None,
        Value::Typed(cell) => Value::from(cell.to_json().ok()?),
        plain => plain.clone(),
    };
    plain.fits().then_some(plain)
}
