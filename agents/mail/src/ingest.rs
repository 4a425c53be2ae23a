//! Ingestion of mail: one thread per conversation.
//!
//! A mail is looked at once. Another one of the same thread is looked at when the thread has nothing
//! left to do; while questions are open it waits (`queue`), and no open question and no approval is
//! lost. The name of a thread follows from the mailbox's name for it ([`thread_name`]).
//!
//! That a mail is about to be parsed is on record before it is (`attempts`): one that ends the
//! process is set aside, and the mails behind it are looked at.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use superstep::{
    CheckpointRef, ErrorKind, Outcome, SaverError, ThreadId, Value, runs::QueuedInput,
    store::StoreError,
};

use crate::{
    Address, AgentError, Arrival, Mail, MailAgent, MailError, MailId, Query, RawMail,
    attempts::ParseAttempt,
    graph::{MailState, begin},
    input::EmailInput,
    key::thread_name,
    parse::{all_headers, parse},
    proposals::Proposals,
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
    /// is dropped, open questions included. A thread that began something of which nobody knows whether it happened is
    /// kept: its question is asked, and the mail is looked at again once that is answered.
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

impl Ingested {
    /// A failure. The code stands for itself, and is not part of the text.
    pub fn failed(error: &AgentError) -> Self {
        let code = error.code();
        Self::Failed {
            code,
            why: error.to_string().replace(&format!("[{code}] "), ""),
        }
    }
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
        let mut kept = BTreeMap::new();
        if options.rerun {
            // Each thread once: the mails of one are looked at one after the other.
            let threads: BTreeSet<String> =
                arrivals.iter().map(|it| thread_name(&it.thread)).collect();
            for thread in threads {
                if let Err(error) = self.begin_anew(&thread).await {
                    kept.insert(thread, Ingested::failed(&error));
                }
            }
        }
        let mut taken = self.catch_up().await?;
        for arrival in arrivals {
            let thread = thread_name(&arrival.thread);
            if let Some(result) = kept.get(&thread) {
                taken.retain(|it| it.mail != arrival.id);
                taken.push(Intake {
                    mail: arrival.id,
                    thread,
                    result: result.clone(),
                });
            } else if !taken.iter().any(|it| it.mail == arrival.id) {
                taken.push(self.take_in(&arrival, false).await);
            }
        }
        Ok(taken)
    }

    /// Drops what a thread knows, unless it began something of which nobody knows whether it happened (SS1205). The
    /// mailbox may know by now; if it does not, a person is asked, and the thread stays until the answer.
    async fn begin_anew(&self, thread: &str) -> Result<(), AgentError> {
        if let Err(unknown) = self.check_forgetting(thread).await {
            if !matches!(&*unknown.kind, ErrorKind::RepeatsEffects { .. }) {
                return Err(unknown.into());
            }
            if self.graph().state(thread).await?.asks.is_empty() {
                self.resume(thread).await?;
            }
            self.check_forgetting(thread).await?;
        }
        Proposals::new(self.store.clone()).forget(thread).await?;
        Ok(self.graph().delete_thread(thread).await?)
    }

    /// Refuses if a thread without its tasks would forget an effect of unknown outcome.
    async fn check_forgetting(&self, thread: &str) -> Result<(), superstep::Error> {
        let newest = CheckpointRef::default();
        let input = QueuedInput::Value(Value::Null);
        let graph = self.graph().dynamic();
        graph.check_repeats(&thread.into(), &newest, input).await
    }

    /// Continues with mail that a killed process or a failure left unfinished, and with mail that waits
    /// for no question any more. [`MailAgent::ingest`] begins with it.
    pub async fn catch_up(&self) -> Result<Vec<Intake>, AgentError> {
        self.catch_up_except(&BTreeSet::new()).await
    }

    /// The same, without some mails.
    pub async fn catch_up_except(&self, but: &BTreeSet<MailId>) -> Result<Vec<Intake>, AgentError> {
        let mut taken = Vec::new();
        for input in self.queue.all().await? {
            let input = match input {
                Ok(input) if but.contains(&input.id) => continue,
                Ok(input) => input,
                Err(error) => {
                    taken.push(unreadable(error));
                    continue;
                }
            };
            let (mail, thread) = (input.id.clone(), thread_name(&input.thread));
            let result = self.go_on(&thread, input).await;
            let result = result.unwrap_or_else(|error| Some(Ingested::failed(&error)));
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
        let found = self.graph().state(thread).await?;
        if !found.asks.is_empty() {
            return Ok(None);
        }
        let is_known = found.state.handled.contains(&input.id);
        let outcome = match (found.is_done(), is_known) {
            (true, true) => {
                self.queue.remove(&thread.into(), &input.id).await?;
                return Ok(None);
            }
            (true, false) => self.begin(thread, input).await,
            (false, _) => self.resume(thread).await,
        };
        match outcome {
            Ok(outcome) => Ok(Some(ended(&outcome))),
            Err(error) if is_busy(&error) => Ok(None),
            Err(error) => Err(error),
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
            self.begin_anew(&thread).await?;
        }
        let result = self.look_at(&thread, raw).await;
        Ok(Intake {
            mail: id.clone(),
            thread,
            result: result.unwrap_or_else(|error| Ingested::failed(&error)),
        })
    }

    /// Takes in one mail that was set aside ([`AgentError::SetAside`]), as if it came anew.
    pub async fn retry(&self, id: &MailId) -> Result<Intake, AgentError> {
        self.attempts.end(&self.mailbox().place(), id).await?;
        self.ingest_one(id, &IngestOptions::default()).await
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
            words: Vec::new(),
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

    /// Takes in mail that arrived. Mail that was looked at before is not fetched, unless its thread begins anew.
    pub(crate) async fn take_in(&self, arrival: &Arrival, rerun: bool) -> Intake {
        let thread = thread_name(&arrival.thread);
        let result = async {
            let found = self.graph().state(thread.as_str()).await?;
            if found.state.handled.contains(&arrival.id) && found.is_done() && !rerun {
                return Ok(Ingested::Known);
            }
            let raw = self.mailbox().fetch(&arrival.id).await?;
            if rerun {
                self.begin_anew(&thread).await?;
            }
            self.look_at(&thread, raw).await
        };
        Intake {
            mail: arrival.id.clone(),
            result: result
                .await
                .unwrap_or_else(|error: AgentError| Ingested::failed(&error)),
            thread,
        }
    }

    async fn look_at(&self, thread: &str, raw: RawMail) -> Result<Ingested, AgentError> {
        let _turn = self.intake.lock().await;
        let id = raw.id.clone();
        let found = self.graph().state(thread).await?;
        let is_known = found.state.handled.contains(&id);
        let is_asking = !found.asks.is_empty();
        if is_known && is_asking {
            return Ok(Ingested::Known);
        }
        if !is_known {
            let input = self.put_before(&ThreadId::from(thread), raw).await?;
            if found.is_done() {
                return match self.begin(thread, input).await {
                    Ok(outcome) => Ok(ended(&outcome)),
                    Err(error) if is_busy(&error) => Ok(Ingested::Queued),
                    Err(error) => Err(error),
                };
            }
            if is_asking {
                return Ok(Ingested::Queued);
            }
        } else if found.is_done() {
            return Ok(Ingested::Known);
        }
        // A process ended, or a failure stopped the run: it continues.
        match self.resume(thread).await {
            Ok(outcome) => Ok(ended(&outcome)),
            // Another process is at it, and looks for what waits when it is done.
            Err(error) if is_busy(&error) => Ok(match is_known {
                true => Ingested::Known,
                false => Ingested::Queued,
            }),
            Err(error) => Err(error),
        }
    }

    /// Puts a mail before the graph.
    async fn begin(
        &self,
        thread: &str,
        input: EmailInput,
    ) -> Result<Outcome<MailState>, AgentError> {
        self.check_thread(thread).await?;
        Ok(self.graph().run(thread, begin(input)).await?)
    }

    /// A mail as the graph takes it, for programs that run the graph themselves.
    pub async fn email_input(&self, id: &MailId) -> Result<EmailInput, AgentError> {
        let raw = self.mailbox().fetch(id).await?;
        Ok(self.input(raw).await?)
    }

    /// Parses a mail and lets it wait for its thread, on record from the beginning to the end.
    async fn put_before(&self, thread: &ThreadId, raw: RawMail) -> Result<EmailInput, AgentError> {
        let older = self.older(&raw).await;
        let (place, id) = (self.mailbox().place(), raw.id.clone());
        if let ParseAttempt::SetAside(runs) = self.attempts.begin(&place, &id).await? {
            return Err(AgentError::SetAside { mail: id, runs });
        }
        let input = parsed(raw, older).await;
        if let Ok(input) = &input {
            // It waits first and is taken from there, so that it is not lost whatever happens next.
            self.queue.put(thread, input).await?;
        }
        self.attempts.end(&place, &id).await?;
        Ok(input?)
    }

    async fn input(&self, raw: RawMail) -> Result<EmailInput, MailError> {
        let older = self.older(&raw).await;
        parsed(raw, older).await
    }

    /// The headers of the mails of its thread that were there before a mail.
    async fn older(&self, raw: &RawMail) -> Vec<RawMail> {
        // Mails of the thread that cannot be read or reached leave fewer people known, which flags
        // more recipients, never fewer.
        let thread = self.mailbox().thread_headers(&raw.thread).await;
        let mut thread = thread.unwrap_or_default();
        let own = thread.iter().position(|mail| mail.id == raw.id);
        // They come in the order of their arrival, and of one second all may be later.
        let mut at = 0;
        thread.retain(|mail| {
            at += 1;
            mail.arrived < raw.arrived
                || mail.arrived == raw.arrived && own.is_some_and(|own| at <= own)
        });
        thread
    }
}

/// A mail as the graph takes it, away from what must not block.
async fn parsed(raw: RawMail, older: Vec<RawMail>) -> Result<EmailInput, MailError> {
    let parsed = tokio::task::spawn_blocking(move || {
        let mail = parse(&raw.bytes)?;
        if !mail.is_mail() {
            return Err(MailError::Malformed {
                what: "the file".into(),
                why:
                    "it is empty or no mail: it has no sender, no recipient, no subject and no date"
                        .into(),
            });
        }
        let heads: Vec<&[u8]> = older.iter().map(|mail| mail.bytes.as_slice()).collect();
        let heads = all_headers(&heads).unwrap_or_default();
        Ok(EmailInput {
            participants: participants(&mail, heads.into_iter().flatten()),
            id: raw.id,
            thread: raw.thread,
            mail,
        })
    });
    parsed.await.unwrap_or_else(|error| {
        Err(MailError::Malformed {
            what: "the mail".into(),
            why: error.to_string(),
        })
    })
}

/// Who was in a thread before a mail: everybody of its older mails, and who wrote this one. Whom
/// this one brings along is not: that is what a person should see.
fn participants(mail: &Mail, older: impl Iterator<Item = Mail>) -> Vec<Address> {
    let mut known: Vec<Address> = mail.from.iter().cloned().collect();
    // A copy of the mail itself is not older.
    let is_copy = |other: &Mail| other.message_id.is_some() && other.message_id == mail.message_id;
    known.extend(older.filter(|other| !is_copy(other)).flat_map(people));
    known.sort_by_key(|one| one.email.to_ascii_lowercase());
    known.dedup_by(|one, other| one.is_same(other));
    known
}

fn is_busy(error: &AgentError) -> bool {
    match error {
        AgentError::Run(error) => {
            matches!(&*error.kind, ErrorKind::Saver(SaverError::Busy { .. }))
        }
        _ => false,
    }
}

fn people(mail: Mail) -> impl Iterator<Item = Address> {
    let all = mail.from.into_iter().chain(mail.reply_to);
    all.chain(mail.to).chain(mail.cc)
}

fn ended(outcome: &Outcome<MailState>) -> Ingested {
    match outcome {
        Outcome::Waiting { asks, .. } => Ingested::Waiting(asks.len()),
        _ => Ingested::Done,
    }
}

/// A mail that waits and cannot be read, so that nothing of it is known.
fn unreadable(error: StoreError) -> Intake {
    Intake {
        mail: MailId("(unreadable)".into()),
        thread: "(unknown)".into(),
        result: Ingested::failed(&AgentError::Store(error)),
    }
}
