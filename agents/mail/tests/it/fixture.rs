//! A folder of mail, a calendar, a database, and a model that follows a script.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Outcome,
    model::{
        Model, NodeModels,
        script::{Script, Step, When},
    },
    sqlite::Database,
};
use superstep_agent::InboxQuestion;
use superstep_mail::{
    Address, Answer, Calendar, FolderCalendar, FolderMailbox, InboxItem, IngestOptions, Ingested,
    Intake, Mail, MailAgent, MailParts, MailState, Mailbox, Memory, Settings, Topic, parse,
};
use tempfile::TempDir;

pub(crate) const OWNER: &str = "me@example.org";

pub(crate) struct Fixture {
    pub(crate) path: PathBuf,
    /// Removes the folder.
    _folder: Option<TempDir>,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fixture = Self {
            path: folder.path().to_owned(),
            _folder: Some(folder),
        };
        fs::create_dir(fixture.path.join("mail")).unwrap();
        fs::create_dir(fixture.path.join("meetings")).unwrap();
        fixture
    }

    /// One that another process made.
    pub(crate) fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            _folder: None,
        }
    }

    pub(crate) fn put(&self, name: &str, mail: impl AsRef<[u8]>) {
        fs::write(self.path.join("mail").join(name), mail).unwrap();
    }

    pub(crate) fn put_meeting(&self, name: &str, text: &str) {
        fs::write(self.path.join("meetings").join(name), text).unwrap();
    }

    pub(crate) fn mailbox(&self) -> FolderMailbox {
        let owner = Address {
            name: Some("Max Muster".into()),
            email: OWNER.into(),
        };
        FolderMailbox::open(self.path.join("mail"), owner).unwrap()
    }

    pub(crate) fn calendar(&self) -> FolderCalendar {
        FolderCalendar::open(self.path.join("meetings"), "Europe/Berlin").unwrap()
    }

    pub(crate) fn backends(&self) -> Backends {
        let database = Database::open(self.path.join("threads.db")).unwrap();
        Backends {
            saver: Some(Arc::new(database.saver())),
            store: Some(Arc::new(database.store())),
            ..Backends::default()
        }
    }

    pub(crate) fn agent(&self, model: impl Model + 'static) -> MailAgent {
        self.agent_on(model, self.mailbox(), self.calendar(), wet())
    }

    pub(crate) fn agent_on(
        &self,
        model: impl Model + 'static,
        mailbox: impl Mailbox,
        calendar: impl Calendar,
        settings: Settings,
    ) -> MailAgent {
        MailAgent::new(MailParts {
            models: NodeModels::new(Arc::new(model)),
            mailbox: Arc::new(mailbox),
            calendar: Arc::new(calendar),
            settings,
            backends: self.backends(),
        })
        .unwrap()
    }

    /// One with stores of its own.
    pub(crate) fn agent_with(&self, model: impl Model + 'static, backends: Backends) -> MailAgent {
        MailAgent::new(MailParts {
            models: NodeModels::new(Arc::new(model)),
            mailbox: Arc::new(self.mailbox()),
            calendar: Arc::new(self.calendar()),
            settings: wet(),
            backends,
        })
        .unwrap()
    }

    /// What was sent, by text.
    pub(crate) fn sent(&self) -> Vec<Mail> {
        let Ok(there) = fs::read_dir(self.path.join("mail/sent")) else {
            return Vec::new();
        };
        // What a killed process had begun to write is hidden.
        let files = there.map(|file| file.unwrap());
        let files = files.filter(|file| !file.file_name().to_string_lossy().starts_with('.'));
        let mut sent: Vec<Mail> = files
            .map(|file| parse(&fs::read(file.path()).unwrap()).unwrap())
            .collect();
        sent.sort_by(|one, other| one.text.cmp(&other.text));
        sent
    }

    pub(crate) fn sent_texts(&self) -> Vec<String> {
        self.sent().into_iter().map(|mail| mail.text).collect()
    }

    pub(crate) fn meetings(&self) -> usize {
        let there = fs::read_dir(self.path.join("meetings")).unwrap();
        let names = there.map(|file| file.unwrap().file_name());
        names
            .filter(|name| !name.to_string_lossy().starts_with('.'))
            .count()
    }

    pub(crate) fn is_read(&self, name: &str) -> bool {
        self.path.join("mail/read").join(name).is_file()
    }

    /// Steps that make a model add one line to a note, whichever it is.
    pub(crate) async fn learning(&self) -> Vec<Step> {
        let memory = Memory::new(self.backends().store.unwrap());
        let mut steps = Vec::new();
        for topic in Topic::ALL {
            let note = memory.show(topic).await.unwrap();
            let first = note.lines().next().unwrap().to_owned();
            let when = When {
                schema: Some("user_preferences".into()),
                system: Some(first),
                ..When::default()
            };
            let text = format!("{note}\n- Learnt something.");
            let data = json!({"chain_of_thought": "so", "user_preferences": text});
            steps.push(Step::data(data).when(when).always());
        }
        steps
    }
}

