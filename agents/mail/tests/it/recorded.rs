//! Twenty mails in one inbox, handled as a recorded strong model handled them, and the decisions of their owner.
//!
//! The replies in `tests/recorded/strong.jsonl` were written by hand from the requests alone. A change of a prompt or a tool
//! makes other requests: record again, with `Cassette::record` in the place of `Cassette::replay`.

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde_json::json;
use superstep::model::Cassette;
use superstep_agent::InboxQuestion;
use superstep_mail::{
    Address, Answer, FolderCalendar, FolderMailbox, InboxItem, Intake, MailAgent, Settings, Topic,
};

use crate::fixture::{Fixture, listed, take_in};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recorded")
}

/// The inbox of a studio on a Thursday morning, and its agent.
fn studio() -> (Fixture, MailAgent) {
    let model = Cassette::replay(folder().join("strong.jsonl")).unwrap();
    let fixture = Fixture::new();
    for part in ["mail", "meetings"] {
        for file in fs::read_dir(folder().join(part)).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), fixture.path.join(part).join(file.file_name())).unwrap();
        }
    }
    // It was read in September.
    fs::create_dir(fixture.path.join("mail/read")).unwrap();
    fs::write(fixture.path.join("mail/read/00-september.eml"), "").unwrap();
    let owner = Address {
        name: Some("Max Muster".into()),
        email: "max@harbor.example".into(),
    };
    let mailbox = FolderMailbox::open(fixture.path.join("mail"), owner).unwrap();
    let calendar = FolderCalendar::open(fixture.path.join("meetings"), "Europe/Berlin").unwrap();
    let settings = Settings {
        dry_run: false,
        now: Some("2026-11-19T09:00:00+01:00".parse().unwrap()),
        background: "Max runs Harbor, a design studio. Ines (ines@harbor.example) does invoices."
            .into(),
        ..Settings::default()
    };
    let agent = fixture.agent_on(model, mailbox, calendar, settings);
    (fixture, agent)
}

/// What the owner says to a question about a mail.
fn decision(mail: &str, item: &InboxItem, round: usize) -> Answer {
    let action = item.item.action_request.action.as_str();
    match (mail, action, round) {
        ("01-mailbox.eml" | "02-transfer.eml", "notify", _) => Answer::ignore(),
        (_, "notify", _) => Answer::read(),
        ("08-delivery.eml", "Question", _) => Answer::response("Thursday, the gate is open then."),
        ("12-review.eml", "Question", _) => {
            Answer::response("96 hours. The lead I want to discuss in person, not by mail.")
        }
        ("15-seats.eml", "Question", _) => Answer::response("18"),
        ("19-kickoff.eml", "Question", _) => Answer::response("Accept. The visit was called off."),
        ("09-figures.eml", "send_email_tool", _) => {
            let mut args = item.item.action_request.args.clone();
            let text = "Hi Amira,\n\nQ3 sales were 123,570 EUR, so above 120,000. East was lowest with 19,980 EUR.\n\nM.";
            args.insert("response_text".into(), json!(text));
            Answer::edit(action, args)
        }
        ("20-order.eml", "send_email_tool", 0) => {
            Answer::response("Offer him Friday at 10 as well.")
        }
        _ => Answer::accept(),
    }
}

async fn decided(agent: &MailAgent, taken: &Intake) -> usize {
    let mut round = 0;
    loop {
        let items = agent.open(&taken.thread).await.unwrap();
        if items.is_empty() {
            return round;
        }
        let answers = items
            .iter()
            .map(|item| (item.ask, decision(&taken.mail.0, item, round)));
        agent.answer(&taken.thread, answers).await.unwrap();
        round += 1;
    }
}

/// The questions of the inbox, in its order: what is asked, about which subject, with which warnings.
async fn inbox(agent: &MailAgent) -> Vec<String> {
    let questions = listed(agent).await;
    let line = |it: &InboxQuestion| format!("{}: {} {:?}", it.asks, it.subject, it.warnings);
    questions.iter().map(line).collect()
}

