//! Questions about a call, in the form that inboxes know: `action_request`, `config`, `description`, and `view` with a letter
//! or a meeting.

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use superstep::tools::approval::{Action, Allowed};

use super::{
    QuestionFact, QuestionKind, QuestionOption, QuestionView, QuestionWarning, WarningLevel, line,
    revealed, shown,
};

/// The mode in which an accepted call takes effect.
const FOR_REAL: &str = "send";

/// Arguments with lists of what changes would do, and how serious that is.
const CHANGES: [(&str, WarningLevel); 3] = [
    ("losses", WarningLevel::Danger),
    ("outward", WarningLevel::Danger),
    ("warnings", WarningLevel::Warn),
];

/// A question about a call.
#[derive(Deserialize)]
pub(super) struct Call {
    action_request: Action,
    /// The answers that it takes; a question about a call with unknown outcome has none.
    config: Option<Allowed>,
    #[serde(default)]
    description: String,
    mode: Option<String>,
    digest: Option<Json>,
    #[serde(default)]
    can: Json,
    #[serde(default)]
    view: Option<Details>,
    /// Whether it came in a list, as its answer must.
    #[serde(skip)]
    is_list: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    title: String,
    warnings: Vec<Told>,
    text: Option<String>,
    options: Vec<String>,
    letter: Option<Letter>,
    meeting: Option<Meeting>,
}

#[derive(Deserialize)]
struct Told {
    text: String,
    #[serde(default)]
    is_danger: bool,
}

#[derive(Deserialize)]
struct Letter {
    to: Vec<Person>,
    #[serde(default)]
    cc: Vec<Person>,
    subject: String,
    text_arg: String,
}

#[derive(Deserialize)]
struct Meeting {
    title: String,
    when: String,
    attendees: Vec<Person>,
}

#[derive(Deserialize)]
struct Person {
    email: String,
}

impl Call {
    /// The call that a question is about, if it is about one.
    pub(super) fn of(body: &Json) -> Option<Self> {
        let (one, is_list) = match body.as_array().map(Vec::as_slice) {
            Some([one]) => (one, true),
            Some(_) => return None,
            None => (body, false),
        };
        let call = Self::deserialize(one).ok()?;
        Some(Self { is_list, ..call })
    }

    pub(super) fn view(self, schema: Option<Json>) -> QuestionView {
        let details = self.view.as_ref();
        let title = match details {
            Some(view) if !view.title.is_empty() => line(&view.title),
            _ if !self.description.is_empty() => line(&self.description),
            _ => line(&self.action_request.action),
        };
        QuestionView {
            kind: self.kind(),
            title,
            warnings: self.warnings(),
            facts: self.facts(),
            options: match self.config {
                Some(allowed) => self.verdicts(allowed),
                None => self.resolutions(),
            },
            schema,
            accept_label: self.config.map(|_| line(&self.accept_label())),
        }
    }

    fn kind(&self) -> QuestionKind {
        let details = self.view.as_ref();
        match details {
            Some(Details {
                letter: Some(_), ..
            }) => QuestionKind::Mail,
            Some(Details {
                meeting: Some(_), ..
            }) => QuestionKind::Meeting,
            _ if self.action_request.args.contains_key("losses") => QuestionKind::Changes,
            _ => QuestionKind::Approval,
        }
    }

    /// Whether accepting it takes effect in the world.
    fn is_real(&self) -> bool {
        let can = self.can.as_array().into_iter().flatten();
        self.mode.as_deref() == Some(FOR_REAL) || can.into_iter().any(|it| it == FOR_REAL)
    }

    fn warnings(&self) -> Vec<QuestionWarning> {
        let warning = |level, text: String| QuestionWarning {
            level,
            text: revealed(&text),
        };
        let of_view = self.view.iter().flat_map(|view| &view.warnings);
        let of_view = of_view.map(|told| {
            let level = match told.is_danger {
                true => WarningLevel::Danger,
                false => WarningLevel::Warn,
            };
            warning(level, told.text.clone())
        });
        let of_changes = CHANGES.iter().flat_map(|(name, level)| {
            let lines = self.action_request.args.get(*name).and_then(Json::as_array);
            let lines = lines.into_iter().flatten();
            lines.map(|line| warning(*level, shown(line)))
        });
        of_view.chain(of_changes).collect()
    }

