//! The assistant's tools: schemas, validation of arguments, and the calls they are parsed into.
//!
//! Arguments are checked before anybody is asked: against the schema, and for what a schema cannot
//! express. Every text has a maximal length: small models like to continue. Which mail is answered and
//! from which address is not the model's choice: the mail is filled in by code, so that the tools are described
//! in the same words for every mail and a model that has read them need not read them again, and the address
//! has one value.

mod attachment;
mod call;
mod change;
mod context;
mod forward;
mod kind;
mod meeting;
mod outcome;
mod schedule;
mod search;
mod send;

use std::sync::Arc;

use jiff::{Timestamp, civil::Date};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use superstep::{
    Ctx, NodeError,
    model::{Schema, ToolCall, ToolSpec},
    tools::{Access, ParsedCall, Scope, Tool, Tools, call_key},
};

use crate::{
    Address, Event,
    input::EmailInput,
    parse::{named_email, one_line},
    past_calls::PastCalls,
    services::Services,
};
pub(crate) use call::MailCall;
use change::MeetingChange;
use context::CallContext;
use kind::ToolKind;
pub use kind::{
    ATTACHMENT, CANCEL, CHECK, DONE, EffectKind, FORWARD, MOVE, NEW_MAIL, QUESTION, SCHEDULE,
    SEARCH, SEND,
};
pub(crate) use meeting::Meeting;
pub(crate) use schedule::STRANGER;

/// What a call asks for, once its arguments are known to make sense.
#[derive(Clone, Debug)]
pub(crate) enum ToolRequest {
    Send(Draft),
    Schedule(Meeting),
    Change(MeetingChange),
    Check(Vec<Date>),
    Search(SearchArgs),
    Attachment(String),
    Question(String),
    Done,
}

/// A mail as a model words it.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) text: String,
    /// The subject, if it is not the one that follows from the mail.
    pub(crate) subject: Option<String>,
    pub(crate) form: DraftForm,
}

/// What a mail is to the one that it is about, and whom it goes to.
#[derive(Clone, Debug)]
pub(crate) enum DraftForm {
    Reply {
        audience: Audience,
        added: Vec<Address>,
        dropped: Vec<Address>,
    },
    Forward {
        to: Vec<Address>,
    },
    New {
        to: Vec<Address>,
        cc: Vec<Address>,
    },
}

/// Who of a mail gets the reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Audience {
    #[default]
    All,
    Sender,
}

/// Which mail is looked for.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SearchArgs {
    pub(crate) words: Vec<String>,
    #[serde(default)]
    pub(crate) from: Option<String>,
}

/// Validates the calls about one mail, and parses them.
pub(crate) struct CallValidator {
    listed: Vec<MailTool>,
    tools: Tools,
}

impl CallValidator {
    /// For the calls about a mail in a run. `at` is the date of a reply that is sent. A foreign `scope` may claim any
    /// participants, so none counts as known and every recipient is flagged. `call` is the one that the task makes.
    pub(crate) async fn new(
        services: &Arc<Services>,
        ctx: &Ctx,
        input: &EmailInput,
        (scope, call): (Option<&Scope>, Option<&ToolCall>),
        at: Timestamp,
    ) -> Result<Self, NodeError> {
        let mut input = input.clone();
        if scope.is_some_and(Scope::is_foreign) {
            input.participants.clear();
        }
        let past_calls = services.past_calls(ctx)?;
        let thread = ctx.thread().map(ToString::to_string).unwrap_or_default();
        let proposed = services.proposals(ctx)?.others(&thread).await?;
        let key = call.map(|call| call_key(ctx, call)).transpose()?;
        let own = (thread.as_str(), key.as_deref().unwrap_or_default());
        Self::of(services, (past_calls, proposed), &input, at, own).await
    }

