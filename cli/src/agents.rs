//! The agents as the command line knows them: by the names of their threads.
//!
//! A thread is called `AGENT-…`, so its agent can be found without reading it. To look at a thread no
//! model is needed; the graphs made here have one that refuses to answer, and a mailbox and a
//! calendar (`no_account`) that refuse as well.

mod absent;
pub(crate) mod no_account;

use std::sync::Arc;

use clap::{Parser, ValueEnum};
use clap_complete::engine::CompletionCandidate;
use serde_json::Value as Json;
use superstep::text::single_line;
use superstep::{Backends, dynamic::Graph};
use superstep_archie::{Archie, Settings};
use superstep_core::saver::Saver;
use superstep_mail::MailAgent;

use crate::{
    args::{Args, Global},
    database,
    failure::Failure,
};

/// An agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Talks about a folder of documents
    Archie,
    /// Reads mail, and asks before it acts
    Mail,
}

impl Agent {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Archie => "archie",
            Self::Mail => "mail",
        }
    }

    /// The agent a thread belongs to.
    pub(crate) fn of(thread: &str) -> Option<Self> {
        let (name, _) = thread.split_once('-')?;
        let mut all = Self::value_variants().iter();
        all.find(|agent| agent.name() == name).copied()
    }

    /// Its graph, to look at threads and to draw it.
    pub(crate) fn graph(self, backends: Backends) -> Result<Graph, Failure> {
        Ok(match self {
            Self::Archie => archie_to_look_at(backends)?.graph().dynamic().clone(),
            Self::Mail => mail_to_look_at(backends)?.graph().dynamic().clone(),
        })
    }

    /// What a thread is about, in a line.
    pub(crate) fn title(self, state: &Json) -> String {
        let text = match self {
            Self::Archie => {
                let first = state.pointer("/analysis_history/0/content");
                let query = first.or_else(|| state.get("user_input"));
                query.and_then(Json::as_str).map(str::to_owned)
            }
            Self::Mail => {
                let subject = state.pointer("/email_input/mail/subject");
                subject.and_then(Json::as_str).map(str::to_owned)
            }
        };
        single_line(&text.unwrap_or_default())
    }

    /// A name for a new thread that no other has.
    pub(crate) async fn new_thread(self, saver: &dyn Saver) -> Result<String, Failure> {
        let taken = saver.threads().await?;
        loop {
            let name = format!("{}-{}", self.name(), short_id());
            if taken.iter().all(|thread| thread.as_str() != name) {
                return Ok(name);
            }
        }
    }
}

/// Archie without a model: threads can be read.
pub(crate) fn archie_to_look_at(backends: Backends) -> Result<Archie, Failure> {
    let model = Arc::new(absent::Absent::default());
    Ok(Archie::new(model, Settings::default(), backends)?)
}

/// The e-mail assistant without a model and an account: questions and notes can be read.
pub(crate) fn mail_to_look_at(backends: Backends) -> Result<MailAgent, Failure> {
    Ok(MailAgent::new(
        Arc::new(absent::Absent::default()),
        Arc::new(no_account::NoMailbox::default()),
        Arc::new(no_account::NoCalendar::default()),
        superstep_mail::Settings::default(),
        backends,
    )?)
}

/// Six letters and digits that are easy to tell apart.
fn short_id() -> String {
    use std::hash::{BuildHasher, RandomState};
    const SIGNS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let random = RandomState::new().hash_one(std::process::id());
    let sign = |n: u32| SIGNS.get((random >> (5 * n)) as usize & 31);
    (0..6)
        .filter_map(sign)
        .map(|sign| char::from(*sign))
        .collect()
}

/// The names of all threads, for completion: of the database that the command line would use.
pub(crate) fn thread_names() -> Vec<CompletionCandidate> {
    candidates(|global| async move {
        let names = database::threads(&global)?.threads().await?;
        Ok(names.iter().map(ToString::to_string).collect())
    })
}

/// What completion offers, looked up with the options the command line would have.
pub(crate) fn candidates<F: Future<Output = Result<Vec<String>, Failure>>>(
    look_up: impl FnOnce(Global) -> F + Send,
) -> Vec<CompletionCandidate> {
    let found = || {
        let args = Args::try_parse_from(["superstep", "threads", "list"]).ok()?;
        let runtime = tokio::runtime::Builder::new_current_thread().build().ok()?;
        runtime.block_on(look_up(args.global)).ok()
    };
    // Completion may run inside a runtime, which does not take another one on its thread.
    let found = std::thread::scope(|scope| scope.spawn(found).join().ok().flatten());
    let found = found.unwrap_or_default().into_iter();
    found.map(CompletionCandidate::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_thread_tells_its_agent() {
        assert_eq!(Agent::of("archie-7f3k2m"), Some(Agent::Archie));
        assert_eq!(Agent::of("mail-7f3k2m"), Some(Agent::Mail));
        assert_eq!(Agent::of("archie"), None);
        assert_eq!(Agent::of("thread-1"), None);
    }

    #[test]
    fn short_ids_differ() {
        let ids: std::collections::BTreeSet<_> = (0..100).map(|_| short_id()).collect();
        assert!(ids.len() > 90, "{ids:?}");
        assert!(ids.iter().all(|id| id.len() == 6));
    }
}