    fn facts(&self) -> Vec<QuestionFact> {
        let emails = |all: &[Person]| {
            let all = all.iter().map(|one| &*one.email);
            all.collect::<Vec<_>>().join(", ")
        };
        let args = &self.action_request.args;
        let details = self.view.as_ref();
        let mut facts = Vec::new();
        if let Some(letter) = details.and_then(|view| view.letter.as_ref()) {
            facts.push(QuestionFact::new("To", emails(&letter.to)));
            if !letter.cc.is_empty() {
                facts.push(QuestionFact::new("Cc", emails(&letter.cc)));
            }
            facts.push(QuestionFact::new("Subject", &letter.subject));
            let text = args.get(&letter.text_arg).map(shown);
            facts.extend(text.map(|text| QuestionFact::new("Text", text)));
        } else if let Some(meeting) = details.and_then(|view| view.meeting.as_ref()) {
            facts.push(QuestionFact::new("Meeting", &meeting.title));
            facts.push(QuestionFact::new("When", &meeting.when));
            facts.push(QuestionFact::new("With", emails(&meeting.attendees)));
        } else {
            let text = details.and_then(|view| view.text.clone());
            facts.extend(text.map(|text| QuestionFact::new("Question", text)));
            facts.extend(arguments(args));
        }
        if let Some(mode) = &self.mode {
            let mode = match mode.as_str() {
                FOR_REAL => "for real",
                _ => "dry run",
            };
            facts.push(QuestionFact::new("Mode", mode));
        }
        facts
    }

    fn accept_label(&self) -> String {
        let details = self.view.as_ref();
        let letter = details.and_then(|view| view.letter.as_ref());
        let meeting = details.is_some_and(|view| view.meeting.is_some());
        match (letter, self.is_real()) {
            (Some(letter), true) => {
                let others = letter.to.len() + letter.cc.len();
                let first = letter.to.first().map_or("nobody", |one| &*one.email);
                match others.saturating_sub(1) {
                    0 => format!("Send to {first}"),
                    more => format!("Send to {first} and {more} more"),
                }
            }
            (None, true) if meeting => "Schedule the meeting".to_owned(),
            (Some(_), false) => "Approve (dry run)".to_owned(),
            (None, false) if meeting => "Approve (dry run)".to_owned(),
            _ if self.kind() == QuestionKind::Changes => "Make these changes".to_owned(),
            _ => "Accept".to_owned(),
        }
    }

    /// The answers that need no words of the person.
    fn verdicts(&self, allowed: Allowed) -> Vec<QuestionOption> {
        let mut options = Vec::new();
        if allowed.allow_accept {
            let danger = self.is_real()
                || self
                    .warnings()
                    .iter()
                    .any(|it| it.level == WarningLevel::Danger);
            options.push(self.option(self.accept_label(), "accept", Json::Null, danger));
        }
        if allowed.allow_respond {
            let words = self.view.iter().flat_map(|view| &view.options);
            options.extend(
                words.map(|words| self.option(words.clone(), "response", json!(words), false)),
            );
        }
        if allowed.allow_ignore {
            options.push(self.option("Do not do it".to_owned(), "ignore", Json::Null, false));
        }
        options
    }

    /// The answers to whether a call happened.
    fn resolutions(&self) -> Vec<QuestionOption> {
        let happened = json!("a person said that it happened");
        let all = [
            ("It happened", "happened", happened, false),
            ("It did not happen: do it now", "repeat", Json::Null, true),
            ("It did not happen: leave it", "abandon", Json::Null, false),
            ("Unknown: leave it", "still_unknown", Json::Null, false),
        ];
        let all = all.into_iter();
        all.map(|(label, kind, args, danger)| self.option(label.to_owned(), kind, args, danger))
            .collect()
    }

    fn option(&self, label: String, kind: &str, args: Json, danger: bool) -> QuestionOption {
        let mut answer = json!({"type": kind, "args": args});
        if let (Some(digest), Json::Object(fields)) = (&self.digest, &mut answer) {
            fields.insert("digest".to_owned(), digest.clone());
        }
        QuestionOption {
            label: line(&label),
            answer: match self.is_list {
                true => json!([answer]),
                false => answer,
            },
            danger,
        }
    }
}

/// The tool's arguments, without the lists that are warnings.
fn arguments(args: &Map<String, Json>) -> impl Iterator<Item = QuestionFact> {
    let is_warning = |name: &str| CHANGES.iter().any(|(other, _)| *other == name);
    let args = args.iter().filter(move |(name, _)| !is_warning(name));
    args.map(|(name, value)| QuestionFact::new(name, shown(value)))
}
