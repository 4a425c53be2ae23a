//! One pass over the mailbox, mail by mail. What was stored of a mail stays if the pass is stopped.

use std::collections::BTreeSet;

use superstep_agent::Notice;

use super::totals::IngestTotals;
use crate::{AgentError, IngestOptions, Intake, MailAgent, MailId, thread_name};

/// A step of a pass.
#[derive(Clone, Debug, PartialEq)]
pub enum IngestStep {
    /// A mail is processed: its number, and how many arrived.
    Begins(usize, usize),
    /// A mail was processed.
    Ends(Notice),
}

/// One pass over the mailbox, its steps shown by `show`.
pub struct IngestPass<'a, S> {
    agent: &'a MailAgent,
    /// Quotes a word of a command.
    quoted: fn(&str) -> String,
    show: S,
    totals: IngestTotals,
}

impl<'a, E: From<AgentError>, S: FnMut(IngestStep) -> Result<(), E>> IngestPass<'a, S> {
    /// A pass that has not begun.
    pub fn new(agent: &'a MailAgent, quoted: fn(&str) -> String, show: S) -> Self {
        Self {
            agent,
            quoted,
            show,
            totals: IngestTotals::default(),
        }
    }

    /// Takes in mail that was left unfinished, and mail that arrived. Mail that is known does not count for the limit,
    /// or a dry run would never get past it.
    pub async fn run(mut self, options: &IngestOptions) -> Result<IngestTotals, E> {
        let agent = self.agent;
        let query = IngestOptions {
            limit: None,
            ..options.clone()
        };
        let arrivals = agent.arrivals(&query).await?;
        // What is processed from the start is not gone on with before.
        let again = match options.rerun {
            true => arrivals.iter().map(|it| it.id.clone()).collect(),
            false => BTreeSet::new(),
        };
        let mut seen = BTreeSet::new();
        for taken in agent.catch_up_except(&again).await? {
            seen.insert(taken.mail.clone());
            self.add(&taken).await?;
        }
        let mut restarted = BTreeSet::new();
        let (most, all) = (options.limit.unwrap_or(usize::MAX), arrivals.len());
        for (number, arrival) in (1..).zip(arrivals) {
            if self.totals.is_spent || self.totals.looked_at + self.totals.failed >= most {
                break;
            }
            if seen.contains(&arrival.id) {
                continue;
            }
            (self.show)(IngestStep::Begins(number, all))?;
            // Each thread begins anew once: the mails of one are processed one after the other.
            let rerun = options.rerun && restarted.insert(thread_name(&arrival.thread));
            let taken = agent.take_in(&arrival, rerun).await;
            self.add(&taken).await?;
        }
        Ok(self.totals)
    }

    /// Takes in mails that were set aside, and no others.
    pub async fn retry(mut self, ids: &[String]) -> Result<IngestTotals, E> {
        for id in ids {
            let taken = self.agent.retry(&MailId(id.clone())).await?;
            self.add(&taken).await?;
        }
        Ok(self.totals)
    }

    async fn add(&mut self, taken: &Intake) -> Result<(), E> {
        self.totals.add(&taken.result);
        let notice = taken.notice(self.agent, self.quoted).await?;
        (self.show)(IngestStep::Ends(notice))
    }
}
