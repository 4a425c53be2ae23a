//! An MCP session over a transport: version negotiation, list of tools, calls.
//!
//! Versions up to 2025-11-25 begin with a handshake; later ones say in every request what they are.
//! The handshake is tried first, since nearly all servers know it; one that refuses it is asked
//! the new way.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use serde_json::{Map, Value as Json, json};

use super::{
    changed::Changed,
    fault::Fault,
    link::Link,
    listing::Offered,
    server::Server,
    version::{WITH_HANDSHAKE, WITHOUT_HANDSHAKE},
    wire,
};

/// How many pages a list may have, and how many tools.
const MAX_PAGES: usize = 64;
const MAX_TOOLS: usize = 1024;

/// A connection on which both sides know what they speak.
pub(super) struct Session {
    pub(super) link: Link,
    changed: Changed,
    /// How often the list had changed when it was read last.
    listed: AtomicU64,
    stateless: bool,
}

impl Session {
    /// Starts or reaches a server and agrees on a version, or says why not and what the server
    /// wrote for people.
    pub(super) async fn open(server: &Server) -> Result<Self, (Fault, String)> {
        let changed = Changed::default();
        let link = Link::open(&server.at, server.limits.bytes, changed.clone());
        let link = link.map_err(|fault| (fault, String::new()))?;
        let limit = server.limits.connect;
        let mut session = Self {
            link,
            changed,
            listed: AtomicU64::new(u64::MAX),
            stateless: false,
        };
        let agreed = match session.greet(limit).await {
            Err(Fault::Refused(refusal)) => {
                session.stateless = true;
                let discovered = session.discover(limit).await;
                discovered.map_err(|_| Fault::Refused(refusal))
            }
            agreed => agreed,
        };
        match agreed {
            Ok(()) => Ok(session),
            Err(fault) => Err((fault, session.link.stderr())),
        }
    }

    async fn greet(&self, limit: Duration) -> Result<(), Fault> {
        let [newest, ..] = WITH_HANDSHAKE;
        let params = json!({
            "protocolVersion": newest,
            "capabilities": {},
            "clientInfo": this(),
        });
        let agreed = self.link.request("initialize", &params, limit).await?;
        let version = agreed.get("protocolVersion").and_then(Json::as_str);
        let Some(version) = WITH_HANDSHAKE.into_iter().find(|it| version == Some(it)) else {
            return Err(Fault::Unsent("it speaks no version that we know".into()));
        };
        if let Link::Web(web) = &self.link {
            web.speak(version);
        }
        let ready = wire::notice("notifications/initialized", &json!({}));
        self.link.notify(&ready, limit).await
    }

    async fn discover(&self, limit: Duration) -> Result<(), Fault> {
        if let Link::Web(web) = &self.link {
            web.speak(WITHOUT_HANDSHAKE);
        }
        self.ask("server/discover", Map::new(), limit)
            .await
            .map(|_| ())
    }

    /// Whether the list was not read since the server said that it changed.
    pub(super) fn is_stale(&self) -> bool {
        self.listed.load(Ordering::SeqCst) != self.changed.times()
    }

    /// All tools that the server has.
    pub(super) async fn list(&self, limit: Duration) -> Result<Vec<Offered>, Fault> {
        let times = self.changed.times();
        let tools = self.pages(limit).await?;
        self.listed.store(times, Ordering::SeqCst);
        Ok(tools)
    }

    async fn pages(&self, limit: Duration) -> Result<Vec<Offered>, Fault> {
        let malformed = |what: &str| Fault::Lost(format!("its list of tools {what}"));
        let mut tools: Vec<Offered> = Vec::new();
        let mut cursor: Option<Json> = None;
        for _ in 0..MAX_PAGES {
            let mut params = Map::new();
            if let Some(cursor) = &cursor {
                params.insert("cursor".into(), cursor.clone());
            }
            let page = self.ask("tools/list", params, limit).await?;
            let entries = page.get("tools").and_then(Json::as_array);
            for entry in entries.ok_or_else(|| malformed("is none"))? {
                let tool = Offered::read(entry);
                let tool = tool.ok_or_else(|| malformed("has a tool without a name"))?;
                if tools.iter().any(|other| other.name == tool.name) {
                    return Err(malformed("has a name twice"));
                }
                tools.push(tool);
            }
            if tools.len() > MAX_TOOLS {
                return Err(malformed(&format!("has more than {MAX_TOOLS} tools")));
            }
            match page.get("nextCursor") {
                None | Some(Json::Null) => return Ok(tools),
                again if again == cursor.as_ref() => return Err(malformed("goes in circles")),
                next => cursor = next.cloned(),
            }
        }
        Err(malformed(&format!("has more than {MAX_PAGES} pages")))
    }

    /// Makes one call.
    pub(super) async fn call(
        &self,
        tool: &str,
        args: Map<String, Json>,
        limit: Duration,
    ) -> Result<Json, Fault> {
        let mut params = Map::new();
        params.insert("name".into(), tool.into());
        params.insert("arguments".into(), Json::Object(args));
        self.ask("tools/call", params, limit).await
    }

    async fn ask(
        &self,
        method: &str,
        mut params: Map<String, Json>,
        limit: Duration,
    ) -> Result<Json, Fault> {
        if self.stateless {
            let about = json!({
                "io.modelcontextprotocol/protocolVersion": WITHOUT_HANDSHAKE,
                "io.modelcontextprotocol/clientInfo": this(),
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            params.insert("_meta".into(), about);
        }
        let params = Json::Object(params);
        let result = self.link.request(method, &params, limit).await?;
        match result.get("resultType").and_then(Json::as_str) {
            None | Some("complete") => Ok(result),
            // It wants to ask the model or the user; we offered neither.
            Some(_) => Err(Fault::Unsent("it wants input that it cannot have".into())),
        }
    }
}

fn this() -> Json {
    json!({"name": "superstep", "version": env!("CARGO_PKG_VERSION")})
}
