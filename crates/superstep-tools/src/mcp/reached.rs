//! A server that was reached: a session that is opened again when it ended, and calls that are made only as
//! long as the list of tools is the one that was approved.

use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Map, Value as Json};
use superstep_core::sync::lock;
use superstep_text::Redactor;
use tokio::time::Instant;

use super::{
    content,
    fault::Fault,
    listing::Offered,
    pin::{Fingerprint, Pin, Print},
    server::Server,
    session::Session,
    wire::shortened,
};
use crate::{
    error::ToolsError,
    tool::{ToolError, ToolOutput},
};

/// The most of what a server wrote for people that is reported when it does not start.
const MAX_WRITTEN: usize = 2 << 10;

/// A server that was reached, and what is known of its tools.
pub(super) struct Reached {
    pub(super) server: Server,
    /// Knows the keys that the server was given.
    pub(super) redactor: Redactor,
    pub(super) session: tokio::sync::Mutex<Option<Arc<Session>>>,
    book: Mutex<Book>,
}

/// What is known of the server's tools.
pub(super) struct Book {
    pub(super) approved: Option<Fingerprint>,
    pub(super) tools: Vec<Offered>,
    pub(super) now: Fingerprint,
    read: Instant,
}

impl Reached {
    /// A server that is not reached yet, if it may be.
    pub(super) fn new(server: Server) -> Result<Self, ToolsError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let alias = &server.alias;
        if !(1..=32).contains(&alias.len()) || !alias.bytes().all(plain) {
            let shown = alias.escape_debug();
            let why = format!("`{shown}` is no alias: 1 to 32 letters, digits and `_`");
            return Err(ToolsError::bad_tools(&[why]));
        }
        let now = Fingerprint::of(&server.at, &[]);
        let approved = match &server.pin {
            Pin::First => None,
            Pin::Hash(approved) => Some(approved.clone()),
        };
        if let Some(approved) = &approved
            && approved.server != now.server
        {
            let what = ["it is started or reached in another way".to_owned()];
            return Err(ToolsError::mcp_changed(&server.alias, &what));
        }
        Ok(Self {
            redactor: server.redactor(),
            server,
            session: tokio::sync::Mutex::default(),
            book: Mutex::new(Book {
                approved,
                tools: Vec::new(),
                now,
                read: Instant::now(),
            }),
        })
    }

    /// Makes a call of a tool that was taken when its hashes were these.
    pub(super) async fn call(
        &self,
        tool: &str,
        print: &Print,
        args: &Map<String, Json>,
    ) -> Result<ToolOutput, ToolError> {
        let limit = self.server.limits.call;
        let mut again = true;
        loop {
            let session = self.ready(tool, print).await;
            // The code is passed on too: the model can do nothing about it, but a person can.
            let session = session.map_err(|error| ToolError::Failed(format!("{error:?}")))?;
            match session.call(tool, args.clone(), limit).await {
                // A server may quote the keys that it was given.
                Ok(result) => return self.redacted(content::output(&result)),
                // Nothing was sent, and a new connection may work.
                Err(Fault::Unsent(_)) if again && !session.link.is_open() => again = false,
                Err(fault) => return self.redacted(Err(self.failed(fault, tool))),
            }
        }
    }

    fn redacted(&self, ended: Result<ToolOutput, ToolError>) -> Result<ToolOutput, ToolError> {
        let text = |why: String| self.redactor.document(&why).into_owned();
        match ended {
            Ok(output) => Ok(output.redacted(&self.redactor)),
            Err(ToolError::Failed(why)) => Err(ToolError::Failed(text(why))),
            Err(ToolError::Unknown(why)) => Err(ToolError::Unknown(text(why))),
            Err(ToolError::Error(why)) => Err(ToolError::Error(text(why))),
            Err(other @ (ToolError::Stopped(_) | ToolError::Ended(_))) => Err(other),
        }
    }

    /// Why the server cannot be used, without its keys.
    fn unreachable(&self, why: &str) -> ToolsError {
        ToolsError::mcp_link(&self.server.alias, &self.redactor.text(why))
    }

    fn failed(&self, fault: Fault, tool: &str) -> ToolError {
        let why = format!("the server `{}`: {fault}", self.server.alias);
        let known = match &fault {
            Fault::Unsent(_) => true,
            Fault::Refused(refusal) => refusal.before_running(),
            Fault::Lost(_) => false,
        };
        // Of a tool that changes nothing there is nothing to find out.
        match known || !self.server.capabilities_of(tool).changes() {
            true => ToolError::Failed(why),
            false => ToolError::Unknown(why),
        }
    }

    async fn ready(&self, tool: &str, print: &Print) -> Result<Arc<Session>, ToolsError> {
        let session = self.connected().await?;
        self.standing()?;
        if self.book().now.tools.get(tool) != Some(print) {
            let what = ["the agent has the tool as it was before".to_owned()];
            return Err(ToolsError::mcp_changed(&self.server.alias, &what));
        }
        Ok(session)
    }

    /// Reads the list of tools of the server, which is started or reached if it is not.
    pub(super) async fn refreshed(&self) -> Result<(), ToolsError> {
        let mut slot = self.session.lock().await;
        let session = self.open(&mut slot).await;
        let session = session.map_err(|(fault, written)| match written.trim() {
            "" => self.unreachable(&fault.to_string()),
            // For a person who sets the server up; no model gets to read it.
            written => {
                let written = self.redactor.text(written);
                let written = shortened(&written, MAX_WRITTEN);
                self.unreachable(&format!("{fault}; it wrote: {written}"))
            }
        })?;
        self.list(&session).await
    }

    /// A connection whose list of tools is known.
    async fn connected(&self) -> Result<Arc<Session>, ToolsError> {
        let mut slot = self.session.lock().await;
        let session = self.open(&mut slot).await;
        let session = session.map_err(|(fault, _)| self.unreachable(&fault.to_string()))?;
        let old = self.book().read.elapsed() >= self.server.limits.recheck;
        if old || session.is_stale() {
            self.list(&session).await?;
        }
        Ok(session)
    }

    async fn open(&self, slot: &mut Option<Arc<Session>>) -> Result<Arc<Session>, (Fault, String)> {
        if let Some(session) = slot.as_ref().filter(|it| it.link.is_open()) {
            return Ok(session.clone());
        }
        let opened = Session::open(&self.server).await?;
        Ok(slot.insert(Arc::new(opened)).clone())
    }

    async fn list(&self, session: &Session) -> Result<(), ToolsError> {
        let tools = session.list(self.server.limits.connect).await;
        let tools = tools.map_err(|fault| self.unreachable(&fault.to_string()))?;
        let mut book = self.book();
        book.now = Fingerprint::of(&self.server.at, &tools);
        book.tools = tools;
        book.read = Instant::now();
        Ok(())
    }

    /// Whether the server is what was approved.
    pub(super) fn standing(&self) -> Result<(), ToolsError> {
        let (book, alias) = (self.book(), &self.server.alias);
        let Some(approved) = &book.approved else {
            return Err(ToolsError::mcp_unapproved(alias, &book.now.to_string()));
        };
        match approved.changes(&book.now).as_slice() {
            [] => Ok(()),
            changes => Err(ToolsError::mcp_changed(alias, changes)),
        }
    }

    pub(super) fn book(&self) -> MutexGuard<'_, Book> {
        lock(&self.book)
    }
}
