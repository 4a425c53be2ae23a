//! Replies of a file server, badly framed if need be.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use superstep_loopback::{Act, Answer, Request, Server, chunk, head};
use tokio::sync::Notify;

/// A server; `answer` gets each request and its number, from 0.
pub(crate) async fn serve(
    answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
) -> Server {
    let count = AtomicUsize::new(0);
    let server = Server::with(move |request| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        answer(request, number).into()
    });
    server.await.unwrap()
}

/// The first byte of the range that was asked for.
pub(crate) fn start(request: &Request) -> Option<usize> {
    let range = request.header("range")?.strip_prefix("bytes=")?;
    range.strip_suffix('-')?.parse().ok()
}

/// What it gets.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) framing: Framing,
    /// After how many bytes of the body the connection is closed.
    pub(crate) cut: Option<usize>,
    /// What the connection waits for after what was sent.
    pub(crate) hold: Option<Arc<Notify>>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Framing {
    Length(usize),
    Chunked,
    UntilClose,
}

impl Reply {
    pub(crate) fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            framing: Framing::Length(0),
            cut: None,
            hold: None,
        }
    }

    pub(crate) fn whole(body: &[u8]) -> Self {
        Self {
            body: body.to_vec(),
            framing: Framing::Length(body.len()),
            ..Self::status(200)
        }
    }

    pub(crate) fn redirect(to: &str) -> Self {
        Self::status(302).with("location", to)
    }

    /// As a good server does: a range if one is asked for.
    pub(crate) fn file(body: &[u8], request: &Request) -> Self {
        let Some(start) = start(request) else {
            return Self::whole(body);
        };
        let Some(rest) = body.get(start..).filter(|rest| !rest.is_empty()) else {
            return Self::status(416);
        };
        let (last, total) = (body.len() - 1, body.len());
        Self {
            status: 206,
            ..Self::whole(rest)
        }
        .with("content-range", format!("bytes {start}-{last}/{total}"))
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn cut(self, after: usize) -> Self {
        Self {
            cut: Some(after),
            ..self
        }
    }

    pub(crate) fn framed(self, framing: Framing) -> Self {
        Self { framing, ..self }
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        let length;
        let mut headers: Vec<(&str, &str)> = Vec::new();
        headers.extend(reply.headers.iter().map(|(name, value)| (*name, &**value)));
        match reply.framing {
            Framing::Length(bytes) => {
                length = bytes.to_string();
                headers.push(("content-length", &length));
            }
            Framing::Chunked => headers.push(("transfer-encoding", "chunked")),
            Framing::UntilClose => {}
        }
        let body = reply.body.get(..reply.cut.unwrap_or(usize::MAX));
        let body = body.unwrap_or(&reply.body);
        let mut acts = vec![Act::Send(head(reply.status, &headers))];
        if matches!(reply.framing, Framing::Chunked) {
            acts.extend(body.chunks(1000).map(|part| Act::Send(chunk(part))));
            if reply.cut.is_none() {
                acts.push(Act::Send(chunk(b"")));
            }
        } else {
            acts.push(Act::Send(body.to_vec()));
        }
        acts.extend(reply.hold.map(Act::Hold));
        Self(acts)
    }
}
