//! `superstep mail ingest` and `superstep mail watch`.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value as Json, json};
use superstep::text::single_line;
use superstep_mail::{Arrival, IngestOptions, Ingested, Intake, MailAgent, MailId, thread_name};

use super::{OpenedAgent, account, open};
use crate::{
    app::App,
    args::IngestArgs,
    error::Error,
    output::{Form, Output, Span, bad, count, faint, good, plain, strong},
    shell_words, suggest,
};

/// Error code: the budget is spent.
const SPENT: &str = "SS5014";

/// Error code: a mail is set aside.
const SET_ASIDE: &str = "SS7021";

/// Error code: what waits cannot be read.
const UNREADABLE: &str = "SS7007";

/// Error code: a mail is refused.
const REFUSED: &str = "SS7020";

/// Error code: what is in the mailbox is no mail, or damaged.
const MALFORMED: &str = "SS7006";

/// Error code: something was begun of which nobody knows whether it happened.
const MAY_HAVE_HAPPENED: &str = "SS1205";

pub(super) async fn once(
    retry: &[String],
    what: &IngestArgs,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let agent = begin(what, app).await?;
    let sum = match retry {
        [] => look(&agent, what, app).await?,
        ids => look_again(&agent, ids, app).await?,
    };
    sum.tell(&agent, what, app).await?;
    sum.ended()
}

