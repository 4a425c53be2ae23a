//! The thread that a run is accepted on: one that is there, one that is made with it, or one of the run's own, which goes with it.

use serde_json::Value as Json;
use superstep::{
    RunId,
    saver::{StampThread, ThreadExpected},
};

use super::request::RunRequest;
use crate::{
    app::App, forms::thread_name::thread_id, records::thread::Record, refusal::Refusal, time,
};

/// The thread that a run is accepted on.
pub(super) struct RunThread {
    pub(super) id: String,
    pub(super) record: Record,
    /// Whether the run makes it.
    pub(super) is_new: bool,
}

impl App {
    /// The thread of a run, by what its client says.
    pub(super) async fn thread_for(
        &self,
        thread: Option<&str>,
        run: RunId,
        request: &RunRequest,
    ) -> Result<RunThread, Refusal> {
        let new = |id| RunThread {
            id,
            record: Record::new(request.stamps()).of(request.visitor.owner()),
            is_new: true,
        };
        let Some(thread) = thread else {
            // A thread of the run's own has its id: a run of a schedule that is started twice has one thread.
            return Ok(new(match request.kwargs.temporary {
                true => run.to_string(),
                false => self.new_id(),
            }));
        };
        match self.find_thread(&request.visitor, thread).await {
            Ok((id, record)) => Ok(RunThread {
                id,
                record,
                is_new: false,
            }),
            Err(missing) if request.makes_thread && missing.is_missing() => {
                let new = new(thread_id(thread)?);
                self.check_new_id(&new.record, &new.id)?;
                // The storage refuses it too, but until then the thread would be read and marked.
                let stored = new.record.thread(&new.id);
                match new.record.owner.is_some() && self.is_stored(&stored).await? {
                    true => Err(missing),
                    false => Ok(new),
                }
            }
            Err(missing) => Err(missing),
        }
    }
}

impl RunThread {
    /// What the run leaves with the record of the thread: a thread knows the graph of its newest run.
    pub(super) fn stamp(&self, request: &RunRequest) -> StampThread {
        if self.is_new {
            // Another request may make it meanwhile.
            return self.record.stamp(ThreadExpected::Anything);
        }
        StampThread {
            expected: ThreadExpected::Present,
            owner: request.visitor.name().map(Into::into),
            ..StampThread::at(time::now(), Json::Object(request.stamps()).into())
        }
    }
}
