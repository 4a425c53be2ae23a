//! A server on this machine that answers as it is told, badly if need be.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// What a client asked for.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The first byte of the range.
    pub(crate) fn start(&self) -> Option<usize> {
        let range = self.header("range")?.strip_prefix("bytes=")?;
        range.strip_suffix('-')?.parse().ok()
    }
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
    /// Never closes the connection after what was sent.
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
        let Some(start) = request.start() else {
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

/// Runs until it is dropped.
pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Request>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// `answer` gets each request and its number, from 0.
    pub(crate) async fn start(
        answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&seen), Arc::new(answer));
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                tokio::spawn(async move { serve(stream, &log, &*answer).await });
            }
        });
        Self { url, seen, task }
    }

    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<Request>>,
    answer: &(dyn Fn(&Request, usize) -> Reply + Send + Sync),
) {
    let Some(request) = read(&mut stream).await else {
        return;
    };
    let number = {
        let mut log = log.lock().unwrap();
        log.push(request.clone());
        log.len() - 1
    };
    let reply = answer(&request, number);
    let mut head = format!("HTTP/1.1 {} x\r\nconnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match reply.framing {
        Framing::Length(length) => head.push_str(&format!("content-length: {length}\r\n")),
        Framing::Chunked => head.push_str("transfer-encoding: chunked\r\n"),
        Framing::UntilClose => {}
    }
    head.push_str("\r\n");
    let body = reply.body.get(..reply.cut.unwrap_or(usize::MAX));
    let body = body.unwrap_or(&reply.body);
    // A client that has enough closes the connection: no failure of the server.
    let _ = stream.write_all(head.as_bytes()).await;
    if matches!(reply.framing, Framing::Chunked) {
        for piece in body.chunks(1000) {
            let _ = stream
                .write_all(format!("{:x}\r\n", piece.len()).as_bytes())
                .await;
            let _ = stream.write_all(piece).await;
            let _ = stream.write_all(b"\r\n").await;
        }
        if reply.cut.is_none() {
            let _ = stream.write_all(b"0\r\n\r\n").await;
        }
    } else {
        let _ = stream.write_all(body).await;
    }
    if let Some(hold) = reply.hold {
        hold.notified().await;
    }
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    Some(Request { path, headers })
}
