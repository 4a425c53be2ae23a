//! What was approved is sent once, whatever the mailbox does.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use superstep::Outcome;
use superstep_mail::{
    Answer, Calendar, Event, EventId, EventLookup, FolderCalendar, FolderMailbox, Later, Lookup,
    MailError, Mailbox, NewEvent, Outgoing, SendError, Sent, Span,
};
use tokio::sync::Notify;

use crate::fixture::{
    Fixture, about, answer, asked, done, mail, meeting, refused, reply, responder, turns, wet,
};
use crate::forward::forward;

/// How a mailbox fails, one attempt after the other; then it works.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// The mail goes out, and the answer does not come.
    LostAnswer,
    /// The mail goes out, and the call never returns.
    Hangs,
    /// Nothing goes out, and nobody knows.
    LostMail,
    /// The same, but it is on its way.
    LateMail,
    /// It says that nothing went out; it may later.
    Down,
    /// The credentials were taken back.
    Revoked,
    /// It refuses this mail for good.
    Refused,
}

/// What it says when it is asked for a mail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Looks {
    Truly,
    Unsure,
}

#[derive(Clone)]
pub(crate) struct Faulty {
    inner: FolderMailbox,
    faults: Arc<Mutex<Vec<Fault>>>,
    looks: Looks,
    pub(crate) sends: Arc<AtomicUsize>,
    /// What is on its way.
    late: Arc<Mutex<Option<Outgoing>>>,
    /// A mail is out whose call never returns.
    is_out: Arc<Notify>,
}

impl Faulty {
    pub(crate) fn new(fixture: &Fixture, faults: &[Fault], looks: Looks) -> Self {
        let mut faults = faults.to_vec();
        faults.reverse();
        Self {
            inner: fixture.mailbox(),
            faults: Arc::new(Mutex::new(faults)),
            looks,
            sends: Arc::default(),
            late: Arc::default(),
            is_out: Arc::default(),
        }
    }
}

fn unreachable_() -> MailError {
    MailError::Unreachable {
        place: "smtp.example.org".into(),
        why: "timed out".into(),
    }
}

impl Mailbox for Faulty {
    forward!(owner, place, list, fetch, thread, mark_read);

    fn send<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Sent, SendError>> {
        let fault = self.faults.lock().unwrap().pop();
        self.sends.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            match fault {
                None => self.inner.send(mail).await,
                Some(Fault::LostAnswer) => {
                    self.inner.send(mail).await?;
                    Err(SendError::Unknown(unreachable_()))
                }
                Some(Fault::Hangs) => {
                    self.inner.send(mail).await?;
                    self.is_out.notify_one();
                    std::future::pending().await
                }
                Some(Fault::LostMail) => Err(SendError::Unknown(unreachable_())),
                Some(Fault::LateMail) => {
                    *self.late.lock().unwrap() = Some(mail.clone());
                    Err(SendError::Unknown(unreachable_()))
                }
                Some(Fault::Down) => Err(SendError::NotSent(unreachable_())),
                Some(Fault::Revoked) => Err(SendError::NotSent(MailError::Auth {
                    place: "smtp.example.org".into(),
                    why: "the token was taken back".into(),
                })),
                Some(Fault::Refused) => Err(SendError::NotSent(MailError::Refused {
                    place: "smtp.example.org".into(),
                    why: "no such user".into(),
                })),
            }
        })
    }

    fn look_up<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Lookup, MailError>> {
        match self.looks {
            Looks::Truly => self.inner.look_up(mail),
            Looks::Unsure => Box::pin(async {
                let why = "it keeps no list of sent mail".into();
                Ok(Lookup::Unsure { why })
            }),
        }
    }
}

/// A fixture, a mailbox that fails in this way, and the outcome of an approval.
async fn approved(
    faults: &[Fault],
    looks: Looks,
) -> (
    Fixture,
    Faulty,
    superstep_mail::MailAgent,
    Result<Outcome<superstep_mail::MailState>, superstep_mail::AgentError>,
) {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
    let mailbox = Faulty::new(&fixture, faults, looks);
    let script = responder(
        [turns(&[reply("a.eml", "Yes.")]), turns(&[done()])],
        Vec::new(),
    );
    let agent = fixture.agent_on(script, mailbox.clone(), fixture.calendar(), wet());
    let (thread, items) = asked(&agent).await;
    let outcome = agent
        .answer(&thread, [(items[0].ask, Answer::accept())])
        .await;
    (fixture, mailbox, agent, outcome)
}

