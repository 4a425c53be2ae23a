//! Mail that arrived, put before the assistant: one thread for the mails of one conversation.
//!
//! A mail is looked at once. Another one of the same thread is looked at when the thread has nothing
//! left to do; while questions are open it waits (`queue`), and no open question and no approval is
//! lost. The name of a thread follows from the mailbox's name for it ([`thread_name`]).

use std::collections::BTreeSet;

use jiff::Timestamp;
use superstep::{ErrorKind, Outcome, ThreadId, saver::SaverError};

use crate::{
    Address, AgentError, Arrival, MailAgent, MailError, MailId, Query, RawMail,
    graph::{EmailInput, MailState, begin},
    key::thread_name,
    parse::{headers, parse},
};

/// Which mail is taken in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IngestOptions {
    /// Only what arrived in so many minutes.
    pub minutes_since: Option<u64>,
    /// Also what was read before.
    pub include_read: bool,
    /// Only from senders whose address contains one of these.
    pub from: Vec<String>,
    /// Only with one of these in the subject.
    pub subject: Vec<String>,
    /// At most so many.
    pub limit: Option<usize>,
    /// Mail that was looked at before is looked at again, from the beginning. What its thread knew
    /// is dropped, open questions included.
    pub rerun: bool,
}

/// What became of a mail that was taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ingested {
    /// It was looked at, and nothing is left to do.
    Done,
    /// It was looked at, and so many questions are open.
    Waiting(usize),
    /// It was looked at before.
    Known,
    /// Its thread is not finished with an older mail; it is looked at after that.
    Queued,
    /// It could not be looked at; the thread is kept where there is one.
    Failed {
        /// The stable code.
        code: &'static str,
        /// What happened.
        why: String,
    },
}

/// One mail that was taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intake {
    /// The mail.
    pub mail: MailId,
    /// Its thread.
    pub thread: String,
    /// What became of it.
    pub result: Ingested,
}

impl MailAgent {
    /// Takes in the mail that arrived, the oldest first, all pages of it. What is wrong with one mail
    /// keeps no other from being looked at; an error is of the mailbox as a whole.
    pub async fn ingest(&self, options: &IngestOptions) -> Result<Vec<Intake>, AgentError> {
        let arrivals = self.arrivals(options).await?;
        if options.rerun {
            // Each thread once: the mails of one are looked at one after the other.
            let threads: BTreeSet<String> =
                arrivals.iter().map(|it| thread_name(&it.thread)).collect();
            for thread in threads {
                self.graph().delete_thread(thread).await?;
            }
        }
        let mut taken = self.catch_up().await?;
        for arrival in arrivals {
            if !taken.iter().any(|it| it.mail == arrival.id) {
                taken.push(self.take_in(&arrival).await);
            }
        }
        Ok(taken)
    }

    /// Goes on with mail that a killed process or a failure left unfinished, and with mail that waits
    /// for no question any more. [`MailAgent::ingest`] begins with it.
    pub async fn catch_up(&self) -> Result<Vec<Intake>, AgentError> {
        let mut taken = Vec::new();
        for input in self.office.queue.all().await? {
            let (mail, thread) = (input.id.clone(), thread_name(&input.thread));
            let result = self.go_on(&thread, input).await;
            let result = result.unwrap_or_else(|error| Some(failure(&error)));
            taken.extend(result.map(|result| Intake {
                mail,
                thread,
                result,
            }));
        }
        Ok(taken)
    }

