//! A process that is killed between an approval and its effect, in the middle of it, or after it.
//!
//! The child is this test program, started again for [`a_life_that_may_be_cut_short`] with an order
//! in its environment. It answers the open questions and is killed at a call of its mailbox.

use std::{
    env,
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use superstep_mail::{
    Address, Answer, Busy, Calendar, Event, EventId, EventLookup, FolderCalendar, FolderMailbox,
    InboxItem, IngestOptions, Ingested, Later, Lookup, MailAgent, MailError, MailId, Mailbox,
    NewEvent, Outgoing, SendError, Sent, Settings, Span,
};

use crate::fixture::{Fixture, asked, done, mail, meeting, reply, responder, take_in, turns, wet};
use crate::forward::forward;

const PLACE: &str = "SUPERSTEP_MAIL_TEST_WORLD";
const ORDER: &str = "SUPERSTEP_MAIL_TEST_KILL";

/// Where a life is cut short: at its n-th call of the outside world, before or after the call has
/// its effect.
struct Cut {
    at: usize,
    is_after: bool,
    calls: AtomicUsize,
}

impl Cut {
    fn new(at: usize, is_after: bool) -> Arc<Self> {
        Arc::new(Self {
            at,
            is_after,
            calls: AtomicUsize::new(0),
        })
    }

    fn never() -> Arc<Self> {
        Self::new(usize::MAX, false)
    }

    fn is_due(&self) -> bool {
        self.calls.fetch_add(1, Ordering::SeqCst) + 1 == self.at
    }

    async fn around<T>(&self, call: impl Future<Output = T>) -> T {
        let is_due = self.is_due();
        if is_due && !self.is_after {
            die();
        }
        let result = call.await;
        if is_due {
            die();
        }
        result
    }
}

/// A mailbox whose process may die at any call.
///
/// A folder cannot hold a mail twice. So this one counts what goes out: a line for every time.
struct Deadly {
    inner: FolderMailbox,
    outbox: PathBuf,
    cut: Arc<Cut>,
}

impl Deadly {
    fn new(fixture: &Fixture, cut: &Arc<Cut>) -> Self {
        Self {
            inner: fixture.mailbox(),
            outbox: fixture.path.join("outbox"),
            cut: cut.clone(),
        }
    }

    async fn send_for_real(&self, mail: &Outgoing) -> Result<Sent, SendError> {
        let sent = self.inner.send(mail).await?;
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.outbox)
            .unwrap();
        file.write_all(format!("{}\n", mail.message_id).as_bytes())
            .unwrap();
        Ok(sent)
    }
}

/// A calendar whose process may die at any call that changes it.
struct DeadlyCalendar {
    inner: FolderCalendar,
    cut: Arc<Cut>,
}

impl Calendar for DeadlyCalendar {
    fn place(&self) -> String {
        self.inner.place()
    }

    fn time_zone(&self) -> String {
        self.inner.time_zone()
    }

    fn events(&self, span: Span) -> Later<'_, Result<Vec<Event>, MailError>> {
        self.inner.events(span)
    }

    fn busy(&self, span: Span) -> Later<'_, Result<Vec<Busy>, MailError>> {
        self.inner.busy(span)
    }

    fn insert<'a>(&'a self, event: &'a NewEvent) -> Later<'a, Result<EventId, MailError>> {
        Box::pin(self.cut.around(self.inner.insert(event)))
    }

    fn look_up<'a>(&'a self, event: &'a NewEvent) -> Later<'a, Result<EventLookup, MailError>> {
        Box::pin(self.cut.around(self.inner.look_up(event)))
    }
}

/// Kills this process as an operator would; nothing is cleaned up.
fn die() -> ! {
    let killed = Command::new("kill")
        .args(["-9", &std::process::id().to_string()])
        .stdout(Stdio::null())
        .status();
    assert!(killed.is_ok(), "there is no `kill`");
    loop {
        thread::park();
    }
}

impl Mailbox for Deadly {
    forward!(place, list, fetch, thread);