pub(crate) fn results(outcome: &Outcome<superstep_mail::MailState>) -> String {
    let all: Vec<String> = outcome
        .state()
        .messages
        .iter()
        .map(|it| it.text())
        .collect();
    all.join("\n")
}

#[tokio::test]
async fn a_timeout_after_the_send_took_effect_sends_no_second_mail() {
    let (fixture, mailbox, _agent, outcome) = approved(&[Fault::LostAnswer], Looks::Truly).await;
    assert!(matches!(outcome.unwrap(), Outcome::Done(_)));
    assert_eq!(fixture.sent_texts(), ["Yes."]);
    assert_eq!(mailbox.sends.load(Ordering::SeqCst), 1);
}

/// Accepts the one question that is open, which must be whether something happened.
async fn accept_again(agent: &superstep_mail::MailAgent) -> Outcome<superstep_mail::MailState> {
    let items = agent.inbox().await.unwrap().items;
    assert_eq!(items.len(), 1, "{items:?}");
    let action = &items[0].item.action_request.action;
    assert!(action.ends_with("outcome unknown"), "{action}");
    answer(agent, &items[0], Answer::accept()).await
}

#[tokio::test]
async fn a_mail_that_was_handed_over_and_is_not_found_is_asked_about() {
    let (fixture, mailbox, agent, outcome) = approved(&[Fault::LostMail], Looks::Truly).await;
    assert!(matches!(outcome.unwrap(), Outcome::Waiting { .. }));
    assert_eq!(
        mailbox.sends.load(Ordering::SeqCst),
        1,
        "no silent second send"
    );
    assert!(matches!(accept_again(&agent).await, Outcome::Done(_)));
    assert_eq!(fixture.sent_texts(), ["Yes."]);
    assert_eq!(mailbox.sends.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_mail_that_shows_up_while_the_question_is_open_is_not_sent_again() {
    let (fixture, mailbox, agent, outcome) = approved(&[Fault::LateMail], Looks::Truly).await;
    assert!(matches!(outcome.unwrap(), Outcome::Waiting { .. }));
    let mail = mailbox.late.lock().unwrap().take().unwrap();
    mailbox.inner.send(&mail).await.unwrap();
    assert!(matches!(accept_again(&agent).await, Outcome::Done(_)));
    assert_eq!(fixture.sent_texts(), ["Yes."]);
    assert_eq!(
        mailbox.sends.load(Ordering::SeqCst),
        1,
        "it was found first"
    );
}

#[tokio::test]
async fn a_person_is_asked_when_nobody_can_tell() {
    for fault in [Fault::LostAnswer, Fault::LostMail] {
        let (fixture, mailbox, agent, outcome) = approved(&[fault], Looks::Unsure).await;
        let outcome = outcome.unwrap();
        assert!(matches!(outcome, Outcome::Waiting { .. }));
        assert_eq!(
            mailbox.sends.load(Ordering::SeqCst),
            1,
            "no silent second send"
        );
        let thread = agent
            .ingest(&superstep_mail::IngestOptions::default())
            .await
            .unwrap();
        let items = agent.open(&thread[0].thread).await.unwrap();
        let item = about(&items, "send_email_tool: outcome unknown");
        assert!(item.item.description.contains("keeps no list of sent mail"));
        assert!(
            item.item.description.contains("@example.org>"),
            "its Message-ID is told"
        );
        assert!(!item.item.config.allow_edit);
        match fault {
            Fault::LostAnswer => {
                let outcome = answer(&agent, item, Answer::response("She has it.")).await;
                assert!(results(&outcome).contains("She has it."));
                assert_eq!(mailbox.sends.load(Ordering::SeqCst), 1);
            }
            _ => {
                let outcome = answer(&agent, item, Answer::accept()).await;
                assert!(matches!(outcome, Outcome::Done(_)));
                assert_eq!(mailbox.sends.load(Ordering::SeqCst), 2);
            }
        }
        assert_eq!(fixture.sent_texts(), ["Yes."]);
    }
}

#[tokio::test]
async fn every_attempt_has_the_same_message_id_and_date() {
    let faults = [Fault::LostMail, Fault::LostMail];
    let (fixture, mailbox, agent, outcome) = approved(&faults, Looks::Truly).await;
    assert!(matches!(outcome.unwrap(), Outcome::Waiting { .. }));
    assert!(matches!(
        accept_again(&agent).await,
        Outcome::Waiting { .. }
    ));
    assert!(matches!(accept_again(&agent).await, Outcome::Done(_)));
    assert_eq!(mailbox.sends.load(Ordering::SeqCst), 3);
    let sent = fixture.sent();
    assert_eq!(sent.len(), 1);
    assert!(
        sent[0]
            .message_id
            .as_deref()
            .unwrap()
            .ends_with("@example.org")
    );
    assert_eq!(sent[0].in_reply_to, ["lunch@example.org"]);
    assert_eq!(sent[0].subject, "Re: lunch");
}

#[tokio::test]
async fn a_failure_that_passes_is_waited_out() {
    let (fixture, mailbox, _agent, outcome) = approved(&[Fault::Down], Looks::Truly).await;
    assert!(matches!(outcome.unwrap(), Outcome::Done(_)));
    assert_eq!(fixture.sent_texts(), ["Yes."]);
    assert_eq!(mailbox.sends.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn credentials_that_were_taken_back_stop_the_run_and_keep_the_approval() {
    let (fixture, mailbox, agent, outcome) = approved(&[Fault::Revoked], Looks::Truly).await;
    let error = outcome.map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "SS7003");
    assert!(fixture.sent().is_empty());
    // Signed in again, the next intake continues where it stood; nobody approves twice.
    let taken = crate::fixture::take_in(&agent).await;
    assert_eq!(taken[0].result, superstep_mail::Ingested::Done);
    assert_eq!(fixture.sent_texts(), ["Yes."]);
    assert_eq!(mailbox.sends.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_refusal_is_told_to_the_model_and_to_the_person_who_approved() {
    let (fixture, _mailbox, agent, outcome) = approved(&[Fault::Refused], Looks::Truly).await;
    assert!(matches!(outcome.unwrap(), Outcome::Waiting { .. }));
    let why = "not sent: smtp.example.org refused: no such user";
    let items = agent.inbox().await.unwrap().items;
    assert!(about(&items, "stuck").item.description.contains(why));
    let outcome = answer(&agent, &items[0], Answer::ignore()).await;
    assert!(results(&outcome).contains(why));
    assert!(fixture.sent().is_empty());
}

#[tokio::test]
async fn two_approved_replies_of_one_turn_are_two_mails() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
    let mailbox = Faulty::new(
        &fixture,
        &[Fault::LostAnswer, Fault::LostMail],
        Looks::Truly,
    );
    let calls = [reply("a.eml", "One."), reply("a.eml", "Two."), done()];
    let script = responder([turns(&calls)], Vec::new());
    let agent = fixture.agent_on(script, mailbox, fixture.calendar(), wet());
    let (thread, items) = asked(&agent).await;
    let answers = items.iter().map(|item| (item.ask, Answer::accept()));
    agent.answer(&thread, answers).await.unwrap();
    assert_eq!(fixture.sent().len(), 1, "the lost one is asked about");
    accept_again(&agent).await;
    assert_eq!(fixture.sent_texts(), ["One.", "Two."]);
}

/// A calendar that does not answer so many times.
#[derive(Clone)]
struct Silent {
    inner: FolderCalendar,
    left: Arc<AtomicUsize>,
    /// How often it does not show its events.
    unseen: Arc<AtomicUsize>,
    /// Whether the meeting is made all the same.
    makes: bool,
}

fn down() -> MailError {
    MailError::Unreachable {
        place: "calendar.example.org".into(),
        why: "no answer".into(),
    }
}

impl Silent {
    fn new(fixture: &Fixture, times: usize, makes: bool) -> Self {
        Self {
            inner: fixture.calendar(),
            left: Arc::new(AtomicUsize::new(times)),
            unseen: Arc::default(),
            makes,
        }
    }

    /// One that does not show its events so many times.
    fn unseen(fixture: &Fixture, times: usize) -> Self {
        let unseen = Arc::new(AtomicUsize::new(times));
        Self {
            unseen,
            ..Self::new(fixture, 0, false)
        }
    }

    fn is_silent(left: &AtomicUsize) -> bool {
        let less = |left: usize| left.checked_sub(1);
        left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
            .is_ok()
    }
}

impl Calendar for Silent {
    fn place(&self) -> String {
        "calendar.example.org".into()
    }

    fn time_zone(&self) -> String {
        self.inner.time_zone()
    }

    fn events(&self, span: Span) -> Later<'_, Result<Vec<Event>, MailError>> {
        match Self::is_silent(&self.unseen) {
            true => Box::pin(async { Err(down()) }),
            false => self.inner.events(span),
        }
    }

    fn busy(&self, span: Span) -> Later<'_, Result<Vec<superstep_mail::Busy>, MailError>> {
        self.inner.busy(span)
    }

    fn insert<'a>(&'a self, event: &'a NewEvent) -> Later<'a, Result<EventId, MailError>> {
        let is_silent = Self::is_silent(&self.left);
        Box::pin(async move {
            if !is_silent || self.makes {
                let made = self.inner.insert(event).await;
                return if is_silent { Err(down()) } else { made };
            }
            Err(down())
        })
    }

    fn look_up<'a>(&'a self, event: &'a NewEvent) -> Later<'a, Result<EventLookup, MailError>> {
        self.inner.look_up(event)
    }
}

async fn scheduled(
    calendar: impl Calendar,
    fixture: &Fixture,
) -> (
    superstep_mail::MailAgent,
    Outcome<superstep_mail::MailState>,
) {
    fixture.put("a.eml", mail("talk", "Shall we talk?"));
    let calls = [meeting("2026-11-16T10:00:00", "2026-11-16T10:30:00")];
    let script = responder([turns(&calls), turns(&[done()])], Vec::new());
    let agent = fixture.agent_on(script, fixture.mailbox(), calendar, wet());
    let (_, items) = asked(&agent).await;
    let outcome = answer(&agent, &items[0], Answer::accept()).await;
    (agent, outcome)
}

#[tokio::test]
async fn a_meeting_whose_confirmation_is_lost_is_made_once() {
    let fixture = Fixture::new();
    let (_agent, outcome) = scheduled(Silent::new(&fixture, 2, true), &fixture).await;
    assert!(matches!(outcome, Outcome::Done(_)));
    assert_eq!(fixture.meetings(), 1);
}

#[tokio::test]
async fn a_calendar_that_stays_silent_is_told_to_a_person_and_nothing_is_claimed() {
    let fixture = Fixture::new();
    let calendar = Silent::new(&fixture, 100, false);
    let (agent, outcome) = scheduled(calendar.clone(), &fixture).await;
    assert!(matches!(outcome, Outcome::Waiting { .. }));
    assert_eq!(fixture.meetings(), 0);
    let left = calendar.left.load(Ordering::SeqCst);
    assert_eq!(left, 99, "no silent second attempt");
    let thread = crate::fixture::take_in(&agent).await[0].thread.clone();
    let items = agent.open(&thread).await.unwrap();
    let item = about(&items, "schedule_meeting_tool: outcome unknown");
    assert!(item.item.description.contains("did not confirm it"));
    calendar.left.store(0, Ordering::SeqCst);
    let outcome = answer(&agent, item, Answer::accept()).await;
    assert!(matches!(outcome, Outcome::Done(_)));
    assert_eq!(fixture.meetings(), 1);
}

#[tokio::test]
async fn a_calendar_that_is_down_is_told_to_the_model_and_no_times_are_made_up() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("talk", "When are you free?"));
    let check = (
        "check_calendar_tool",
        serde_json::json!({"dates": ["16-11-2026"]}),
    );
    let question = (
        "Question",
        serde_json::json!({"content": "The calendar is down. What now?"}),
    );
    let script = responder(
        [turns(&[check]), turns(&[question]), turns(&[done()])],
        Vec::new(),
    );
    let agent = fixture.agent_on(
        script,
        fixture.mailbox(),
        Silent::unseen(&fixture, 1),
        wet(),
    );
    let (_, items) = asked(&agent).await;
    let outcome = answer(&agent, about(&items, "Question"), Answer::response("Wait.")).await;
    let message = results(&outcome);
    assert!(
        message.contains("calendar.example.org cannot be reached"),
        "{message}"
    );
    assert!(!message.contains("free:"), "{message}");
    assert_eq!(fixture.meetings(), 0);
}