    /// The same for calls that are on record elsewhere than in the store of a run. `own` is the thread and the key of the call
    /// that is made now, whose record is not one of an earlier call.
    pub(crate) async fn of(
        services: &Arc<Services>,
        (past_calls, proposed): (PastCalls, Vec<Event>),
        input: &EmailInput,
        at: Timestamp,
        own: (&str, &str),
    ) -> Result<Self, NodeError> {
        let place = services.mailbox.place();
        let context = Arc::new(CallContext {
            thread: own.0.to_owned(),
            before: past_calls.about(&place, input, own).await?,
            services: services.clone(),
            input: input.clone(),
            at,
            past_calls,
            proposed,
        });
        let mut listed = Vec::new();
        for kind in ToolKind::ALL {
            let spec = kind.spec(&context);
            listed.push(MailTool {
                kind,
                schema: Schema::new(&*spec.name, kind.checked(&context))?,
                spec,
                context: context.clone(),
            });
        }
        let tools = listed.iter().cloned();
        let tools = tools.fold(Tools::builder(), |all, tool| all.tool(tool));
        Ok(Self {
            tools: tools.build()?,
            listed,
        })
    }

    /// The tools as they are described to a model, in the order it reads them.
    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        self.listed.iter().map(|tool| tool.spec.clone()).collect()
    }

    pub(crate) fn tools(&self) -> &Tools {
        &self.tools
    }

    /// A call of one of the tools, or what is wrong with it, for the model.
    pub(crate) fn parse(&self, call: &ToolCall) -> Result<MailCall, String> {
        self.check(&call.name, &call.args)
    }

    /// The same of the name of a tool and its arguments.
    pub(crate) fn check(&self, name: &str, args: &Map<String, Json>) -> Result<MailCall, String> {
        let mut all = self.listed.iter();
        let Some(tool) = all.find(|tool| tool.spec.name == name) else {
            return Err(format!("there is no tool `{}`", one_line(name, 64)));
        };
        tool.read(args).map_err(|problems| problems.join("; "))
    }
}

/// Says in a call what a model does not: which mail is answered, and what the meeting is that it would change. Another
/// mail that it names is found when the call is read.
pub(crate) async fn fill_in(call: &mut ToolCall, input: &EmailInput, services: &Services) {
    match call.name.as_str() {
        SEND if !call.args.contains_key("email_id") => {
            let id = Json::String(input.id.0.clone());
            call.args.insert("email_id".into(), id);
        }
        MOVE | CANCEL => change::fill_in(&mut call.args, services).await,
        _ => {}
    }
}

/// One of the tools, for one mail.
#[derive(Clone)]
struct MailTool {
    kind: ToolKind,
    /// What a model reads.
    spec: ToolSpec,
    /// What a call is checked against.
    schema: Schema,
    context: Arc<CallContext>,
}

impl MailTool {
    fn read(&self, args: &Map<String, Json>) -> Result<MailCall, Vec<String>> {
        let value = Json::Object(args.clone());
        // Whatever a model says with it, it is done.
        let problems = match self.kind {
            ToolKind::Done => Vec::new(),
            _ => self.schema.check(&value),
        };
        if !problems.is_empty() {
            return Err(problems.iter().map(ToString::to_string).collect());
        }
        let zone = &self.context.services.zone;
        let request = match self.kind {
            ToolKind::Send => reply(value).map(ToolRequest::Send),
            ToolKind::Forward => forward(value).map(ToolRequest::Send),
            ToolKind::NewMail => new_mail(value).map(ToolRequest::Send),
            ToolKind::Schedule => Meeting::read(value, zone).map(ToolRequest::Schedule),
            ToolKind::Move | ToolKind::Cancel => {
                MeetingChange::read(value, zone).map(ToolRequest::Change)
            }
            ToolKind::Check => days(value).map(ToolRequest::Check),
            ToolKind::Search => read(value).map(ToolRequest::Search),
            ToolKind::Attachment => Ok(ToolRequest::Attachment(text(args, "name"))),
            ToolKind::Question => Ok(ToolRequest::Question(text(args, "content"))),
            ToolKind::Done => Ok(ToolRequest::Done),
        };
        Ok(MailCall {
            request: request.map_err(|problem| vec![problem])?,
            access: self.access(),
            context: self.context.clone(),
        })
    }
}

