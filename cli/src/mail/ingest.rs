//! `superstep mail ingest` and `superstep mail watch`.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use superstep_mail::{
    IngestOptions,
    session::{IngestPass, IngestStep, IngestTotals},
};

use super::{OpenedAgent, account, open};
use crate::{
    app::App,
    args::IngestArgs,
    console,
    error::Error,
    output::{Form, Output, faint},
    shell_words::quoted,
    suggest, units,
};

pub(super) async fn once(
    retry: &[String],
    what: &IngestArgs,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let agent = begin(what, app).await?;
    let totals = look(&agent, retry, what, app).await?;
    tell(&totals, &agent, what, app).await?;
    ended(&totals)
}

/// Processes mail until Ctrl-C. A pass that fails is reported; the next one retries.
pub(super) async fn watch(every: u64, what: &IngestArgs, app: &mut App<'_>) -> Result<(), Error> {
    let agent = begin(what, app).await?;
    let pause = Duration::from_secs(every.saturating_mul(60));
    loop {
        match look(&agent, &[], what, app).await {
            Ok(totals) => {
                tell(&totals, &agent, what, app).await?;
                if totals.is_spent {
                    return ended(&totals);
                }
            }
            Err(Error::Cancelled) => break,
            Err(error @ (Error::Closed | Error::Io(_))) => return Err(error),
            Err(error) => app.output.error(&error),
        }
        app.output
            .note(&[faint(format!("Checking again in {every} min; Ctrl-C ends"))]);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = app.terminal.ctrl_c() => break,
        }
    }
    app.output.note(&[faint("stopped; threads are kept")]);
    Ok(())
}

async fn begin(what: &IngestArgs, app: &mut App<'_>) -> Result<OpenedAgent, Error> {
    let account = account::read(&what.account, app.global)?;
    open(&account, what.max_cost, app).await
}

/// One pass over the mailbox, or over mails that were set aside, with one line per mail. What was stored of a mail stays
/// if Ctrl-C stops the rest.
async fn look(
    agent: &OpenedAgent,
    retry: &[String],
    what: &IngestArgs,
    app: &mut App<'_>,
) -> Result<IngestTotals, Error> {
    let output = app.output;
    let progress = Progress::new(output);
    let pass = IngestPass::new(agent, quoted, |step| match step {
        IngestStep::Begins(number, all) => {
            progress.begin(number, all);
            Ok(())
        }
        IngestStep::Ends(notice) => {
            progress.end();
            console::show([notice], output)
        }
    });
    let options = options(what);
    let looked = async {
        match retry {
            [] => pass.run(&options).await,
            ids => pass.retry(ids).await,
        }
    };
    tokio::select! {
        totals = looked => totals,
        never = output.tick(|| progress.line()) => match never {},
        () = app.terminal.ctrl_c() => Err(Error::Cancelled),
    }
}

async fn tell(
    totals: &IngestTotals,
    agent: &OpenedAgent,
    what: &IngestArgs,
    app: &App<'_>,
) -> Result<(), Error> {
    let open = agent.inbox().await?.items.len();
    let how = suggest::with_account(app.global, &what.account, &["inbox"]);
    let cost = (&agent.budget.spent(), &*units::spent(&agent.budget));
    console::show([totals.notice(open, cost, &how)], app.output)
}

fn ended(totals: &IngestTotals) -> Result<(), Error> {
    match totals.exit() {
        None => Ok(()),
        Some(exit) => Err(Error::Reported { exit }),
    }
}

fn options(what: &IngestArgs) -> IngestOptions {
    IngestOptions {
        minutes_since: what.minutes_since,
        include_read: what.include_read,
        from: what.from.clone(),
        subject: what.subject.clone(),
        limit: what.limit,
        rerun: what.rerun,
    }
}

/// A line that says which mail is worked on, at a terminal.
struct Progress<'a> {
    output: &'a Output,
    /// The number of the mail, how many there are, and since when it is worked on.
    at: Cell<Option<(usize, usize, Instant)>>,
}

impl<'a> Progress<'a> {
    fn new(output: &'a Output) -> Self {
        let at = Cell::new(None);
        Self { output, at }
    }

    fn begin(&self, number: usize, all: usize) {
        let is_shown = self.output.is_watched() && self.output.form == Form::Text;
        self.at.set(is_shown.then(|| (number, all, Instant::now())));
        if let Some(line) = self.line() {
            self.output.status().redraw(&[faint(line)]);
        }
    }

    /// The line, while a mail is worked on.
    fn line(&self) -> Option<String> {
        let (number, all, since) = self.at.get()?;
        let seconds = since.elapsed().as_secs();
        Some(format!(
            "mail {number} of {all} … {seconds} s, Ctrl-C stops it"
        ))
    }

    fn end(&self) {
        if self.at.take().is_some() {
            self.output.status().clear();
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
