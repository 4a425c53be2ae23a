//! The server: accepts connections, records requests, plays answers.

use std::{
    future::{Future, ready},
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
    sync::Notify,
    task::{JoinHandle, JoinSet},
};

use crate::{Act, Answer, Request};

/// A server on a free port of this machine. It ends when it is dropped.
pub struct Server {
    at: SocketAddr,
    log: Arc<Log>,
    task: JoinHandle<()>,
    runtime: Option<Runtime>,
}

/// What has happened so far.
#[derive(Default)]
struct Log {
    requests: Mutex<Vec<Request>>,
    connections: AtomicUsize,
    hanging: AtomicUsize,
    left: AtomicUsize,
    changed: Notify,
}

type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// When a connection is answered, and with what.
enum Script {
    OnRequest(Box<dyn Fn(Request) -> Answering + Send + Sync>),
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
        answer: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::with_async(move |request| ready(answer(&request))).await
    }

    /// The same, with a function that may wait.
    pub async fn with_async<F>(
        answer: impl Fn(Request) -> F + Send + Sync + 'static,
    ) -> io::Result<Self>
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        Self::on_port(0, answer).await
    }

    /// The same on a port of one's choice; a free one if it is 0. Requests are recorded all the same.
    pub async fn on_port<F>(
        port: u16,
        answer: impl Fn(Request) -> F + Send + Sync + 'static,
    ) -> io::Result<Self>
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        let answer = move |request| Box::pin(answer(request)) as Answering;
        Self::run(port, Script::OnRequest(Box::new(answer))).await
    }

    /// Does this with every connection, without waiting for a request.
    pub async fn on_connection(answer: Answer) -> io::Result<Self> {
        Self::run(0, Script::OnConnection(answer)).await
    }

    /// As [`Server::with`], on a runtime of its own, for tests that have none.
    pub fn on_thread(
        answer: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_io()
            .build()?;
        let mut server = runtime.block_on(Self::with(answer))?;
        server.runtime = Some(runtime);
        Ok(server)
    }

    /// Its address, without a path.
    pub fn address(&self) -> String {
        format!("http://{}", self.at)
    }

    /// Its host and port.
    pub fn host(&self) -> String {
        self.at.to_string()
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.log.lock().clone()
    }

    /// How many connections there were.
    pub fn connections(&self) -> usize {
        self.log.connections.load(Ordering::SeqCst)
    }

    /// Waits until so many requests have come.
    pub async fn asked(&self, count: usize) {
        self.log.until(|log| log.lock().len() >= count).await;
    }

    /// Waits until so many answers hang, with all that comes before it sent.
    pub async fn hangs(&self, count: usize) {
        let hangs = |log: &Log| log.hanging.load(Ordering::SeqCst) >= count;
        self.log.until(hangs).await;
    }

    /// Waits until so many clients have gone away from an answer that hangs.
    pub async fn left(&self, count: usize) {
        let left = |log: &Log| log.left.load(Ordering::SeqCst) >= count;
        self.log.until(left).await;
    }

    async fn run(port: u16, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let at = listener.local_addr()?;
        let log = Arc::new(Log::default());
        let task = tokio::spawn(accept(listener, Arc::new(script), Arc::clone(&log)));
        Ok(Self {
            at,
            log,
            task,
            runtime: None,
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Log {
    fn lock(&self) -> MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, counter: &AtomicUsize) {
        counter.fetch_add(1, Ordering::SeqCst);
        self.changed.notify_waiters();
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

async fn accept(listener: TcpListener, script: Arc<Script>, log: Arc<Log>) {
    let mut open = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        log.count(&log.connections);
        let (script, log) = (Arc::clone(&script), Arc::clone(&log));
        // A client that goes away is nothing to report: tests look at what they got.
        open.spawn(async move { serve(stream, &script, &log).await.ok() });
        while open.try_join_next().is_some() {}
    }
}

async fn serve(mut stream: TcpStream, script: &Script, log: &Log) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let answer = match script {
        Script::OnConnection(answer) => answer.clone(),
        Script::OnRequest(answer) => {
            let request = Request::read(&mut stream).await?;
            log.lock().push(request.clone());
            log.changed.notify_waiters();
            answer(request).await
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
            Act::Hold(released) => released.notified().await,
            Act::Hang => {
                log.count(&log.hanging);
                // Nothing more is asked on this connection: what ends the read is the client.
                let mut rest = [0; 1024];
                while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
                log.count(&log.left);
                return Ok(());
            }
            Act::Reset => return stream.set_zero_linger(),
        }
    }
    stream.shutdown().await
}
