//! The thread that a run is accepted on: one that is there, one that is made for it, or one of the run's own, which goes with it.

use superstep::{RunId, store::StoreError};

use super::request::RunRequest;
use crate::{
    app::App,
    forms::thread_name::thread_id,
    owners::visitor::Visitor,
    records::{after_run::AfterRun, thread::Record},
    refusal::Refusal,
};

/// The thread that a run is accepted on.
pub(super) struct RunThread {
    pub(super) id: String,
    pub(super) record: Record,
    /// Whether it was made for this run just now.
    is_new: bool,
}

impl App {
    /// The thread of a run, by what its client says.
    pub(super) async fn thread_for(
        &self,
        thread: Option<&str>,
        run: RunId,
        request: &RunRequest,
    ) -> Result<RunThread, Refusal> {
        let record = Record::new(request.stamps()).of(request.visitor.owner());
        let Some(thread) = thread else {
            if request.kwargs.temporary {
                return self.temporary_thread(run, record).await;
            }
            let id = self.new_id();
            self.threads.make(&id, &record).await?;
            return Ok(RunThread::made(id, record));
        };
        let caller = &request.visitor;
        let id = match self.find_thread(caller, thread).await {
            Ok((id, record)) => return Ok(RunThread::there(id, record)),
            Err(missing) if request.makes_thread && missing.is_missing() => thread_id(thread)?,
            Err(missing) => return Err(missing),
        };
        let is_stored = self.is_stored(&record.thread(&id)).await?;
        if self.make_thread(&id, &record).await? {
            // A thread that another program stored is not removed with a run that is refused.
            return Ok(match is_stored {
                true => RunThread::there(id, record),
                false => RunThread::made(id, record),
            });
        }
        // Another request has made it meanwhile; then it is not ours to remove.
        let (id, record) = self.find_thread(caller, &id).await?;
        Ok(RunThread::there(id, record))
    }

    /// A thread that goes with its run, which is recorded with it: it goes also if the run is never accepted.
    async fn temporary_thread(&self, run: RunId, record: Record) -> Result<RunThread, Refusal> {
        let (id, run) = (self.new_id(), run.to_string());
        let made = vec![
            self.threads.making(&id, &record)?,
            self.after_runs.making(&run, &AfterRun::new(&id, true))?,
        ];
        match self.store.batch(made).await {
            Ok(_) => Ok(RunThread::made(id, record)),
            // A run of a schedule has an id that follows from it: somebody was cut short before it was accepted, or
            // accepts it now as well. It has one thread.
            Err(conflict @ StoreError::Conflict { .. }) => {
                let there = self.after_runs.find(&run).await?.ok_or(conflict)?;
                let caller = Visitor::of(record.owner);
                let (id, record) = self.find_thread(&caller, &there.thread).await?;
                Ok(RunThread::there(id, record))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Takes back what was made for a run that is not accepted.
    pub(super) async fn unmake(&self, thread: &RunThread, run: RunId) -> Result<(), Refusal> {
        if thread.is_new {
            self.delete_thread(&thread.id, &thread.record).await?;
            self.after_runs.forget(&run.to_string()).await?;
        }
        Ok(())
    }
}

impl RunThread {
    fn made(id: String, record: Record) -> Self {
        let is_new = true;
        Self { id, record, is_new }
    }

    fn there(id: String, record: Record) -> Self {
        let is_new = false;
        Self { id, record, is_new }
    }
}
