//! A process is killed before, during and after a send through Gmail: one mail goes out, or a
//! person is asked to look; never two.

use std::time::Duration;

use superstep_fake_google::{self as fake, Fault};
use superstep_mail::{
    Address, Mailbox, Outgoing,
    google::{Google, GoogleSettings, Keys, Token},
};

use crate::{
    child::{self, Sender, Stop},
    mails::outgoing,
    setup::server,
};

const SEND: &str = "/messages/send";

/// What the child needs to open the mailbox of a server.
pub(crate) fn given(server: &fake::Google) -> String {
    format!("google {} {}", server.address(), server.token())
}

/// Opens what [`given`] tells.
pub(crate) fn open(given: &str) -> (Box<dyn Mailbox>, Outgoing) {
    let mut words = given.splitn(3, ' ').skip(1);
    let settings = GoogleSettings {
        settle: Duration::from_secs(2),
        ..GoogleSettings::at(words.next().unwrap())
    };
    let token = Token::read(words.next().unwrap()).unwrap();
    let account = Google::new(Keys::new(token), settings).unwrap();
    let mailbox = account.mailbox_of(Address::new("ada@example.org")).unwrap();
    (
        Box::new(mailbox),
        outgoing("ada@example.org", "b@b.example"),
    )
}

struct Scene {
    server: fake::Google,
    folder: tempfile::TempDir,
}

impl Scene {
    async fn new() -> Self {
        Self {
            server: server().await,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn sender(&self, stop: Stop) -> Sender {
        Sender::start(&given(&self.server), &self.folder.path().join("note"), stop)
    }

    async fn finish(&self, sender: Sender) -> String {
        tokio::task::spawn_blocking(|| sender.finish())
            .await
            .unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_the_send_a_person_has_to_look() {
    if let Some(note) = child::note() {
        return child::send(note).await;
    }
    let scene = Scene::new().await;
    let mut first = scene.sender(Stop::BeforeSending);
    first.until("waiting");
    first.kill();
    let verdict = scene.finish(scene.sender(Stop::Never)).await;
    assert_eq!((verdict.as_str(), scene.server.sent().len()), ("unsure", 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_the_service_works_it_is_found_by_the_next() {
    let scene = Scene::new().await;
    scene.server.trap(SEND, Fault::HoldBefore, 1);
    let first = scene.sender(Stop::Never);
    scene.server.held(1).await;
    first.kill();
    // The service continues with what it was given, whoever is still there to hear of it.
    scene.server.release();
    scene.server.has_sent(1).await;
    let verdict = scene.finish(scene.sender(Stop::Never)).await;
    assert_eq!((verdict.as_str(), scene.server.sent().len()), ("found", 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_slower_than_the_next_process_is_waited_for() {
    let scene = Scene::new().await;
    scene.server.trap(SEND, Fault::HoldBefore, 1);
    let first = scene.sender(Stop::Never);
    scene.server.held(1).await;
    first.kill();
    // The first look of the next process is held until it has found nothing to be there.
    scene.server.trap("labelIds=SENT", Fault::HoldAfter, 1);
    let second = scene.sender(Stop::Never);
    scene.server.held(2).await;
    scene.server.release();
    let verdict = scene.finish(second).await;
    assert_eq!((verdict.as_str(), scene.server.sent().len()), ("found", 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_the_answer_it_is_found_by_the_next() {
    let scene = Scene::new().await;
    scene.server.trap(SEND, Fault::HoldAfter, 1);
    let first = scene.sender(Stop::Never);
    scene.server.held(1).await;
    first.kill();
    let verdict = scene.finish(scene.sender(Stop::Never)).await;
    assert_eq!((verdict.as_str(), scene.server.sent().len()), ("found", 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_the_send_it_is_found_by_the_next() {
    let scene = Scene::new().await;
    let mut first = scene.sender(Stop::AfterSending);
    first.until("waiting");
    first.kill();
    let verdict = scene.finish(scene.sender(Stop::Never)).await;
    assert_eq!((verdict.as_str(), scene.server.sent().len()), ("found", 1));
}