    async fn go_on(&self, thread: &str, input: EmailInput) -> Result<Option<Ingested>, AgentError> {
        let _turn = self.intake.lock().await;
        if !self.unanswered(thread).await?.is_empty() {
            return Ok(None);
        }
        let found = self.graph().state(thread).await?;
        let is_known = found.state.handled.contains(&input.id);
        let outcome = match (found.next.is_empty(), is_known) {
            (true, true) => {
                self.office.queue.remove(&thread.into(), &input.id).await?;
                return Ok(None);
            }
            (true, false) => self.graph().run(thread, begin(input)).await,
            (false, _) => self.graph().resume(thread).await,
        };
        match outcome {
            Ok(outcome) => Ok(Some(ended(&outcome))),
            Err(error) if is_busy(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes in one mail, whether it was read or not.
    pub async fn ingest_one(
        &self,
        id: &MailId,
        options: &IngestOptions,
    ) -> Result<Intake, AgentError> {
        let raw = self.mailbox().fetch(id).await?;
        let thread = thread_name(&raw.thread);
        if options.rerun {
            self.graph().delete_thread(thread.as_str()).await?;
        }
        let result = self.look_at(&thread, raw).await;
        Ok(Intake {
            mail: id.clone(),
            thread,
            result: result.unwrap_or_else(|error| failure(&error)),
        })
    }

    /// Which mail would be taken in.
    pub async fn arrivals(&self, options: &IngestOptions) -> Result<Vec<Arrival>, AgentError> {
        let since = options.minutes_since.map(|minutes| {
            let seconds = i64::try_from(minutes.saturating_mul(60)).unwrap_or(i64::MAX);
            Timestamp::now().as_second().saturating_sub(seconds)
        });
        let query = Query {
            since,
            include_read: options.include_read,
            from: options.from.clone(),
            subject: options.subject.clone(),
            page_size: options.limit.map(|limit| limit.clamp(1, 100)),
        };
        let most = options.limit.unwrap_or(usize::MAX);
        let (mut arrivals, mut page) = (Vec::new(), None);
        loop {
            let found = self.mailbox().list(&query, page.as_ref()).await?;
            arrivals.extend(found.arrivals);
            let is_stuck = found.next.is_none() || found.next == page;
            page = found.next;
            if is_stuck || arrivals.len() >= most {
                arrivals.truncate(most);
                return Ok(arrivals);
            }
        }
    }

    async fn take_in(&self, arrival: &Arrival) -> Intake {
        let thread = thread_name(&arrival.thread);
        let result = async {
            let found = self.graph().state(thread.as_str()).await?;
            if found.state.handled.contains(&arrival.id) && found.next.is_empty() {
                return Ok(Ingested::Known);
            }
            let raw = self.mailbox().fetch(&arrival.id).await?;
            self.look_at(&thread, raw).await
        };
        Intake {
            mail: arrival.id.clone(),
            result: result
                .await
                .unwrap_or_else(|error: AgentError| failure(&error)),
            thread,
        }
    }

    async fn look_at(&self, thread: &str, raw: RawMail) -> Result<Ingested, AgentError> {
        let _turn = self.intake.lock().await;
        let (graph, id) = (self.graph(), raw.id.clone());
        let found = graph.state(thread).await?;
        let is_known = found.state.handled.contains(&id);
        let is_asking = !self.unanswered(thread).await?.is_empty();
        if is_known && is_asking {
            return Ok(Ingested::Known);
        }
        if !is_known {
            let input = self.input(raw).await?;
            let name = ThreadId::from(thread);
            // It waits first and is taken from there, so that it is not lost whatever happens next.
            self.office.queue.put(&name, &input).await?;
            if found.next.is_empty() {
                return match graph.run(thread, begin(input)).await {
                    Ok(outcome) => Ok(ended(&outcome)),
                    Err(error) if is_busy(&error) => Ok(Ingested::Queued),
                    Err(error) => Err(error.into()),
                };
            }
            if is_asking {
                return Ok(Ingested::Queued);
            }
        } else if found.next.is_empty() {
            return Ok(Ingested::Known);
        }
        // A process ended, or a failure stopped the run: it goes on.
        match graph.resume(thread).await {
            Ok(outcome) => Ok(ended(&outcome)),
            // Another process is at it, and looks for what waits when it is done.
            Err(error) if is_busy(&error) => Ok(match is_known {
                true => Ingested::Known,
                false => Ingested::Queued,
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// A mail as the graph takes it, for programs that run the graph themselves.
    pub async fn email_input(&self, id: &MailId) -> Result<EmailInput, AgentError> {
        let raw = self.mailbox().fetch(id).await?;
        Ok(self.input(raw).await?)
    }

    async fn input(&self, raw: RawMail) -> Result<EmailInput, MailError> {
        let mail = parse(&raw.bytes)?;
        let mut participants = people(&mail);
        // Mails of the thread that cannot be read or reached leave fewer people known, which flags
        // more recipients, never fewer.
        let thread = self.mailbox().thread(&raw.thread).await.unwrap_or_default();
        for other in thread {
            let head = headers(&other.bytes);
            participants.extend(head.map(|mail| people(&mail)).unwrap_or_default());
        }
        participants.sort_by_key(|one| one.email.to_ascii_lowercase());
        participants.dedup_by(|one, other| one.is_same(other));
        Ok(EmailInput {
            id: raw.id,
            thread: raw.thread,
            mail,
            participants,
        })
    }
}

fn is_busy(error: &superstep::Error) -> bool {
    matches!(&*error.kind, ErrorKind::Saver(SaverError::Busy { .. }))
}

fn people(mail: &crate::Mail) -> Vec<Address> {
    let all = mail.from.iter().chain(&mail.reply_to);
    all.chain(&mail.to).chain(&mail.cc).cloned().collect()
}

fn ended(outcome: &Outcome<MailState>) -> Ingested {
    match outcome {
        Outcome::Waiting { asks, .. } => Ingested::Waiting(asks.len()),
        _ => Ingested::Done,
    }
}

fn failure(error: &AgentError) -> Ingested {
    Ingested::Failed {
        code: error.code(),
        why: error.to_string(),
    }
}