    fn owner(&self) -> &Address {
        if self.cut.is_due() {
            die();
        }
        self.inner.owner()
    }

    fn mark_read<'a>(&'a self, id: &'a MailId) -> Later<'a, Result<(), MailError>> {
        Box::pin(self.cut.around(self.inner.mark_read(id)))
    }

    fn send<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Sent, SendError>> {
        Box::pin(self.cut.around(self.send_for_real(mail)))
    }

    fn look_up<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Lookup, MailError>> {
        Box::pin(self.cut.around(async {
            let is_out = went_out(&self.outbox).contains(&mail.message_id);
            Ok(match is_out {
                true => Lookup::Sent(Sent { id: None }),
                false => Lookup::NotSent,
            })
        }))
    }
}

/// Every mail that went out, as often as it did.
fn went_out(outbox: &Path) -> Vec<String> {
    let text = fs::read_to_string(outbox).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn script() -> superstep::model::Script {
    let calls = [
        reply("a.eml", "One."),
        reply("a.eml", "Two."),
        meeting("2026-11-16T10:00:00", "2026-11-16T10:30:00"),
    ];
    responder([turns(&calls), turns(&[done()])], Vec::new())
}

fn deadly(fixture: &Fixture, cut: &Arc<Cut>, settings: Settings) -> MailAgent {
    let calendar = DeadlyCalendar {
        inner: fixture.calendar(),
        cut: cut.clone(),
    };
    fixture.agent_on(script(), Deadly::new(fixture, cut), calendar, settings)
}

/// One is edited, the others are accepted.
async fn decide(agent: &MailAgent, thread: &str) {
    let items = agent.open(thread).await.unwrap();
    let answer = |item: &InboxItem| {
        let mut args = item.item.action_request.args.clone();
        if args.get("response_text").is_none_or(|text| text != "One.") {
            return (item.ask, Answer::accept());
        }
        args.insert("response_text".into(), "One, edited.".into());
        (item.ask, Answer::edit("send_email_tool", args))
    };
    let answers: Vec<_> = items.iter().map(answer).collect();
    agent.answer(thread, answers).await.unwrap();
}

/// Runs in a child only; without an order it checks that the calls of a whole life can be counted.
#[tokio::test]
async fn a_life_that_may_be_cut_short() {
    let order = env::var(ORDER).unwrap_or_default();
    let (fixture, at, is_after) = match order.split_once('/') {
        Some((at, when)) => {
            let place = env::var(PLACE).unwrap();
            (
                Fixture::at(place.as_ref()),
                at.parse().unwrap(),
                when == "after",
            )
        }
        None => {
            let fixture = Fixture::new();
            fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
            asked(&fixture.agent(script())).await;
            (fixture, usize::MAX, false)
        }
    };
    let agent = deadly(&fixture, &Cut::new(at, is_after), wet());
    let thread = take_in(&agent).await[0].thread.clone();
    decide(&agent, &thread).await;
    assert_eq!(fixture.sent_texts(), ["One, edited.", "Two."]);
}

/// How a life ends that is cut short at a call.
fn live(fixture: &Fixture, at: usize, when: &str) -> bool {
    let child = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "killed::a_life_that_may_be_cut_short",
            "--test-threads=1",
        ])
        .env(PLACE, &fixture.path)
        .env(ORDER, format!("{at}/{when}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(child.code().is_none() || child.success(), "{child}");
    child.code().is_none()
}

#[tokio::test]
async fn what_was_approved_is_done_exactly_once_wherever_the_process_is_killed() {
    let mut killed = 0;
    let mut at = 0;
    'calls: loop {
        at += 1;
        for when in ["before", "after"] {
            let fixture = Fixture::new();
            fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
            let (thread, _) = asked(&fixture.agent(script())).await;
            if !live(&fixture, at, when) {
                break 'calls;
            }
            killed += 1;
            // Another process continues. Answers that were not stored are given again.
            let agent = deadly(&fixture, &Cut::never(), wet());
            if !agent.open(&thread).await.unwrap().is_empty() {
                decide(&agent, &thread).await;
            }
            take_in(&agent).await;
            // A meeting that is in no place is asked about.
            if !agent.open(&thread).await.unwrap().is_empty() {
                decide(&agent, &thread).await;
            }
            assert_eq!(
                fixture.sent_texts(),
                ["One, edited.", "Two."],
                "killed {when} call {at}"
            );
            let out = went_out(&fixture.path.join("outbox"));
            assert_eq!(out.len(), 2, "killed {when} call {at}: {out:?}");
            assert_eq!(fixture.meetings(), 1, "killed {when} call {at}");
            let found = agent.graph().state(thread.as_str()).await.unwrap();
            assert!(found.next.is_empty(), "killed {when} call {at}");
            assert!(fixture.is_read("a.eml"), "killed {when} call {at}");
            let again = take_in(&agent).await;
            assert!(
                again.iter().all(|it| it.result == Ingested::Known),
                "{again:?}"
            );
        }
    }
    assert!(killed > 10, "only {killed} lives were cut short");
}

