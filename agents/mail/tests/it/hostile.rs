//! Mail that is made to break the assistant: one mail ends nothing but itself.
//!
//! A child is this test program, started again for [`a_run_that_ends_while_it_parses`] with an order
//! in its environment. Its store kills the process when a mail is about to be parsed.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use superstep::{
    Backends,
    model::Script,
    store::{BoxFuture, Op, Outcome, Store, StoreError, UnixMillis},
};
use superstep_mail::{
    AgentError, FolderMailbox, IngestOptions, Ingested, Later, Lookup, MailAgent, MailError,
    MailId, Mailbox, Outgoing, RawMail, SendError, Sent, ThreadKey,
};

use crate::fixture::{Fixture, asked, class, mail, reply, responder, take_in, turns, wet};
use crate::forward::forward;

const PLACE: &str = "SUPERSTEP_MAIL_TEST_PARSE_WORLD";

fn nested(levels: usize) -> Vec<u8> {
    let head = mail("deep", "").replace("\r\n\r\n", "\r\n").into_bytes();
    let mut bytes = head.trim_ascii_end().to_vec();
    bytes.extend(b"\r\n");
    bytes.extend(b"Content-Type: message/rfc822\r\n\r\n".repeat(levels));
    bytes
}

#[tokio::test]
async fn a_mail_that_nests_without_end_is_refused_and_those_behind_it_are_looked_at() {
    let fixture = Fixture::new();
    fixture.put("a.eml", nested(130_000));
    fixture.put("b.eml", mail("lunch", "Lunch?"));
    let agent = fixture.agent(Script::new([class("ignore").always()]));
    for _ in 0..3 {
        let taken = take_in(&agent).await;
        let Ingested::Failed { code, why } = &taken[0].result else {
            panic!("{taken:?}");
        };
        assert_eq!(*code, "SS7020");
        assert!(why.contains("more than 50 levels"), "{why}");
    }
    assert!(fixture.is_read("b.eml"));
}

/// A store whose process ends right after it is on record that a mail is about to be parsed.
struct Deadly {
    inner: Arc<dyn Store>,
    mail: String,
}

impl Store for Deadly {
    fn batch(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Vec<Outcome>, StoreError>> {
        let begins = |op: &Op| match op {
            Op::Put(put) => {
                put.namespace.labels() == ["email_assistant", "parsing"]
                    && put.value["mail"] == self.mail.as_str()
            }
            _ => false,
        };
        let is_due = ops.iter().any(begins);
        Box::pin(async move {
            let done = self.inner.batch(ops).await;
            if is_due {
                die();
            }
            done
        })
    }

    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.inner.sweep_expired(now)
    }
}

/// Kills this process as an operator would; nothing is cleaned up.
fn die() -> ! {
    let id = std::process::id().to_string();
    let killed = Command::new("kill").args(["-9", &id]).status();
    assert!(killed.is_ok(), "there is no `kill`");
    loop {
        thread::park();
    }
}

fn ignoring(fixture: &Fixture, backends: Backends) -> MailAgent {
    fixture.agent_with(Script::new([class("ignore").always()]), backends)
}

/// Runs in a child only; without an order it checks that nothing dies by itself.
#[tokio::test]
async fn a_run_that_ends_while_it_parses() {
    let place = env::var(PLACE).map(PathBuf::from);
    let fixture = match &place {
        Ok(place) => Fixture::at(place),
        Err(_) => Fixture::new(),
    };
    let mut backends = fixture.backends();
    if place.is_ok() {
        backends.store = Some(Arc::new(Deadly {
            inner: backends.store.unwrap(),
            mail: "a.eml".into(),
        }));
    } else {
        fixture.put("a.eml", mail("bad", "Boom"));
    }
    take_in(&ignoring(&fixture, backends)).await;
    assert!(fixture.is_read("a.eml"));
}

/// Whether a child that takes in the mail of a fixture is killed.
fn is_killed(fixture: &Fixture) -> bool {
    let child = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "hostile::a_run_that_ends_while_it_parses",
            "--test-threads=1",
        ])
        .env(PLACE, &fixture.path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    child.code().is_none()
}

