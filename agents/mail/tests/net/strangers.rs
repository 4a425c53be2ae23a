//! Servers that are not what they should be: nothing is given away, and nothing waits for ever.

use std::{sync::Arc, time::Duration};

use superstep_mail::{
    Address, MailError, Mailbox, Query, SendError,
    imap::{Account, ImapMailbox, Password, Security, Server},
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpListener,
    sync::Mutex,
    task::JoinHandle,
};

use crate::{servers::Servers, setup::outgoing};

/// A server that has an answer for each line it may get, and keeps what it got.
struct Stranger {
    port: u16,
    got: Arc<Mutex<String>>,
    task: JoinHandle<()>,
}

impl Stranger {
    async fn start(greeting: &'static str, answer: fn(&str) -> String) -> Self {
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

    fn server(&self, security: Security) -> Server {
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

fn account(imap: Server, smtp: Server) -> Account {
    let password = Password::Given("hunter2hunter2".into());
    let mut account = Account::new(Address::new("ada@test"), imap, smtp, "ada", password);
    account.limit = Duration::from_millis(300);
    account
}

#[tokio::test]
async fn a_reading_server_that_does_not_encrypt_gets_no_password() {
    let stranger = Stranger::start("* OK hello\r\n", |line| {
        let tag = line.split(' ').next().unwrap_or_default();
        format!("{tag} BAD no such command\r\n")
    })
    .await;
    let server = stranger.server(Security::StartTls);
    let mailbox = ImapMailbox::new(account(server.clone(), server)).unwrap();
    let error = mailbox.check().await.unwrap_err();
    assert_eq!(error.code(), "SS7005", "{error}");
    let got = stranger.got.lock().await.clone();
    assert!(got.contains("STARTTLS") && !got.contains("LOGIN"), "{got}");
}

#[tokio::test]
async fn a_sending_server_that_does_not_encrypt_gets_no_password_and_no_mail() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let answers: [fn(&str) -> String; 2] = [
        |_| "250-hello\r\n250 AUTH PLAIN\r\n".into(),
        // It is ready to encrypt, and has an answer to what will be asked afterwards.
        |line| match line {
            "STARTTLS" => "220 go ahead\r\n250 AUTH PLAIN\r\n".into(),
            _ => "250-hello\r\n250 STARTTLS\r\n".into(),
        },
    ];
    for answer in answers {
        let stranger = Stranger::start("220 hello\r\n", answer).await;
        let mut account = account(servers.account().imap, stranger.server(Security::StartTls));
        account.password = Password::Given("secret".into());
        account.limit = Duration::from_secs(10);
        let mailbox = ImapMailbox::new(account).unwrap();
        let error = mailbox.send(&outgoing("ada@test", "bob@test")).await;
        let error = error.unwrap_err();
        let is_refused = matches!(error, SendError::NotSent(MailError::Refused { .. }));
        assert!(is_refused, "{error}");
        let got = stranger.got.lock().await.clone();
        assert!(!got.contains("AUTH") && !got.contains("MAIL"), "{got}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    for greeting in ["", "* OK hello\r\n"] {
        let stranger = Stranger::start(greeting, |_| String::new()).await;
        let server = stranger.server(Security::Plain);
        let mailbox = ImapMailbox::new(account(server.clone(), server)).unwrap();
        let error = mailbox.list(&Query::default(), None).await.unwrap_err();
        assert_eq!(error.code(), "SS7001", "{error}");
        assert!(error.to_string().contains("in time"), "{error}");
        assert!(!format!("{error:?} {mailbox:?}").contains("hunter2"));
    }
}

#[tokio::test]
async fn a_server_that_talks_nonsense_is_an_error() {
    let stranger = Stranger::start("* OK hello\r\n", |_| "%%%\r\n".into()).await;
    let server = stranger.server(Security::Plain);
    let mailbox = ImapMailbox::new(account(server.clone(), server)).unwrap();
    let error = mailbox.list(&Query::default(), None).await.unwrap_err();
    assert!(["SS7001", "SS7005"].contains(&error.code()), "{error}");
    assert!(!format!("{error:?}").contains("hunter2"));
}