#[tokio::test]
async fn an_inbox_shows_what_is_urgent_what_is_a_fraud_and_what_would_be_done() {
    let (fixture, agent) = studio();
    take_in(&agent).await;
    assert!(fixture.sent().is_empty());
    let shown = inbox(&agent).await;
    let expected = [
        "FYI: New API key created []",
        "FYI: Action required: mailbox closes today [\"Danger: the assistant takes this mail for a fraud.\", \
         \"Danger: Answers go to another domain than the sender's: helpdesk@secure-verify.example\", \
         \"Danger: The domain harb0r.example looks like harbor.example, and is another.\", \
         \"Danger: A link shows mail.harbor.example and leads to login.secure-verify.example.\"]",
        "FYI: Quick favour [\"Danger: the assistant takes this mail for a fraud.\"]",
        "move meeting: Our call on Friday []",
        "send reply: Our call on Friday []",
        "send reply: Q3 figures []",
        "send mail: Fabric samples [\"Not in this thread so far: lena@fabriclab.example\"]",
        "send reply: Fabric samples []",
        "question: Your 24 seats renew on 1 December []",
        "FYI: Advance VAT return: submitted tomorrow []",
        "send reply: Planning December []",
        "forward: Invoice 2026-118 has the wrong VAT number [\"Not in this thread so far: ines@harbor.example\"]",
        "send reply: Invoice 2026-118 has the wrong VAT number []",
        "cancel meeting: Site visit on Wednesday []",
        "send reply: Site visit on Wednesday []",
        "question: Delivery of order 7731 []",
        "send reply: Contract for January []",
        "question: Review of the Lindt project []",
        "schedule meeting: Terminvorschlag Beschilderung []",
        "send reply: Terminvorschlag Beschilderung []",
        "question: Kick-off []",
        "send reply: Photos []",
    ];
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn what_the_owner_decides_is_done_and_nothing_else() {
    let (fixture, agent) = studio();
    let taken = take_in(&agent).await;
    assert_eq!(taken.len(), 20);
    for one in &taken {
        decided(&agent, one).await;
    }
    assert!(inbox(&agent).await.is_empty());
    let sent: BTreeMap<String, Vec<String>> = fixture
        .sent()
        .into_iter()
        .map(|mail| {
            (
                mail.subject,
                mail.to.iter().map(|to| to.email.clone()).collect(),
            )
        })
        .collect();
    let expected = [
        ("Blue fabric samples", "lena@fabriclab.example"),
        (
            "Fwd: Invoice 2026-118 has the wrong VAT number",
            "ines@harbor.example",
        ),
        ("Re: Contract for January", "ben@okafor-dev.example"),
        ("Re: Delivery of order 7731", "orders@papierhaus.example"),
        ("Re: Fabric samples", "olga@harbor.example"),
        (
            "Re: Invoice 2026-118 has the wrong VAT number",
            "sara@lindqvist.example",
        ),
        ("Re: Kick-off", "ivo@agency.example"),
        ("Re: Our call on Friday", "petra@novak-print.example"),
        ("Re: Photos", "dario@conti-foto.example"),
        ("Re: Planning December", "tomas@harbor.example"),
        ("Re: Q3 figures", "amira@harbor.example"),
        // To the sender alone, although others had a copy of the mail.
        ("Re: Review of the Lindt project", "clara@harbor.example"),
        ("Re: Site visit on Wednesday", "jonas@feldbau.example"),
        (
            "Re: Terminvorschlag Beschilderung",
            "ute.kern@stadtwerk.example",
        ),
        (
            "Re: Your 24 seats renew on 1 December",
            "renewals@designtool.example",
        ),
    ];
    let sent: Vec<(&str, String)> = sent
        .iter()
        .map(|(subject, to)| (subject.as_str(), to.join(", ")))
        .collect();
    assert_eq!(sent, expected.map(|(subject, to)| (subject, to.to_owned())));
    let file = |name: &str| fs::read_to_string(fixture.path.join("meetings").join(name)).unwrap();
    assert!(file("call.ics").contains("DTSTART;TZID=Europe/Berlin:20261120T160000"));
    assert!(file("visit.ics").contains("STATUS:CANCELLED"));
    assert_eq!(fixture.meetings(), 7, "two are new");
    let unread = [
        "01-mailbox", "02-transfer", "07-newsletter", "16-receipt", "18-away",
    ];
    for one in &taken {
        let is_left = unread.contains(&one.mail.0.trim_end_matches(".eml"));
        assert_eq!(fixture.is_read(&one.mail.0), !is_left, "{}", one.mail.0);
    }
}

#[tokio::test]
async fn an_edit_teaches_its_pattern_and_words_about_one_mail_teach_nothing() {
    let (_fixture, agent) = studio();
    for one in take_in(&agent).await {
        decided(&agent, &one).await;
    }
    let learnt = |topic: Topic| {
        let memory = agent.memory();
        async move { memory.versions(topic).await.unwrap().len() - 1 }
    };
    assert_eq!(learnt(Topic::Triage).await, 0, "frauds teach nothing");
    assert_eq!(learnt(Topic::Response).await, 1);
    let note = agent.memory().show(Topic::Response).await.unwrap();
    assert!(note.ends_with("signed M."), "{note}");
}
