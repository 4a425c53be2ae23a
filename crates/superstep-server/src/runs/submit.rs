//! Runs that are accepted: each is in the queue, durable, before its client hears of it.

use std::sync::{Arc, atomic::Ordering};

use superstep::{
    CheckpointRef, ErrorKind, RunId, RunRecord, RunStatus, SaverError, ThreadId,
    dynamic::{DynGraph, DynUpdate, END, Output, Resume, state::Depth},
    runs::{AfterRun, EnqueueRun, OnBusy, QueuedInput, QueuedOptions, ReadAlong, RunQuery},
};

use super::{kwargs::RunKwargs, request::RunRequest, thread::RunThread};
use crate::{
    app::{App, readers::Reader},
    forms::thread_name::no_thread,
    owners::visitor::Visitor,
    records::thread::Record,
    refusal::Refusal,
    registry::Hosted,
    request::payload::Payload,
};

/// How often a run may begin: one that takes its process down each time does not come back for ever.
const ATTEMPTS: u32 = 5;

/// A run that was accepted.
pub(crate) struct Accepted {
    pub(crate) app: Arc<App>,
    pub(crate) run: RunRecord,
    pub(crate) graph: DynGraph,
    pub(crate) kwargs: RunKwargs,
    pub(crate) is_cancelled_without_client: bool,
    /// Whether the client named no thread.
    pub(crate) is_stateless: bool,
    /// Keeps a thread of the run's own while the client reads.
    pub(crate) reader: Option<Reader>,
}

impl App {
    /// Accepts a run on a thread, or on one of its own, which goes with it unless the client wants to
    /// keep it.
    pub(crate) async fn submit(
        self: &Arc<Self>,
        caller: &Visitor,
        thread: Option<&str>,
        body: &mut Payload,
    ) -> Result<Accepted, Refusal> {
        let request = self.read_run(caller, body).await?;
        self.accept(thread, request).await
    }

    /// Reads what a caller asks of a run, and refuses what is not theirs.
    pub(super) async fn read_run(
        &self,
        caller: &Visitor,
        body: &mut Payload,
    ) -> Result<RunRequest, Refusal> {
        for name in ["input", "command", "config", "context"] {
            self.check_files(caller, &body.look(name)).await?;
        }
        let request = RunRequest::read(self, caller, body).await?;
        self.check_run(caller, &request).await?;
        Ok(request)
    }

    /// Refuses a run of an assistant that is not the caller's, and fields that its typed graph does not have or has in
    /// another type.
    pub(crate) async fn check_run(
        &self,
        caller: &Visitor,
        request: &RunRequest,
    ) -> Result<(), Refusal> {
        let RunKwargs {
            assistant_id,
            graph_id,
            ..
        } = &request.kwargs;
        self.check_assistant(caller, assistant_id).await?;
        Ok(self
            .registry
            .graph(graph_id)?
            .graph
            .check_fields(&request.input)?)
    }

    /// Accepts a run that was read already.
    pub(crate) async fn accept(
        self: &Arc<Self>,
        thread: Option<&str>,
        mut request: RunRequest,
    ) -> Result<Accepted, Refusal> {
        let is_stateless = thread.is_none();
        request.kwargs.temporary = is_stateless && !request.keeps_thread;
        let id = *request.run.get_or_insert_with(|| self.new_run_id());
        let on = self.thread_for(thread, id, &request).await?;
        let (reader, mark) = match request.kwargs.temporary && request.is_read {
            true => Some(self.readers.enter(id, self.reader_number())).unzip(),
            false => (None, None),
        };
        let run = self.enqueue(id, mark, &on, &mut request).await?;
        // The run of an answer that came before is not this client's to cancel.
        let is_new = run.id == id;
        if is_new {
            self.counts.accepted.fetch_add(1, Ordering::Relaxed);
        }
        self.events.change(&run.thread, on.record.owner.as_deref());
        let hosted = self.registry.graph(&request.kwargs.graph_id)?;
        if !matches!(request.on_busy, OnBusy::Enqueue | OnBusy::Reject) {
            // Runs that waited are over now, without having begun.
            self.readers.wake.notify_one();
        }
        Ok(Accepted {
            app: self.clone(),
            run,
            graph: hosted.graph.clone(),
            kwargs: request.kwargs,
            is_cancelled_without_client: request.is_cancelled_without_client && is_new,
            is_stateless,
            reader: reader.filter(|_| is_new),
        })
    }

