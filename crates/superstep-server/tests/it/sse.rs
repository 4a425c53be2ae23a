//! Server-sent events, read one by one.

use serde_json::Value as Json;
use superstep::http::{RequestBuilder, Response};

use crate::client::Running;

/// A stream of events that is being read.
pub(crate) struct Events {
    pub(crate) response: Response,
    read: String,
    id: Option<String>,
}

impl Events {
    pub(crate) async fn open(server: &Running, request: RequestBuilder) -> Self {
        let response = server.open(request).await;
        assert_eq!(response.status().as_u16(), 200);
        let read = String::new();
        let id = None;
        Self { response, read, id }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.response.headers()[name].to_str().unwrap()
    }

    /// The id of the event that was read last.
    pub(crate) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The next event; nothing at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<(String, Json)> {
        loop {
            if let Some((event, rest)) = self.read.split_once("\r\n\r\n") {
                let lines: Vec<&str> = event.split("\r\n").collect();
                let found = match lines.as_slice() {
                    [comment] if comment.starts_with(':') => None,
                    [name, data, ids @ ..] => {
                        self.id = ids
                            .first()
                            .map(|id| id.strip_prefix("id: ").unwrap().to_owned());
                        let name = name.strip_prefix("event: ").unwrap().to_owned();
                        let data = data.strip_prefix("data: ").unwrap();
                        Some((name, serde_json::from_str(data).unwrap()))
                    }
                    other => panic!("no event: {other:?}"),
                };
                self.read = rest.to_owned();
                match found {
                    Some(found) => return Some(found),
                    None => continue,
                }
            }
            let Some(chunk) = self.response.chunk().await.unwrap() else {
                assert_eq!(self.read, "", "an event was cut short");
                return None;
            };
            self.read.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// All that is left.
    pub(crate) async fn rest(mut self) -> Vec<(String, Json)> {
        let mut all = Vec::new();
        while let Some(event) = self.next().await {
            all.push(event);
        }
        all
    }
}
