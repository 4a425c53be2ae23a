//! Dovecot and Exim on this machine, one pair for each test.

use std::{
    fs,
    io::Write as _,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, SystemTime},
};

use superstep_mail::{
    Address,
    imap::{Account, Password, Security, Server},
};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/servers.sh");
const ROOT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/mail-servers");

/// How long a server may take to do anything.
const LIMIT: Duration = Duration::from_secs(60);

/// A pair of servers, stopped when it is dropped.
pub(crate) struct Servers {
    pub(crate) imap: u16,
    pub(crate) imaps: u16,
    pub(crate) smtp: u16,
    pub(crate) smtps: u16,
    run: tempfile::TempDir,
    running: Vec<Child>,
}

impl Servers {
    /// Starts a pair; fails if the packages of the servers cannot be had.
    pub(crate) async fn start() -> Self {
        fetch();
        let run = tempfile::tempdir().unwrap();
        fs::write(run.path().join("cert.pem"), include_str!("cert.pem")).unwrap();
        fs::write(run.path().join("key.pem"), include_str!("key.pem")).unwrap();
        let mut servers = Self {
            imap: free(),
            imaps: free(),
            smtp: free(),
            smtps: free(),
            run,
            running: Vec::new(),
        };
        servers.launch("imap", servers.imap, servers.imaps);
        servers.launch("smtp", servers.smtp, servers.smtps);
        for port in [servers.imap, servers.smtp] {
            servers
                .until("a server listens", || {
                    TcpStream::connect(("127.0.0.1", port)).is_ok()
                })
                .await;
        }
        servers
    }

    /// The account of ada, in plain text.
    pub(crate) fn account(&self) -> Account {
        account(self.imap, self.smtp)
    }

    /// The certificate of both servers.
    pub(crate) fn certificate(&self) -> PathBuf {
        self.run.path().join("cert.pem")
    }

    /// Puts a mail into the inbox of ada, unread, at a second of the epoch.
    pub(crate) fn deliver(&self, mail: &[u8], arrived: u64, name: &str) {
        let folder = self.run.path().join("mail/ada");
        let beside = folder.join("tmp").join(name);
        let mut file = fs::File::create(&beside).unwrap();
        file.write_all(mail).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(arrived))
            .unwrap();
        fs::rename(
            beside,
            folder.join("new").join(format!("{arrived}.{name}.test")),
        )
        .unwrap();
    }

    /// How many mails bob has when the server has nothing left to do.
    pub(crate) async fn arrived(&self) -> usize {
        let log = self.run.path().join("exim-mainlog");
        let is_idle = || {
            let text = fs::read_to_string(&log).unwrap_or_default();
            text.matches(" <= ").count() == text.matches(" Completed").count()
        };
        self.until("all mails are delivered", is_idle).await;
        let count = |folder: &str| {
            let folder = self.run.path().join("mail/bob").join(folder);
            fs::read_dir(folder).map_or(0, Iterator::count)
        };
        count("new") + count("cur")
    }

    fn launch(&mut self, server: &str, port: u16, tls_port: u16) {
        let child = Command::new("sh")
            .args([SCRIPT, server, ROOT])
            .arg(self.run.path())
            .args([port.to_string(), tls_port.to_string()])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        self.running.push(child);
    }

    async fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let mut ticks = tokio::time::interval(Duration::from_millis(20));
        let looked = tokio::time::timeout(LIMIT, async {
            while !is_so() {
                ticks.tick().await;
            }
        });
        if looked.await.is_err() {
            panic!("waited too long until {what}:\n{}", self.logs());
        }
    }

    /// All that the servers said.
    fn logs(&self) -> String {
        [
            "imap.out", "smtp.out", "dovecot.log", "exim-mainlog", "exim-paniclog",
        ]
        .iter()
        .map(|name| {
            let text = fs::read_to_string(self.run.path().join(name)).unwrap_or_default();
            format!("--- {name}\n{text}\n")
        })
        .collect()
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &mut self.running {
            // The end of its input tells the script to stop its server.
            drop(child.stdin.take());
            child.wait().ok();
        }
    }
}

/// The account of ada at servers on these ports.
pub(crate) fn account(imap: u16, smtp: u16) -> Account {
    let server = |port| Server {
        host: "127.0.0.1".into(),
        port,
        security: Security::Plain,
    };
    let mut account = Account::new(
        Address::new("ada@test"),
        server(imap),
        server(smtp),
        "ada",
        Password::Given("secret".into()),
    );
    account.limit = Duration::from_secs(20);
    account
}

/// Downloads the servers, unless they are there. Whether they can be had is for whoever runs these
/// tests to find out first; here it is a failure, never a test that passed.
fn fetch() {
    let output = Command::new("sh").args([SCRIPT, "fetch", ROOT]).output();
    let output = output.unwrap();
    let log = fs::read_to_string(Path::new(ROOT).join("log")).unwrap_or_default();
    assert!(
        output.status.success(),
        "the packages of the mail servers cannot be had:\n{}{log}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn free() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}
