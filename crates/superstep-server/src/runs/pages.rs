//! The runs of a thread, newest first, page by page: a thread may have any number of them.

use superstep::{RunQuery, RunRecord, SaverError, ThreadId};

use crate::app::App;

/// How many runs are read at once.
const PAGE: usize = 32;

/// A reader of the runs of a thread.
pub(super) struct RunPages<'a> {
    app: &'a App,
    thread: &'a ThreadId,
    query: RunQuery,
    is_last: bool,
}

impl RunPages<'_> {
    /// The next runs; empty at the end.
    pub(crate) async fn next(&mut self) -> Result<Vec<RunRecord>, SaverError> {
        if self.is_last {
            return Ok(Vec::new());
        }
        let runs = self.app.saver.runs();
        let runs = runs.load_runs(self.thread, &self.query).await?;
        self.query.before = runs.last().map(|run| run.id);
        self.is_last = runs.len() < PAGE;
        Ok(runs)
    }
}

impl App {
    pub(super) fn run_pages<'a>(&'a self, thread: &'a ThreadId) -> RunPages<'a> {
        let limit = Some(PAGE);
        RunPages {
            app: self,
            thread,
            query: RunQuery {
                limit,
                ..RunQuery::default()
            },
            is_last: false,
        }
    }

    /// The newest run of a thread.
    pub(crate) async fn newest_run(
        &self,
        thread: &ThreadId,
    ) -> Result<Option<RunRecord>, SaverError> {
        let newest = RunQuery {
            limit: Some(1),
            ..RunQuery::default()
        };
        let runs = self.saver.runs().load_runs(thread, &newest).await?;
        Ok(runs.into_iter().next())
    }

    /// The run that logged an entry under a lease. Attempts that were cut short have an earlier lease than their run: then it is
    /// the run with the next one.
    pub(crate) async fn run_of_lease(
        &self,
        thread: &ThreadId,
        epoch: u64,
    ) -> Result<Option<RunRecord>, SaverError> {
        let mut found: Option<RunRecord> = None;
        let mut pages = self.run_pages(thread);
        loop {
            let runs = pages.next().await?;
            if runs.is_empty() {
                return Ok(found);
            }
            let of_page = runs.into_iter().filter(|run| run.epoch >= Some(epoch));
            found = found.into_iter().chain(of_page).min_by_key(|run| run.epoch);
            if found.as_ref().is_some_and(|run| run.epoch == Some(epoch)) {
                return Ok(found);
            }
        }
    }
}