/// Processes mail until Ctrl-C. A pass that fails is reported; the next one retries.
pub(super) async fn watch(every: u64, what: &IngestArgs, app: &mut App<'_>) -> Result<(), Error> {
    let agent = begin(what, app).await?;
    let pause = Duration::from_secs(every.saturating_mul(60));
    loop {
        match look(&agent, what, app).await {
            Ok(sum) => {
                sum.tell(&agent, what, app).await?;
                if sum.is_spent {
                    return sum.ended();
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

/// What became of all of them.
#[derive(Default)]
struct Sum {
    looked_at: usize,
    known: usize,
    failed: usize,
    is_spent: bool,
}

impl Sum {
    async fn tell(
        &self,
        agent: &OpenedAgent,
        what: &IngestArgs,
        app: &App<'_>,
    ) -> Result<(), Error> {
        let output = app.output;
        let spent = agent.budget.spent();
        let open = agent.inbox().await?.items.len();
        if output.form == Form::Json {
            return output.json(&json!({
                "event": "summary", "looked_at": self.looked_at, "known": self.known,
                "failed": self.failed, "waiting": open, "cost_micros": spent.money.as_micros(),
                "cost_micro_usd": spent.money.as_micros(),
                "input_tokens": spent.usage.input, "output_tokens": spent.usage.output,
            }));
        }
        let Self {
            looked_at, known, ..
        } = self;
        let mut line = vec![plain(format!(
            "Processed {} ({known} seen before)",
            count(*looked_at, "new mail")
        ))];
        if self.failed > 0 {
            line.push(bad(format!(", {} failed", self.failed)));
        }
        output.note(&line);
        output.note(&[faint(agent.cost())]);
        if open > 0 {
            let questions = match open {
                1 => "1 question waits".to_owned(),
                _ => format!("{open} questions wait"),
            };
            let how = suggest::with_account(app.global, &what.account, &["inbox"]);
            output.say(&[strong(questions), plain(format!(": {how}"))]);
        }
        Ok(())
    }

    fn ended(&self) -> Result<(), Error> {
        match (self.is_spent, self.failed) {
            (true, _) => Err(Error::Reported { exit: 5 }),
            (false, 0) => Ok(()),
            _ => Err(Error::Reported { exit: 1 }),
        }
    }
}

/// One pass over the mailbox, with one line per mail. What was stored of a mail stays if Ctrl-C stops the
/// rest.
async fn look(agent: &MailAgent, what: &IngestArgs, app: &mut App<'_>) -> Result<Sum, Error> {
    let output = app.output;
    let looked = async {
        let mut sum = Sum::default();
        let mut options = options(what);
        let arrivals = agent.arrivals(&options).await?;
        // What is processed from the start is not gone on with before.
        let again = match what.rerun {
            true => arrivals.iter().map(|it| it.id.clone()).collect(),
            false => BTreeSet::new(),
        };
        let mut seen = BTreeSet::new();
        for taken in agent.catch_up_except(&again).await? {
            seen.insert(taken.mail.clone());
            sum.add(agent, &taken, output).await?;
        }
        let mut restarted = BTreeSet::new();
        let most = what.limit.unwrap_or(usize::MAX);
        let all = arrivals.len();
        for (number, arrival) in (1..).zip(arrivals) {
            if sum.is_spent || sum.looked_at + sum.failed >= most {
                break;
            }
            if seen.contains(&arrival.id) {
                continue;
            }
            // Each thread begins anew once: the mails of one are processed one after the other.
            options.rerun = what.rerun && restarted.insert(thread_name(&arrival.thread));
            let progress = Progress::begin(number, all, output);
            let taken = tokio::select! {
                taken = take_in(agent, &arrival, &options) => taken?,
                never = progress.draw() => match never {},
            };
            drop(progress);
            sum.add(agent, &taken, output).await?;
        }
        Ok(sum)
    };
    tokio::select! {
        sum = looked => sum,
        () = app.terminal.ctrl_c() => Err(Error::Cancelled),
    }
}

/// Takes in mails that were set aside, and no others.
async fn look_again(agent: &MailAgent, ids: &[String], app: &mut App<'_>) -> Result<Sum, Error> {
    let output = app.output;
    let looked = async {
        let mut sum = Sum::default();
        for id in ids {
            let taken = agent.retry(&MailId(id.clone())).await?;
            sum.add(agent, &taken, output).await?;
        }
        Ok(sum)
    };
    tokio::select! {
        sum = looked => sum,
        () = app.terminal.ctrl_c() => Err(Error::Cancelled),
    }
}

fn options(what: &IngestArgs) -> IngestOptions {
    IngestOptions {
        minutes_since: what.minutes_since,
        include_read: what.include_read,
        from: what.from.clone(),
        subject: what.subject.clone(),
        // Mail that is known does not count, or a dry run would never get past it.
        limit: None,
        rerun: what.rerun,
    }
}

/// Processes a mail. One that was processed before is not fetched; a failure does not stop the others.
async fn take_in(
    agent: &MailAgent,
    arrival: &Arrival,
    options: &IngestOptions,
) -> Result<Intake, Error> {
    let thread = thread_name(&arrival.thread);
    let with = |result| Intake {
        mail: arrival.id.clone(),
        thread: thread.clone(),
        result,
    };
    let state = agent.graph().state(thread.as_str()).await?;
    let is_over = state.state.handled.contains(&arrival.id) && state.is_done();
    if is_over && !options.rerun {
        return Ok(with(Ingested::Known));
    }
    let taken = agent.ingest_one(&arrival.id, options).await;
    Ok(taken.unwrap_or_else(|error| with(Ingested::failed(&error))))
}

impl Sum {
    async fn add(
        &mut self,
        agent: &MailAgent,
        taken: &Intake,
        output: &Output,
    ) -> Result<(), Error> {
        match &taken.result {
            Ingested::Known => self.known += 1,
            Ingested::Failed { code, .. } => {
                self.failed += 1;
                self.is_spent |= *code == SPENT;
            }
            _ => self.looked_at += 1,
        }
        let state = agent.graph().state(taken.thread.as_str()).await?.state;
        let class = serde_json::to_value(state.classification_decision).unwrap_or_default();
        let mail = state.email_input.as_ref().map(|input| &input.mail);
        let subject = mail.map(|mail| single_line(&mail.subject));
        let sender = mail.and_then(|mail| mail.from.as_ref());
        let sender = sender.map(|from| single_line(&from.to_string()));
        let (result, waiting, error) = match &taken.result {
            Ingested::Done => ("done", 0, None),
            Ingested::Waiting(count) => ("waiting", *count, None),
            Ingested::Known => {
                let open = agent.open(&taken.thread).await?;
                ("known", open.len(), None)
            }
            Ingested::Queued => ("queued", 0, None),
            Ingested::Failed { code, why } => ("failed", 0, Some((*code, why))),
        };
        if output.form == Form::Json {
            let error = error.map(|(code, why)| json!({"code": code, "message": why}));
            return output.json(&json!({
                "event": "mail", "mail": taken.mail, "thread": taken.thread, "class": class,
                "subject": subject, "result": result, "questions": waiting, "error": error,
            }));
        }
        // `watch` would list all of them at every pass.
        if matches!(taken.result, Ingested::Known) {
            return Ok(());
        }
        let mut line = vec![became(&taken.result, &class)];
        if error.is_some() {
            line.push(plain(format!("  {}", single_line(&taken.mail.0))));
        }
        let subject = subject.filter(|it| !it.is_empty());
        let subject = subject.unwrap_or_else(|| "(no subject)".into());
        line.push(strong(format!("  {subject}")));
        line.push(plain(format!(
            "  {}",
            sender.unwrap_or_else(|| "(nobody)".into())
        )));
        line.push(faint(format!("  {}", taken.thread)));
        output.data(&line)?;
        if let Some((code, why)) = error {
            output.say(&[bad(format!("  [{code}] ")), plain(single_line(why))]);
            if code == SET_ASIDE {
                let command = format!(
                    "superstep mail ingest --retry {}",
                    shell_words::quoted(&single_line(&taken.mail.0))
                );
                output.say(&[faint(
                    "  look at it with another program if you do not trust it; to take it back and parse it again:",
                )]);
                output.say(&[faint("  "), strong(command)]);
            }
            if code == UNREADABLE {
                output.say(&[faint(
                    "  to remove what waits: superstep memory delete NAMESPACE KEY; the mail is in the mailbox still",
                )]);
            }
            if code == MAY_HAVE_HAPPENED {
                output.say(&[
                    faint("  its thread is as it was; say what happened, then run this again: "),
                    strong("superstep inbox"),
                ]);
            }
            if [SET_ASIDE, REFUSED, MALFORMED].contains(&code) {
                output.say(&[faint(
                    "  to leave it out: move it out of the mailbox, or mark it as read",
                )]);
            }
        }
        Ok(())
    }
}

/// A line that says which mail is worked on, at a terminal.
struct Progress<'a> {
    number: usize,
    all: usize,
    output: Option<&'a Output>,
}

impl<'a> Progress<'a> {
    fn begin(number: usize, all: usize, output: &'a Output) -> Self {
        let is_shown = output.is_watched() && output.form == Form::Text;
        Self {
            number,
            all,
            output: is_shown.then_some(output),
        }
    }

    /// Draws it every second, until it is dropped.
    async fn draw(&self) -> std::convert::Infallible {
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        let mut seconds = 0;
        loop {
            tick.tick().await;
            if let Some(output) = self.output {
                let Self { number, all, .. } = self;
                let line = format!("mail {number} of {all} … {seconds} s, Ctrl-C stops it");
                output.status().redraw(&[faint(line)]);
            }
            seconds += 1;
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Some(output) = self.output {
            output.status().clear();
        }
    }
}

/// What became of a mail, in a few words.
fn became(result: &Ingested, class: &Json) -> Span {
    let class = class.as_str().unwrap_or("processed");
    match result {
        Ingested::Done => good(format!("{class}, done")),
        Ingested::Waiting(1) => strong(format!("{class}, 1 question")),
        Ingested::Waiting(count) => strong(format!("{class}, {count} questions")),
        Ingested::Known => faint("known"),
        Ingested::Queued => plain("waits for an earlier mail of its thread"),
        Ingested::Failed { code, .. } if *code == MALFORMED => bad("unreadable"),
        Ingested::Failed { .. } => bad("failed"),
    }
}
