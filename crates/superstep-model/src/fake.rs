//! For tests: a server on this machine that speaks the providers' protocols and fails as told.
//!
//! A [`Server`] answers real HTTP over the loopback with what it is given: an [`Answer`] is what
//! happens on the connection, down to single bytes, silence and resets. [`openai`] and
//! [`anthropic`] write a [`Reply`](crate::Reply) as those providers would send it. What was asked
//! is kept and can be looked at, and tests wait for what happens instead of for time to pass.
//!
//! ```
//! # async fn told() -> std::io::Result<()> {
//! use superstep_model::{Reply, fake::{Answer, Server, openai}};
//!
//! let hello = Reply { content: "hello".into(), ..Reply::default() };
//! let server = Server::start([Answer::events(&openai::stream("m", &hello))]).await?;
//! println!("set OPENAI_BASE_URL to {}/v1", server.address());
//! # Ok(())
//! # }
//! ```

mod answer;
pub mod anthropic;
pub mod openai;

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::Value as Json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::{JoinHandle, JoinSet},
};

pub use answer::{Act, Answer};

/// The most bytes a request may have.
const MAX_REQUEST: usize = 64 << 20;

/// A server on a free port of this machine. It ends when it is dropped.
pub struct Server {
    at: SocketAddr,
    told: Arc<Told>,
    task: JoinHandle<()>,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The method.
    pub method: String,
    /// The path, with its query.
    pub path: String,
    /// The headers, their names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    /// The body; null if it is not JSON.
    pub body: Json,
}

impl Seen {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name)?;
        Some(found.1.as_str())
    }
}

#[derive(Default)]
struct Told {
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
    hanging: AtomicUsize,
    left: AtomicUsize,
    changed: Notify,
}

/// When a connection is answered, and with what.
enum Script {
    OnRequest(Box<dyn Fn(&Seen) -> Answer + Send + Sync>),
    OnConnection(Answer),
}

impl Server {
    /// Answers one request after the other with these; those that come after them get a failure.
    pub async fn start(answers: impl IntoIterator<Item = Answer>) -> io::Result<Self> {
        let answers: Vec<Answer> = answers.into_iter().collect();
        let answers = Mutex::new(answers.into_iter());
        Self::with(move |_| {
            let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
            let unexpected = || Answer::status(501, &[], "no answer is left");
            answers.next().unwrap_or_else(unexpected)
        })
        .await
    }

    /// Answers every request with what the function makes of it.
    pub async fn with(
        answer: impl Fn(&Seen) -> Answer + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::run(Script::OnRequest(Box::new(answer))).await
    }

    /// Does this with every connection, without waiting for a request.
    pub async fn on_connection(answer: Answer) -> io::Result<Self> {
        Self::run(Script::OnConnection(answer)).await
    }

    /// Its address, without a path.
    pub fn address(&self) -> String {
        format!("http://{}", self.at)
    }

    /// Its host and port.
    pub fn host(&self) -> String {
        self.at.to_string()
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.told.lock().clone()
    }

    /// How many connections there were.
    pub fn connections(&self) -> usize {
        self.told.connections.load(Ordering::SeqCst)
    }

    /// Waits until so many requests have come.
    pub async fn asked(&self, count: usize) {
        self.told.until(|told| told.lock().len() >= count).await;
    }

    /// Waits until so many answers hang, with all that comes before it sent.
    pub async fn hangs(&self, count: usize) {
        let hangs = |told: &Told| told.hanging.load(Ordering::SeqCst) >= count;
        self.told.until(hangs).await;
    }

    /// Waits until so many clients have gone away from an answer that hangs.
    pub async fn left(&self, count: usize) {
        let left = |told: &Told| told.left.load(Ordering::SeqCst) >= count;
        self.told.until(left).await;
    }

    async fn run(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let at = listener.local_addr()?;
        let told = Arc::new(Told::default());
        let task = tokio::spawn(accept(listener, Arc::new(script), Arc::clone(&told)));
        Ok(Self { at, told, task })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Told {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn until(&self, is_so: impl Fn(&Self) -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // From here on no change is missed.
            changed.as_mut().enable();
            if is_so(self) {
                return;
            }
            changed.await;
        }
    }
}

async fn accept(listener: TcpListener, script: Arc<Script>, told: Arc<Told>) {
    let mut open = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        told.connections.fetch_add(1, Ordering::SeqCst);
        told.changed.notify_waiters();
        let (script, told) = (Arc::clone(&script), Arc::clone(&told));
        // A client that goes away is nothing to report: tests look at what they got.
        open.spawn(async move { serve(stream, &script, &told).await.ok() });
        while open.try_join_next().is_some() {}
    }
}

async fn serve(mut stream: TcpStream, script: &Script, told: &Told) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let answer = match script {
        Script::OnConnection(answer) => answer.clone(),
        Script::OnRequest(answer) => {
            let seen = read(&mut stream).await?;
            let answer = answer(&seen);
            told.lock().push(seen);
            told.changed.notify_waiters();
            answer
        }
    };
    for act in answer.0 {
        match act {
            Act::Send(bytes) => {
                stream.write_all(&bytes).await?;
                stream.flush().await?;
            }
            Act::Repeat(bytes, times) => {
                for _ in 0..times {
                    stream.write_all(&bytes).await?;
                }
            }
            Act::Hang => {
                told.hanging.fetch_add(1, Ordering::SeqCst);
                told.changed.notify_waiters();
                // Nothing more is asked on this connection: what ends the read is the client.
                let mut rest = [0; 1024];
                while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
                told.left.fetch_add(1, Ordering::SeqCst);
                told.changed.notify_waiters();
                return Ok(());
            }
            Act::Reset => return stream.set_zero_linger(),
        }
    }
    stream.shutdown().await
}

async fn read(stream: &mut TcpStream) -> io::Result<Seen> {
    let mut bytes = Vec::new();
    let head_ends = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        more(stream, &mut bytes).await?;
    };
    let (head, rest) = bytes.split_at(head_ends);
    let head = String::from_utf8_lossy(head).into_owned();
    let mut body = rest.get(4..).unwrap_or_default().to_vec();
    let mut lines = head.split("\r\n");
    let mut words = lines
        .next()
        .unwrap_or_default()
        .split(' ')
        .map(str::to_owned);
    let (method, path) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut seen = Seen {
        method,
        path,
        headers,
        body: Json::Null,
    };
    let length = seen
        .header("content-length")
        .and_then(|text| text.parse().ok());
    let length: usize = length.unwrap_or(0).min(MAX_REQUEST);
    while body.len() < length {
        more(stream, &mut body).await?;
    }
    seen.body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(seen)
}

async fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<()> {
    if bytes.len() > MAX_REQUEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    match stream.read_buf(bytes).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}