impl Tool for MailTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self) -> Access {
        self.kind.access()
    }

    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        Ok(Box::new(self.read(args)?))
    }
}

/// The argument with the text of a reply.
pub(crate) const TEXT: &str = "response_text";
/// The argument with recipients besides those of the mail.
pub(crate) const ADDED: &str = "additional_recipients";
/// The argument with the recipients of a mail that is no reply.
pub(crate) const TO: &str = "to";

fn read<T: serde::de::DeserializeOwned>(args: Json) -> Result<T, String> {
    serde_json::from_value(args).map_err(|error| error.to_string())
}

fn text(args: &Map<String, Json>, name: &str) -> String {
    let text = args.get(name).and_then(Json::as_str);
    text.unwrap_or_default().to_owned()
}

/// A subject as an owner wrote it; nothing if it is left as it is.
fn subject(text: Option<String>) -> Option<String> {
    let text = one_line(&text?, 500);
    (!text.is_empty()).then_some(text)
}

fn reply(args: Json) -> Result<Draft, String> {
    #[derive(Deserialize)]
    struct ReplyArgs {
        response_text: String,
        #[serde(default)]
        to: Audience,
        #[serde(default)]
        drop: Vec<String>,
        #[serde(default)]
        additional_recipients: Vec<String>,
        subject: Option<String>,
    }
    let args: ReplyArgs = read(args)?;
    if args.response_text.trim().is_empty() {
        return Err("`response_text` is empty".into());
    }
    Ok(Draft {
        text: args.response_text,
        subject: subject(args.subject),
        form: DraftForm::Reply {
            audience: args.to,
            added: addresses(&args.additional_recipients)?,
            dropped: addresses(&args.drop)?,
        },
    })
}

fn forward(args: Json) -> Result<Draft, String> {
    #[derive(Deserialize)]
    struct ForwardArgs {
        to: Vec<String>,
        text: String,
        subject: Option<String>,
    }
    let args: ForwardArgs = read(args)?;
    let to = addresses(&args.to)?;
    Ok(Draft {
        text: args.text,
        subject: subject(args.subject),
        form: DraftForm::Forward { to },
    })
}

fn new_mail(args: Json) -> Result<Draft, String> {
    #[derive(Deserialize)]
    struct NewMailArgs {
        to: Vec<String>,
        #[serde(default)]
        cc: Vec<String>,
        subject: String,
        text: String,
    }
    let args: NewMailArgs = read(args)?;
    if args.text.trim().is_empty() {
        return Err("`text` is empty".into());
    }
    let subject = subject(Some(args.subject)).ok_or("`subject` is empty")?;
    let (to, cc) = (addresses(&args.to)?, addresses(&args.cc)?);
    Ok(Draft {
        text: args.text,
        subject: Some(subject),
        form: DraftForm::New { to, cc },
    })
}

pub(crate) fn addresses(texts: &[String]) -> Result<Vec<Address>, String> {
    let read = |text: &String| {
        let address = named_email(text).map(Address::new);
        address.ok_or_else(|| format!("`{}` is no address", one_line(text, 100)))
    };
    texts.iter().map(read).collect()
}

fn days(args: Json) -> Result<Vec<Date>, String> {
    #[derive(Deserialize)]
    struct Days {
        dates: Vec<String>,
    }
    let args: Days = read(args)?;
    let day = |text: &String| {
        let date = Date::strptime("%d-%m-%Y", text.trim());
        date.map_err(|_| format!("`{}` is no day: write DD-MM-YYYY", one_line(text, 40)))
    };
    args.dates.iter().map(day).collect()
}