#[tokio::test]
async fn a_question_that_was_answered_is_not_open_again_after_a_failure() {
    let (_fixture, _mailbox, agent, outcome) = approved(&[Fault::Revoked], Looks::Truly).await;
    assert!(outcome.is_err());
    let options = superstep_mail::IngestOptions::default();
    let arrivals = agent.arrivals(&options).await.unwrap();
    let thread = superstep_mail::thread_name(&arrivals[0].thread);
    assert!(agent.open(&thread).await.unwrap().is_empty());
    assert!(agent.inbox().await.unwrap().items.is_empty());
    let stale = agent.graph().state(thread.as_str()).await.unwrap().asks;
    for ask in stale {
        let refused = agent.answer(&thread, [(ask.id, Answer::ignore())]).await;
        assert_eq!(refused.map(|_| ()).unwrap_err().code(), "SS7015");
    }
}

fn rerun() -> superstep_mail::IngestOptions {
    superstep_mail::IngestOptions {
        rerun: true,
        include_read: true,
        ..superstep_mail::IngestOptions::default()
    }
}

#[tokio::test]
async fn a_rerun_keeps_a_mail_whose_outcome_is_unknown_until_that_is_answered() {
    let (_fixture, mailbox, agent, outcome) = approved(&[Fault::LostAnswer], Looks::Unsure).await;
    assert!(matches!(outcome.unwrap(), Outcome::Waiting { .. }));
    let asked = agent.inbox().await.unwrap().items;
    for one_by_one in [false, true] {
        let taken = match one_by_one {
            false => agent.ingest(&rerun()).await.unwrap().remove(0),
            true => {
                let refused = agent
                    .ingest_one(&superstep_mail::MailId("a.eml".into()), &rerun())
                    .await;
                assert_eq!(refused.unwrap_err().code(), "SS1205");
                continue;
            }
        };
        let superstep_mail::Ingested::Failed { code, why } = taken.result else {
            panic!("{taken:?}");
        };
        assert_eq!(code, "SS1205");
        assert!(why.contains("may have happened"), "{why}");
        assert!(why.contains("send_email_tool"), "{why}");
        assert_eq!(agent.inbox().await.unwrap().items, asked);
    }
    assert_eq!(mailbox.sends.load(Ordering::SeqCst), 1);
    // Left as it is, it is begun anew, and what may have been sent is not forgotten.
    answer(&agent, &asked[0], Answer::ignore()).await;
    agent.ingest(&rerun()).await.unwrap();
    let items = agent.inbox().await.unwrap().items;
    let question = &about(&items, "send_email_tool").item.description;
    let told = "may have been done before about this mail";
    assert!(question.contains(told), "{question}");
    assert!(question.contains("sent to ann@example.org"), "{question}");
}

