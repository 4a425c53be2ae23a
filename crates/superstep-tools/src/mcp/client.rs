//! MCP client of one server: its tools are used as long as they match what was approved.

use std::{fmt, sync::Arc};

use super::{
    listing::{Offered, names},
    offer::Offer,
    pin::Fingerprint,
    reached::Reached,
    server::Server,
};
use crate::{error::ToolsError, tool::Tool};

/// A server that was reached. Its process ends when the client and all of its tools are dropped; one
/// that died is started again for the next call.
#[derive(Clone)]
pub struct Client(Arc<Reached>);

impl Server {
    /// Starts or reaches the server and reads its list of tools. One that was approved at another
    /// command line or address is not even started.
    pub async fn connect(self) -> Result<Client, ToolsError> {
        let reached = Reached::new(self)?;
        reached.refreshed().await?;
        Ok(Client(Arc::new(reached)))
    }
}

impl Client {
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

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("server", &self.0.server)
            .finish_non_exhaustive()
    }
}
