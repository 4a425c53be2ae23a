//! Between a client and a server: counts what the server says, and passes everything on until a
//! mail itself comes over SMTP.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::{JoinHandle, JoinSet},
};

/// What it does when the mail comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mischief {
    /// Nothing: all is passed on.
    None,
    /// The server does not get the end of the mail.
    HoldMail,
    /// The server gets the mail; the client does not get the answer.
    HoldAnswer,
    /// The same, and the connection breaks off.
    CutAnswer,
}

/// A proxy; it ends when it is dropped.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    passed: Arc<AtomicUsize>,
    held: watch::Receiver<bool>,
    task: JoinHandle<()>,
}

impl Proxy {
    pub(crate) async fn start(server: u16, mischief: Mischief) -> Self {
        Self::start_at(0, server, mischief).await
    }

    /// The same on a port.
    pub(crate) async fn start_at(port: u16, server: u16, mischief: Mischief) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (tell, held) = watch::channel(false);
        let tell = Arc::new(tell);
        let passed = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&passed);
        let task = tokio::spawn(async move {
            // With the proxy its connections end.
            let mut open = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (tell, count) = (Arc::clone(&tell), Arc::clone(&count));
                open.spawn(pass(client, server, mischief, tell, count));
            }
        });
        Self {
            port,
            passed,
            held,
            task,
        }
    }

    /// How many bytes the server has said.
    pub(crate) fn passed(&self) -> usize {
        self.passed.load(Ordering::SeqCst)
    }

    /// Waits until something is held.
    pub(crate) async fn held(&mut self) {
        self.held.wait_for(|held| *held).await.unwrap();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(
    client: TcpStream,
    server: u16,
    mischief: Mischief,
    tell: Arc<watch::Sender<bool>>,
    passed: Arc<AtomicUsize>,
) {
    let server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let (ended, is_over) = watch::channel(false);
    let upward = up(from_client, to_server, mischief, ended, Arc::clone(&tell));
    let downward = down(from_server, to_client, mischief, is_over, tell, passed);
    tokio::select! {
        () = upward => {}
        () = downward => {}
    }
}

/// Passes on what the client says; notes when the mail has ended.
async fn up(
    mut client: OwnedReadHalf,
    mut server: OwnedWriteHalf,
    mischief: Mischief,
    ended: watch::Sender<bool>,
    tell: Arc<watch::Sender<bool>>,
) {
    let mut buffer = vec![0; 1 << 16];
    let mut mail: Option<Vec<u8>> = None;
    while let Ok(read @ 1..) = client.read(&mut buffer).await {
        let bytes = &buffer[..read];
        if let Some(mail) = &mut mail {
            mail.extend_from_slice(bytes);
            if mail.ends_with(b"\r\n.\r\n") {
                ended.send_replace(true);
                if mischief == Mischief::HoldMail {
                    tell.send_replace(true);
                }
            }
            if mischief == Mischief::HoldMail {
                continue;
            }
        } else if bytes == b"DATA\r\n" {
            mail = Some(Vec::new());
        }
        server.write_all(bytes).await.ok();
    }
}

/// Passes on what the server says, until it answers the mail.
async fn down(
    mut server: OwnedReadHalf,
    mut client: OwnedWriteHalf,
    mischief: Mischief,
    ended: watch::Receiver<bool>,
    tell: Arc<watch::Sender<bool>>,
    passed: Arc<AtomicUsize>,
) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read @ 1..) = server.read(&mut buffer).await {
        passed.fetch_add(read, Ordering::SeqCst);
        if *ended.borrow() {
            tell.send_replace(true);
            match mischief {
                Mischief::CutAnswer => return,
                Mischief::HoldAnswer | Mischief::HoldMail => continue,
                Mischief::None => {}
            }
        }
        client.write_all(&buffer[..read]).await.ok();
    }
}