#[tokio::test]
async fn a_mail_whose_reply_was_sent_says_so_before_it_is_asked_again() {
    let (fixture, _mailbox, agent, outcome) = approved(&[], Looks::Truly).await;
    assert!(matches!(outcome.unwrap(), Outcome::Done(_)));
    assert_eq!(fixture.sent_texts(), ["Yes."]);
    let script = responder([turns(&[reply("a.eml", "Yes.")])], Vec::new());
    drop(agent);
    let agent = fixture.agent(script);
    agent.ingest(&rerun()).await.unwrap();
    let items = agent.inbox().await.unwrap().items;
    let question = &about(&items, "send_email_tool").item.description;
    let told = question.lines().find(|line| line.contains("Done before"));
    let told = told.unwrap_or_else(|| panic!("{question}"));
    assert!(told.contains("sent to ann@example.org"), "{told}");
}

#[tokio::test]
async fn new_input_after_a_run_that_sent_and_was_cut_off_says_that_a_reply_was_sent() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
    // The model has no second turn, so the run fails once the reply is out.
    let agent = fixture.agent(responder(
        [turns(&[refused(), reply("a.eml", "Yes.")])],
        Vec::new(),
    ));
    let (thread, items) = asked(&agent).await;
    let cut = agent
        .answer(&thread, [(items[0].ask, Answer::accept())])
        .await;
    assert!(cut.is_err());
    assert_eq!(fixture.sent_texts(), ["Yes."]);
    let again = fixture.agent(responder(
        [turns(&[reply("a.eml", "Yes.")]).always()],
        Vec::new(),
    ));
    let id = superstep_mail::MailId("a.eml".into());
    let input = again.email_input(&id).await.unwrap();
    let input = superstep_mail::MailState::update().email_input(input);
    again.graph().run(thread.as_str(), input).await.unwrap();
    let items = again.open(&thread).await.unwrap();
    let question = &about(&items, "send_email_tool").item.description;
    assert!(
        question.contains("Done before about this mail"),
        "{question}"
    );
}