#[tokio::test]
async fn a_dry_run_that_continues_does_nothing_wherever_the_process_was_killed() {
    let mut asked_again = 0;
    let mut at = 0;
    'calls: loop {
        at += 1;
        for when in ["before", "after"] {
            let fixture = Fixture::new();
            fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
            let (thread, _) = asked(&fixture.agent(script())).await;
            if !live(&fixture, at, when) {
                break 'calls;
            }
            let outbox = fixture.path.join("outbox");
            let before = (went_out(&outbox).len(), fixture.meetings());
            let dry = deadly(&fixture, &Cut::never(), Settings::default());
            take_in(&dry).await;
            let after = (went_out(&outbox).len(), fixture.meetings());
            assert_eq!(before, after, "killed {when} call {at}");
            // What is open now is answered for real: nothing is lost, and nothing is done twice.
            let real = deadly(&fixture, &Cut::never(), wet());
            for _ in 0..3 {
                let items = real.open(&thread).await.unwrap();
                if items.is_empty() {
                    break;
                }
                let is_again =
                    |it: &&InboxItem| it.item.action_request.action.ends_with("asked again");
                asked_again += items.iter().filter(is_again).count();
                decide(&real, &thread).await;
            }
            assert_eq!(went_out(&outbox).len(), 2, "killed {when} call {at}");
            assert_eq!(fixture.meetings(), 1, "killed {when} call {at}");
            assert_eq!(fixture.sent_texts(), ["One, edited.", "Two."]);
        }
    }
    assert!(asked_again > 10, "only {asked_again} were asked again");
}

#[tokio::test]
async fn a_rerun_says_what_was_done_before_wherever_the_process_was_killed() {
    let (mut told, mut at) = (0, 0);
    'calls: loop {
        at += 1;
        for when in ["before", "after"] {
            let fixture = Fixture::new();
            fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
            let (thread, _) = asked(&fixture.agent(script())).await;
            if !live(&fixture, at, when) {
                break 'calls;
            }
            let agent = deadly(&fixture, &Cut::never(), wet());
            let rerun = IngestOptions {
                rerun: true,
                include_read: true,
                ..IngestOptions::default()
            };
            agent.ingest(&rerun).await.unwrap();
            let sent = went_out(&fixture.path.join("outbox")).len();
            let done = sent + fixture.meetings();
            let items = agent.open(&thread).await.unwrap();
            assert!(!items.is_empty(), "killed {when} call {at}");
            for item in &items {
                let is_asked = item.item.action_request.action.ends_with("unknown");
                let lines = item.item.description.lines();
                let past_calls = lines
                    .filter(|it| it.contains("before about this mail"))
                    .count();
                assert!(
                    is_asked || past_calls == done,
                    "killed {when} call {at}, {done} done: {}",
                    item.item.description
                );
                told += past_calls;
            }
        }
    }
    assert!(told > 10, "only {told} were told");
}
