//! Requests and answers of MCP over HTTP.

use serde_json::{Value as Json, json};
use superstep_loopback::{Answer as Played, Request, Server};

/// What a client asked.
pub(super) struct Asked<'a>(&'a Request);

/// What it gets.
#[derive(Clone)]
pub(super) enum Answer {
    Json(Json),
    /// With the session that begins.
    Greeting(Json, &'static str),
    /// With a status of failure.
    Refusal(Json),
    Events(Vec<Json>),
    Status(u16),
    Redirect(&'static str),
    /// The connection ends in the middle.
    Cut,
    /// Nothing, for ever.
    Silence,
    /// More than anybody wants to read.
    Large,
}

impl Asked<'_> {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.0.header(name)
    }

    pub(super) fn method(&self) -> &str {
        self.0.body["method"].as_str().unwrap_or_default()
    }

    pub(super) fn reply(&self, result: Json) -> Json {
        json!({"jsonrpc": "2.0", "id": self.0.body["id"], "result": result})
    }
}

/// A server that answers with what the function makes of a message.
pub(super) async fn serve(answer: impl Fn(&Asked<'_>) -> Answer + Send + Sync + 'static) -> Server {
    let server = Server::with(move |request| played(answer(&Asked(request))));
    server.await.unwrap()
}

/// Where its messages go.
pub(super) fn url(server: &Server) -> String {
    format!("{}/mcp", server.address())
}

fn played(answer: Answer) -> Played {
    let json = ("content-type", "application/json");
    match answer {
        Answer::Json(body) => Played::json(200, &body),
        Answer::Greeting(body, session) => {
            let headers = [json, ("mcp-session-id", session)];
            Played::status(200, &headers, body.to_string())
        }
        Answer::Refusal(body) => Played::json(400, &body),
        Answer::Events(events) => {
            let events = events
                .iter()
                .map(|it| format!("event: message\ndata: {it}\n\n"));
            Played::events(&events.collect::<String>())
        }
        Answer::Status(status) => Played::status(status, &[], ""),
        Answer::Redirect(to) => Played::status(307, &[("location", to)], ""),
        Answer::Cut => {
            let mut head = superstep_loopback::head(200, &[json, ("content-length", "100")]);
            head.extend_from_slice(b"{\"json");
            Played::raw(head)
        }
        Answer::Silence => Played::hang(),
        Answer::Large => Played::status(200, &[json], "x".repeat(9 << 20)),
    }
}