/// A reply that went out, whose run was cut off before it was told.
async fn cut_off() -> (Fixture, String) {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
    let mailbox = Faulty::new(&fixture, &[Fault::Hangs], Looks::Truly);
    let agent = fixture.agent_on(yes(), mailbox.clone(), fixture.calendar(), wet());
    let (thread, items) = asked(&agent).await;
    tokio::select! {
        _ = agent.answer(&thread, [(items[0].ask, Answer::accept())]) => panic!("it hangs"),
        () = mailbox.is_out.notified() => {}
    }
    assert_eq!(fixture.sent_texts(), ["Yes."]);
    (fixture, thread)
}

/// A model that replies "Yes." as often as it is asked.
fn yes() -> superstep::model::Script {
    let calls = [refused(), reply("a.eml", "Yes.")];
    responder([turns(&calls).always()], Vec::new())
}

#[tokio::test]
async fn a_reply_that_may_have_been_sent_is_not_given_up_because_the_owner_is_another_now() {
    let (fixture, thread) = cut_off().await;
    let owner = superstep_mail::Address {
        name: None,
        email: "another@example.org".into(),
    };
    let mailbox = FolderMailbox::open(fixture.path.join("mail"), owner).unwrap();
    let stranger = fixture.agent_on(yes(), mailbox, fixture.calendar(), wet());
    // The run that was dropped gives its thread back on its own time.
    let refused = loop {
        let refused = stranger.resume(&thread).await.map(|_| ()).unwrap_err();
        if refused.code() != "SS2001" {
            break refused;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(refused.code(), "SS7025", "{refused}");
    drop(stranger);
    // Under its owner it is found among the sent mails, and whoever is asked next hears of it.
    let agent = fixture.agent(yes());
    agent.resume(&thread).await.unwrap();
    let items = agent.open(&thread).await.unwrap();
    let question = &about(&items, "send_email_tool").item.description;
    assert!(
        question.contains("Done before about this mail"),
        "{question}"
    );
    assert_eq!(fixture.sent_texts(), ["Yes."]);
}

#[tokio::test]
async fn a_reply_that_may_have_been_sent_is_told_of_after_its_thread_was_deleted() {
    let (fixture, thread) = cut_off().await;
    let agent = fixture.agent(yes());
    agent.graph().delete_thread(thread.as_str()).await.unwrap();
    agent.ingest(&rerun()).await.unwrap();
    let items = agent.inbox().await.unwrap().items;
    let question = &about(&items, "send_email_tool").item.description;
    let told = "may have been done before about this mail";
    assert!(question.contains(told), "{question}");
}