#[tokio::test]
async fn a_mail_that_ended_two_runs_is_set_aside_at_the_third_and_can_be_retried() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("bad", "Boom"));
    fixture.put("b.eml", mail("good", "Fine"));
    for _ in 0..2 {
        assert!(is_killed(&fixture));
        assert!(!fixture.is_read("b.eml"), "it was not come to");
    }
    assert!(!is_killed(&fixture), "the mail that kills is not parsed");
    assert!(fixture.is_read("b.eml") && !fixture.is_read("a.eml"));

    let agent = ignoring(&fixture, fixture.backends());
    let id = MailId("a.eml".into());
    for _ in 0..2 {
        let taken = take_in(&agent).await;
        let Ingested::Failed { code, why } = &taken[0].result else {
            panic!("{taken:?}");
        };
        assert_eq!((*code, &taken[0].mail), ("SS7021", &id));
        assert!(why.contains("`a.eml`") && why.contains("2 runs"), "{why}");
    }
    let hint = AgentError::SetAside {
        mail: id.clone(),
        runs: 2,
    };
    assert!(hint.hint().unwrap().contains("mail ingest --retry"));
    // Somebody looked at it: it is a mail like any other.
    assert_eq!(agent.retry(&id).await.unwrap().result, Ingested::Done);
    assert!(fixture.is_read("a.eml"));
}

#[tokio::test]
async fn a_mail_that_ended_one_run_is_parsed_and_its_record_goes() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("bad", "Boom"));
    for round in 0..3 {
        assert!(is_killed(&fixture), "round {round}: it begins anew");
        let agent = ignoring(&fixture, fixture.backends());
        let options = IngestOptions {
            include_read: true,
            rerun: true,
            ..IngestOptions::default()
        };
        let taken = agent.ingest(&options).await.unwrap();
        assert_eq!(taken[0].result, Ingested::Done, "round {round}");
        std::fs::remove_file(fixture.path.join("mail/read/a.eml")).unwrap();
        let thread = taken[0].thread.as_str();
        agent.graph().delete_thread(thread).await.unwrap();
    }
}

#[tokio::test]
async fn a_mail_that_is_refused_is_not_set_aside() {
    let fixture = Fixture::new();
    fixture.put("a.eml", nested(60));
    let agent = ignoring(&fixture, fixture.backends());
    for _ in 0..4 {
        let taken = take_in(&agent).await;
        let is_refused = matches!(taken[0].result, Ingested::Failed { code: "SS7020", .. });
        assert!(is_refused, "{taken:?}");
    }
}

/// A mailbox that counts the bytes it gives.
#[derive(Clone)]
struct Counting {
    inner: FolderMailbox,
    given: Arc<AtomicUsize>,
}

impl Counting {
    fn counted(&self, mails: Result<Vec<RawMail>, MailError>) -> Result<Vec<RawMail>, MailError> {
        let mails = mails?;
        let bytes = mails.iter().map(|mail| mail.bytes.len()).sum();
        self.given.fetch_add(bytes, Ordering::SeqCst);
        Ok(mails)
    }
}

impl Mailbox for Counting {
    forward!(owner, place, list, mark_read);

    fn fetch<'a>(&'a self, id: &'a MailId) -> Later<'a, Result<RawMail, MailError>> {
        Box::pin(async move {
            let mails = self.inner.fetch(id).await.map(|mail| vec![mail]);
            Ok(self.counted(mails)?.remove(0))
        })
    }

    fn thread<'a>(&'a self, thread: &'a ThreadKey) -> Later<'a, Result<Vec<RawMail>, MailError>> {
        Box::pin(async move { self.counted(self.inner.thread(thread).await) })
    }

    fn thread_headers<'a>(
        &'a self,
        thread: &'a ThreadKey,
    ) -> Later<'a, Result<Vec<RawMail>, MailError>> {
        Box::pin(async move { self.counted(self.inner.thread_headers(thread).await) })
    }

    fn send<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Sent, SendError>> {
        self.inner.send(mail)
    }

    fn look_up<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Lookup, MailError>> {
        self.inner.look_up(mail)
    }
}

/// A mail of a thread, with more in its headers and this text.
fn of_thread(number: usize, more: &str, text: &str) -> String {
    format!(
        "From: p{number}@example.org\r\nTo: me@example.org\r\nSubject: Re: long\r\n\
         Message-ID: <{number}@long>\r\nReferences: <0@long>\r\n{more}\r\n{text}\r\n"
    )
}

fn at_second(fixture: &Fixture, name: &str, second: u64) {
    let file = std::fs::File::options()
        .append(true)
        .open(fixture.path.join("mail").join(name))
        .unwrap();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000 + second);
    file.set_modified(time).unwrap();
}

