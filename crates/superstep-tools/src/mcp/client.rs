//! MCP client of one server: its tools are used as long as they match what was approved.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard},
};

use serde_json::{Map, Value as Json};
use superstep_text::Redactor;
use tokio::time::Instant;

use super::{
    content,
    link::Fault,
    listing::{Offered, names},
    offer::Offer,
    pin::{Fingerprint, Pin, Print},
    server::Server,
    session::Session,
    wire::shortened,
};
use crate::{
    error::ToolsError,
    tool::{Tool, ToolError, ToolOutput},
};
use superstep_core::sync::lock;

/// The most of what a server wrote for people that is reported when it does not start.
const MAX_WRITTEN: usize = 2 << 10;

/// A server that was reached. Its process ends when the client and all of its tools are dropped; one
/// that died is started again for the next call.
#[derive(Clone)]
pub struct Client(Arc<ClientInner>);

pub(super) struct ClientInner {
    pub(super) server: Server,
    /// Knows the keys that the server was given.
    redactor: Redactor,
    session: tokio::sync::Mutex<Option<Arc<Session>>>,
    book: Mutex<Book>,
}

/// What is known of the server's tools.
struct Book {
    approved: Option<Fingerprint>,
    tools: Vec<Offered>,
    now: Fingerprint,
    read: Instant,
}

impl Client {
    pub(super) async fn connect(server: Server) -> Result<Self, ToolsError> {
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
        let client = Self(Arc::new(ClientInner {
            redactor: server.redactor(),
            server,
            session: tokio::sync::Mutex::default(),
            book: Mutex::new(Book {
                approved,
                tools: Vec::new(),
                now,
                read: Instant::now(),
            }),
        }));
        client.0.refreshed().await?;
        Ok(client)
    }

    /// What the server is now. Show it with [`Client::offered`] to whoever approves it, and keep it.
    pub fn fingerprint(&self) -> Fingerprint {
        self.0.book().now.clone()
    }

    /// What the server offers now, in its own words.
    pub fn offered(&self) -> Vec<Offered> {
        self.0.book().tools.clone()
    }

    /// Approves the server as it is now. What is approved must be what is there: if it changed
    /// since somebody looked, nothing is approved.
    pub fn approve(&self, fingerprint: &Fingerprint) -> Result<(), ToolsError> {
        let mut book = self.0.book();
        let changes = fingerprint.changes(&book.now);
        if !changes.is_empty() {
            return Err(ToolsError::mcp_changed(&self.0.server.alias, &changes));
        }
        book.approved = Some(fingerprint.clone());
        Ok(())
    }

    /// Reads the server's list again and says whether it is what was approved.
    pub async fn check(&self) -> Result<(), ToolsError> {
        self.0.refreshed().await?;
        self.0.standing()
    }

    /// Its tools, if they are what was approved. Those that cannot be used are left out; see
    /// [`Client::problems`]. After a new approval take them again: tools that changed are new ones.
    pub fn tools(&self) -> Result<Vec<Arc<dyn Tool>>, ToolsError> {
        self.0.standing()?;
        let offers = self.validated().0.into_iter();
        Ok(offers.map(|offer| Arc::new(offer) as _).collect())
    }

    /// Why tools were left out: schemas that make no sense, hidden characters, names that come out
    /// equal. Also names in [`Server::tool_capabilities`] that no tool has.
    pub fn problems(&self) -> Vec<String> {
        self.validated().1
    }

    /// The last of what the server wrote for people, without secrets.
    pub async fn stderr(&self) -> String {
        let session = self.0.session.lock().await;
        let written = session.as_ref().map(|it| it.link.stderr());
        let written = written.unwrap_or_default();
        self.0.redactor.text(&written).into_owned()
    }

    /// Ends the server and waits until it is gone. A later call starts it again.
    pub async fn close(&self) {
        let session = self.0.session.lock().await.take();
        if let Some(session) = session {
            session.link.close().await;
        }
    }

    fn validated(&self) -> (Vec<Offer>, Vec<String>) {
        let (server, tools) = (&self.0.server, self.offered());
        let (mut names, mut problems) = names(&server.alias, &tools);
        let known = |name: &&String| tools.iter().any(|tool| tool.name == **name);
        let unknown = server.tool_capabilities.keys().filter(|name| !known(name));
        problems.extend(unknown.map(|name| format!("there is no tool `{name}`")));
        let mut offers = Vec::new();
        for tool in tools {
            let Some(name) = names.remove(&tool.name) else {
                continue;
            };
            match tool.validate() {
                Ok(schema) => offers.push(Offer::new(self.0.clone(), name, tool, schema)),
                Err(why) => problems.push(format!("`{name}` is left out: {why}")),
            }
        }
        (offers, problems)
    }
}

impl ClientInner {
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

    async fn refreshed(&self) -> Result<(), ToolsError> {
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
    fn standing(&self) -> Result<(), ToolsError> {
        let (book, alias) = (self.book(), &self.server.alias);
        let Some(approved) = &book.approved else {
            return Err(ToolsError::mcp_unapproved(alias, &book.now.to_string()));
        };
        match approved.changes(&book.now).as_slice() {
            [] => Ok(()),
            changes => Err(ToolsError::mcp_changed(alias, changes)),
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        lock(&self.book)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("server", &self.0.server)
            .finish_non_exhaustive()
    }
}