/// Settings with which mail is sent, and with which all mail that was looked at is marked as read.
pub(crate) fn wet() -> Settings {
    Settings {
        dry_run: false,
        mark_ignored: true,
        ..Settings::default()
    }
}

pub(crate) fn mail(subject: &str, text: &str) -> String {
    format!(
        "From: Ann <ann@example.org>\r\nTo: Max <{OWNER}>\r\nSubject: {subject}\r\n\
         Date: Mon, 02 Nov 2026 10:00:00 +0100\r\nMessage-ID: <{subject}@example.org>\r\n\r\n{text}\r\n"
    )
}

/// How a mail is sorted.
pub(crate) fn class(class: &str) -> Step {
    let data = json!({"reasoning": "it is so", "classification": class, "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"});
    Step::data(data).when(When::schema("triage"))
}

fn turn() -> When {
    When {
        tool: Some("Done".into()),
        ..When::default()
    }
}

/// A turn of the model with calls.
pub(crate) fn turns(calls: &[(&str, Json)]) -> Step {
    let calls = calls.iter();
    let step = calls.fold(Step::default(), |step, (name, args)| {
        step.and_call(*name, args.clone())
    });
    step.when(turn())
}

/// A turn of the model without calls.
pub(crate) fn says(text: &str) -> Step {
    Step::text(text).when(turn())
}

/// A reply that is refused, so that the model speaks again.
pub(crate) fn refused() -> (&'static str, Json) {
    ("send_email_tool", json!({"response_text": " "}))
}

pub(crate) fn done() -> (&'static str, Json) {
    ("Done", json!({"done": true}))
}

pub(crate) fn reply(id: &str, text: &str) -> (&'static str, Json) {
    let args = json!({"email_id": id, "response_text": text, "email_address": OWNER});
    ("send_email_tool", args)
}

pub(crate) fn meeting(start: &str, end: &str) -> (&'static str, Json) {
    let args = json!({"attendees": ["ann@example.org"], "title": "Talk", "start_time": start,
        "end_time": end, "organizer_email": OWNER});
    ("schedule_meeting_tool", args)
}

/// A model that sorts mail as `respond` and then takes these turns.
pub(crate) fn responder(steps: impl IntoIterator<Item = Step>, learning: Vec<Step>) -> Script {
    let first = class("respond").always();
    Script::new([first].into_iter().chain(steps).chain(learning))
}

pub(crate) async fn take_in(agent: &MailAgent) -> Vec<Intake> {
    agent.ingest(&IngestOptions::default()).await.unwrap()
}

/// The open questions of all threads, in the order of an inbox.
pub(crate) async fn listed(agent: &MailAgent) -> Vec<InboxQuestion> {
    let items = agent.inbox().await.unwrap().items;
    let mut threads: Vec<String> = items.into_iter().map(|it| it.thread).collect();
    threads.dedup();
    let mut listed = Vec::new();
    for thread in threads {
        listed.extend(agent.inbox_questions(&thread).await.unwrap());
    }
    listed.sort_by_key(InboxQuestion::rank);
    listed
}

/// Takes in the one mail there is, which must end in questions.
pub(crate) async fn asked(agent: &MailAgent) -> (String, Vec<InboxItem>) {
    let taken = take_in(agent).await;
    assert_eq!(taken.len(), 1, "{taken:?}");
    assert!(matches!(taken[0].result, Ingested::Waiting(_)), "{taken:?}");
    let thread = taken[0].thread.clone();
    let items = agent.open(&thread).await.unwrap();
    (thread, items)
}

pub(crate) async fn answer(
    agent: &MailAgent,
    item: &InboxItem,
    answer: Answer,
) -> Outcome<MailState> {
    agent
        .answer(&item.thread, [(item.ask, answer)])
        .await
        .unwrap()
}

/// The open question about a tool.
pub(crate) fn about<'a>(items: &'a [InboxItem], action: &str) -> &'a InboxItem {
    let found = items
        .iter()
        .find(|item| item.item.action_request.action == action);
    found.unwrap_or_else(|| panic!("no question about {action} in {items:?}"))
}