#[tokio::test]
async fn a_thread_of_large_mails_is_read_by_its_headers() {
    const MAILS: usize = 30;
    const LARGE: usize = 2 << 20;
    let fixture = Fixture::new();
    let text = "x".repeat(77) + "\r\n";
    for n in 0..MAILS {
        let name = format!("{n:02}.eml");
        fixture.put(&name, of_thread(n, "", &text.repeat(LARGE / 79)));
        at_second(&fixture, &name, n as u64);
    }
    let mailbox = Counting {
        inner: fixture.mailbox(),
        given: Arc::default(),
    };
    let given = mailbox.given.clone();
    let script = Script::new([class("ignore").always()]);
    let agent = fixture.agent_on(script, mailbox, fixture.calendar(), wet());
    let last = MailId(format!("{:02}.eml", MAILS - 1));
    let input = agent.email_input(&last).await.unwrap();
    assert_eq!(input.participants.len(), MAILS + 1, "all of them are known");
    let most = LARGE + MAILS * 1_000;
    let given = given.load(Ordering::SeqCst);
    assert!(given < most, "{given} bytes for one mail of {LARGE}");
}

#[tokio::test]
async fn headers_without_end_are_read_up_to_a_limit() {
    let fixture = Fixture::new();
    let many = "X-More: y\r\n".repeat(1 << 20);
    fixture.put("0.eml", of_thread(0, &many, "x"));
    fixture.put("1.eml", of_thread(1, "", "x"));
    let mailbox = fixture.mailbox();
    let thread = ThreadKey("0@long".into());
    let heads = mailbox.thread_headers(&thread).await.unwrap();
    let bytes: Vec<usize> = heads.iter().map(|mail| mail.bytes.len()).collect();
    assert_eq!((bytes.len(), bytes[0]), (2, 64 << 10));
    assert!(bytes[1] < 200, "{bytes:?}");
}

/// The question about a reply to the newest of these mails of a thread.
async fn question(mails: &[String]) -> String {
    let fixture = Fixture::new();
    for (at, mail) in mails.iter().enumerate() {
        fixture.put(&format!("{at}.eml"), mail);
        at_second(&fixture, &format!("{at}.eml"), at as u64);
    }
    let last = format!("{}.eml", mails.len() - 1);
    for older in 0..mails.len() - 1 {
        std::fs::create_dir_all(fixture.path.join("mail/read")).unwrap();
        let read = fixture.path.join(format!("mail/read/{older}.eml"));
        std::fs::write(read, "").unwrap();
    }
    let script = responder([turns(&[reply(&last, "Yes.")])], Vec::new());
    let (_, items) = asked(&fixture.agent(script)).await;
    items[0].item.description.clone()
}

fn is_flagged(question: &str, who: &str) -> bool {
    let flag = |line: &str| line.contains("Not in this thread so far") && line.contains(who);
    question.lines().any(flag)
}

#[tokio::test]
async fn whom_a_mail_brings_along_is_flagged_against_the_older_mails() {
    let first = of_thread(0, "Cc: bob@example.org\r\n", "x");
    let more = "Cc: BOB@example.org, eve@evil.example\r\nReply-To: mallory@evil.example\r\n";
    let message = question(&[first, of_thread(1, more, "y")]).await;
    assert!(is_flagged(&message, "eve@evil.example"), "{message}");
    assert!(is_flagged(&message, "mallory@evil.example"), "{message}");
    assert!(!is_flagged(&message, "bob@"), "{message}");
    let message = question(&[of_thread(0, "", "x"), of_thread(1, "", "y")]).await;
    assert!(!message.contains("Not in this thread"), "{message}");
}

#[tokio::test]
async fn a_first_mail_and_a_copy_of_a_mail_make_nobody_known_but_their_sender() {
    let alone = of_thread(0, "Cc: eve@evil.example\r\n", "x");
    let message = question(std::slice::from_ref(&alone)).await;
    assert!(is_flagged(&message, "eve@evil.example"), "{message}");
    assert!(!is_flagged(&message, "p0@example.org"), "{message}");
    // The same Message-ID, delivered twice.
    let message = question(&[alone.clone(), alone]).await;
    assert!(is_flagged(&message, "eve@evil.example"), "{message}");
}

#[tokio::test]
async fn a_mail_that_comes_later_makes_nobody_known() {
    let fixture = Fixture::new();
    fixture.put("0.eml", of_thread(0, "Cc: eve@evil.example\r\n", "x"));
    fixture.put("1.eml", of_thread(1, "Cc: eve@evil.example\r\n", "y"));
    at_second(&fixture, "0.eml", 5);
    at_second(&fixture, "1.eml", 9);
    let agent = fixture.agent(Script::new([class("ignore").always()]));
    let known = async |id: &str| {
        let input = agent.email_input(&MailId(id.into())).await.unwrap();
        let known = input.participants.into_iter();
        known.map(|it| it.email).collect::<Vec<_>>()
    };
    assert_eq!(known("0.eml").await, ["p0@example.org"]);
    let later = known("1.eml").await;
    assert!(later.contains(&"eve@evil.example".to_owned()), "{later:?}");
}