    /// A run of another graph than the one that the thread had until now. One that could not read the thread is
    /// refused, before anything changes. What the other left in the middle is dropped by new input, as
    /// new input for the same graph drops it.
    async fn leave_foreign(
        &self,
        thread: &ThreadId,
        record: &Record,
        request: &RunRequest,
    ) -> Result<(), Refusal> {
        let of = record.graph().filter(|of| **of != *request.kwargs.graph_id);
        if of.is_some() {
            let own = self.registry.graph(&request.kwargs.graph_id)?;
            own.graph.state(thread, None, Depth::Here).await?;
        }
        let hosted = of.and_then(|of| self.registry.graph(of).ok());
        let (Some(hosted), QueuedInput::Value(_)) = (hosted, &request.input) else {
            return Ok(());
        };
        if let QueuedInput::Value(input) = &request.input {
            let own = self.registry.graph(&request.kwargs.graph_id)?;
            own.graph.check_input(input)?;
        }
        let state = hosted.graph.state(thread, None, Depth::Here).await?;
        if state.next.is_empty() {
            return Ok(());
        }
        let end = DynUpdate {
            output: Output::Nothing,
            as_node: Some(END.into()),
        };
        let newest = CheckpointRef {
            repeats: request.kwargs.repeat_effects,
            ..CheckpointRef::default()
        };
        match hosted.graph.update_state(thread, Some(&newest), end).await {
            Ok(_) => Ok(()),
            // It is in use, and may come to its end by itself.
            Err(error) if is_busy(&error) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// What would repeat effects, or forget one of which nobody knows whether it happened, is refused now, not when
    /// the run's turn comes. Answers to questions continue from what is there.
    async fn refuse_repeats(
        &self,
        thread: &ThreadId,
        request: &RunRequest,
        options: &QueuedOptions,
    ) -> Result<(), Refusal> {
        let hosted = self.registry.graph(&request.kwargs.graph_id)?;
        if request.on_busy == OnBusy::Rollback {
            self.refuse_rollback(thread, hosted).await?;
        }
        let newest = CheckpointRef::default();
        let at = match (&options.at, &request.input) {
            (Some(at), _) => at,
            (None, QueuedInput::Value(_)) => &newest,
            (None, _) => return Ok(()),
        };
        let input = request.input.clone();
        let checked = hosted.graph.check_repeats(thread, at, input).await;
        if checked.is_err() && options.at.is_none() {
            let runs = self.saver.runs();
            let runs = runs.load_runs(thread, &RunQuery::default()).await?;
            // What a run is doing, or is about to resume, may be known when it has ended.
            if runs.iter().any(|run| run.ending.is_none()) {
                return Ok(());
            }
        }
        Ok(checked?)
    }

    /// A run does not come in place of one that made effects, or may have: the thread would forget them.
    async fn refuse_rollback(&self, thread: &ThreadId, hosted: &Hosted) -> Result<(), Refusal> {
        let running = RunQuery {
            status: Some(RunStatus::Running),
            ..RunQuery::default()
        };
        let mut effects = Vec::new();
        for run in self.saver.runs().load_runs(thread, &running).await? {
            let hosted = self.registry.of_run(&run).unwrap_or(hosted);
            effects.extend(hosted.graph.effects_of_run(run.id).await?);
        }
        match effects.is_empty() {
            true => Ok(()),
            false => Err(superstep::Error::from(ErrorKind::RepeatsEffects { effects }).into()),
        }
    }

    async fn enqueue(
        &self,
        run: RunId,
        reader: Option<ReadAlong>,
        on: &RunThread,
        request: &mut RunRequest,
    ) -> Result<RunRecord, Refusal> {
        let RunThread { id, record, .. } = on;
        let thread = record.thread(id);
        self.refuse_imported(&thread).await?;
        request.on(self, &thread).await?;
        self.leave_foreign(&thread, record, request).await?;
        request.kwargs.owner.clone_from(&record.owner);
        let mut options = request.kwargs.options()?;
        let hosted = self.registry.graph(&request.kwargs.graph_id)?;
        let place = (&hosted.graph, &thread);
        let (input, after) = (&request.input, request.after);
        if let Some(run) = self.answered_before(place, input, after).await? {
            return Ok(run);
        }
        self.check_answer(
            &request.visitor,
            place,
            options.at.as_ref(),
            &mut request.input,
        )
        .await?;
        let kwargs = &request.kwargs;
        // Whoever answers a question that is not open any more is told.
        let is_by_id = matches!(
            &request.input,
            QueuedInput::Command(_, Some(Resume::ById(_)))
        );
        options.strict_resume = is_by_id.then_some(true);
        options.caller = Some(request.visitor.caller().clone());
        options.traceparent = request.visitor.traceparent();
        options.budget = Some(self.budget).filter(|budget| !budget.is_unlimited());
        self.refuse_repeats(&thread, request, &options).await?;
        let queued = EnqueueRun {
            input: request.input.clone(),
            options,
            on_busy: request.on_busy,
            after: request.after,
            attempts: ATTEMPTS,
            metadata: kwargs.kept(request.metadata.clone()),
            stamp: Some(on.stamp(request)),
            after_run: AfterRun {
                calls: kwargs.webhook.is_some(),
                removes_thread: kwargs.temporary,
            },
            reader,
            ..EnqueueRun::new(thread.clone(), run, &*kwargs.graph_id)
        };
        let queued = hosted.graph.prepare_queued(queued).await?;
        // Before the run can begin. The run is not accepted if the thread is deleted meanwhile, with its mark.
        self.mark_run(&thread, record.owner.as_deref(), request)
            .await?;
        match self.saver.run_queue().enqueue(queued).await {
            Err(SaverError::NoThread { .. } | SaverError::Exists { .. }) => Err(no_thread(id)),
            queued => Ok(queued?),
        }
    }
}

fn is_busy(error: &superstep::Error) -> bool {
    matches!(&*error.kind, ErrorKind::Saver(SaverError::Busy { .. }))
}
