//! What commands that run any agent need of each: `threads resume`, `serve`, `demo`, `doctor`. One file per agent.
//!
//! What is known of an agent without running it is in `agents`. `desk` is an agent in the inbox, `hosting` the server that agents are added to.

mod archie;
mod atris;
mod desk;
mod docs;
mod hosting;
mod mail;
mod notes;
mod own;
mod sheets;

use std::pin::Pin;

use superstep::{dynamic::Snapshot, model::config::Config};

use crate::{
    agents::Agent,
    app::App,
    args::{Global, InboxArgs},
    error::Error,
    resumed::{OpenedThread, Resumed, StoredThread},
    suggest,
};

pub(crate) use desk::OpenedDesk;
pub(crate) use hosting::{Hosting, host};

/// What a command does with an agent.
pub(crate) type Doing<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + 'a>>;

/// An agent that can be run.
pub(crate) trait RunAgent {
    /// Resumes a thread: answers an open question, finishes a run that was interrupted, or shows the result. Threads of an
    /// agent with an account are resumed in the inbox.
    fn resume<'a>(&'a self, thread: Resumed<'a>, app: &'a mut App<'_>) -> Doing<'a, ()> {
        Box::pin(thread.run(async |stored, app| self.open(stored, app).await, app))
    }

    /// Opens it for a thread that is resumed.
    fn open<'a>(&self, _: &'a StoredThread<'_>, _: &'a mut App<'_>) -> Doing<'a, OpenedThread> {
        Box::pin(async {
            Err(Error::Missing {
                what: "this agent has no conversation".into(),
                hint: "see `superstep inbox`",
            })
        })
    }

    /// Opens it for the inbox, if it gives answers in the background; others are answered in a conversation.
    fn desk<'a>(&self, _: &'a InboxArgs, _: &'a mut App<'_>) -> Doing<'a, Option<OpenedDesk>> {
        Box::pin(async { Ok(None) })
    }

    /// Adds it to a server.
    fn host<'a, 's: 'a>(&self, on: Hosting<'s>, app: &'a mut App<'_>) -> Doing<'a, Hosting<'s>>;

    /// Refuses settings that only this program can check.
    fn check_settings(&self, _: &Config) -> Result<(), Error> {
        Ok(())
    }

    /// Whether it works on an account, which the options of one are for. Its threads are resumed in the inbox.
    fn has_account(&self) -> bool {
        false
    }

    /// The command that resumes a thread, as it works.
    fn resume_command(&self, thread: &str, _: &Snapshot, global: &Global) -> String {
        suggest::command(global, &["threads", "resume", thread])
    }
}

/// An agent, to be run.
pub(crate) fn of(agent: Agent) -> Box<dyn RunAgent> {
    match agent {
        _ if agent == Agent::ARCHIE => Box::new(archie::Archie),
        _ if agent == Agent::ATRIS => Box::new(atris::Atris),
        _ if agent == Agent::DOCS => Box::new(docs::Docgen),
        _ if agent == Agent::MAIL => Box::new(mail::Mail),
        _ if agent == Agent::SHEETS => Box::new(sheets::Sheets),
        own => Box::new(own::Own(own)),
    }
}
