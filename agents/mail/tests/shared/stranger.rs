//! A server that is not what it should be.

use std::sync::Arc;

use superstep_mail::imap::{Security, Server};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpListener,
    sync::Mutex,
    task::JoinHandle,
};

/// A server that has an answer for each line it may get, and keeps what it got.
pub(crate) struct Stranger {
    port: u16,
    pub(crate) got: Arc<Mutex<String>>,
    task: JoinHandle<()>,
}

impl Stranger {
    pub(crate) async fn start(greeting: &'static str, answer: fn(&str) -> String) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let got = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&got);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (reader, mut writer) = stream.into_split();
                writer.write_all(greeting.as_bytes()).await.ok();
                let mut lines = BufReader::new(reader).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    kept.lock().await.push_str(&line);
                    writer.write_all(answer(&line).as_bytes()).await.ok();
                }
            }
        });
        Self { port, got, task }
    }

    pub(crate) fn server(&self, security: Security) -> Server {
        Server {
            host: "127.0.0.1".into(),
            port: self.port,
            security,
        }
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.task.abort();
    }
}
