//! A process is killed before, during and after a send through Exim: bob gets one mail, or a
//! person is asked to look; never two.

use std::time::Duration;

use superstep_mail::{Mailbox, Outgoing, imap::ImapMailbox};

use crate::{
    child::{self, Sender, Stop, killed_after},
    mails::outgoing,
    pair::{self, Servers},
    proxy::{Mischief, Proxy},
};

/// What the child needs to open the mailbox at these ports and send a mail with this id.
pub(crate) fn given(imap: u16, smtp: u16, id: &str) -> String {
    format!("imap {imap} {smtp} {id}@superstep.example")
}

/// Opens what [`given`] tells.
pub(crate) fn open(given: &str) -> (Box<dyn Mailbox>, Outgoing) {
    let words: Vec<&str> = given.split(' ').collect();
    let port = |at: usize| words[at].parse().unwrap();
    let mut account = pair::account(port(1), port(2));
    account.settle = Duration::from_secs(3);
    let mailbox = ImapMailbox::new(account).unwrap();
    let mail = outgoing("ada@test", "bob@test");
    let text = String::from_utf8(mail.bytes).unwrap();
    let mail = Outgoing {
        bytes: text.replace(&mail.message_id, words[3]).into_bytes(),
        message_id: words[3].to_owned(),
        ..mail
    };
    (Box::new(mailbox), mail)
}

struct Scene {
    servers: Servers,
    folder: tempfile::TempDir,
}

impl Scene {
    async fn new() -> Self {
        Self {
            servers: Servers::start().await,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn sender(&self, smtp: u16, stop: Stop) -> Sender {
        let given = given(self.servers.imap, smtp, "out-1");
        Sender::start(&given, &self.folder.path().join("note"), stop)
    }

    /// What the next process says, and how many mails bob has then.
    async fn next(&self) -> (String, usize) {
        let sender = self.sender(self.servers.smtp, Stop::Never);
        let verdict = tokio::task::spawn_blocking(|| sender.finish())
            .await
            .unwrap();
        (verdict, self.servers.arrived().await)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_the_send_it_is_sent_by_the_next() {
    if let Some(note) = child::note() {
        return child::send(note).await;
    }
    let scene = Scene::new().await;
    let mut first = scene.sender(scene.servers.smtp, Stop::BeforeSending);
    first.until("waiting");
    first.kill();
    assert_eq!(scene.next().await, ("sent".into(), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_the_mail_was_whole_a_person_has_to_look() {
    let scene = Scene::new().await;
    let mut proxy = Proxy::start(scene.servers.smtp, Mischief::HoldMail).await;
    let first = scene.sender(proxy.port, Stop::Never);
    proxy.held().await;
    first.kill();
    assert_eq!(scene.next().await, ("unsure".into(), 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_the_answer_it_is_found_by_the_next() {
    let scene = Scene::new().await;
    let mut proxy = Proxy::start(scene.servers.smtp, Mischief::HoldAnswer).await;
    let first = scene.sender(proxy.port, Stop::Never);
    proxy.held().await;
    first.kill();
    assert_eq!(scene.next().await, ("found".into(), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_the_send_it_is_found_by_the_next() {
    let scene = Scene::new().await;
    let mut first = scene.sender(scene.servers.smtp, Stop::AfterSending);
    first.until("waiting");
    first.kill();
    assert_eq!(scene.next().await, ("found".into(), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_server_never_sends_twice() {
    let servers = Servers::start().await;
    let folder = tempfile::tempdir().unwrap();
    let mut before = 0;
    for step in 0..24 {
        let note = folder.path().join(step.to_string());
        let after = Duration::from_millis(step * 5);
        let mailbox = given(servers.imap, servers.smtp, &format!("kill-{step}"));
        let verdict = killed_after(&mailbox, &note, after).await;
        let arrived = servers.arrived().await - before;
        before += arrived;
        let is_right = match verdict.as_str() {
            "sent" | "found" => arrived == 1,
            "unsure" => arrived <= 1,
            _ => false,
        };
        assert!(is_right, "{after:?}: {verdict}, {arrived} arrived");
    }
}
