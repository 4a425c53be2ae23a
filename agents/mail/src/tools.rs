//! The assistant's tools: schemas, validation of arguments, and the calls they are parsed into.
//!
//! Arguments are checked before anybody is asked: against the schema, and for what a schema cannot
//! express. Every text has a maximal length: small models like to continue. Which mail is answered and
//! from which address is not the model's choice: the mail is filled in by code, so that the tools are described
//! in the same words for every mail and a model that has read them need not read them again, and the address
//! has one value.

mod call;
mod context;
mod kind;
mod meeting;
mod outcome;
mod schedule;
mod send;

use std::sync::Arc;

use jiff::{Timestamp, civil::Date};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use superstep::{
    Ctx, NodeError,
    model::{Schema, ToolCall, ToolSpec},
    tools::{Access, ParsedCall, Scope, Tool, Tools, call_key},
};

use crate::{
    Address,
    input::EmailInput,
    parse::{named_email, one_line},
    past_calls::PastCalls,
    services::Services,
};
pub(crate) use call::MailCall;
use context::CallContext;
use kind::ToolKind;
pub use kind::{CHECK, DONE, QUESTION, SCHEDULE, SEND};
pub(crate) use meeting::Meeting;
pub(crate) use schedule::STRANGER;

/// What a call asks for, once its arguments are known to make sense.
#[derive(Clone, Debug)]
pub(crate) enum ToolRequest {
    Send(Draft),
    Schedule(Meeting),
    Check(Vec<Date>),
    Question(String),
    Done,
}

/// A reply as a model words it.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) added: Vec<Address>,
}

/// Validates the calls about one mail, and parses them.
pub(crate) struct CallValidator {
    listed: Vec<MailTool>,
    tools: Tools,
}

impl CallValidator {
    /// For the calls about a mail in a run. `at` is the date of a reply that is sent. A foreign `scope` may claim any
    /// participants, so none counts as known and every recipient is flagged.
    pub(crate) async fn new(
        services: &Arc<Services>,
        ctx: &Ctx,
        input: &EmailInput,
        scope: Option<&Scope>,
        at: Timestamp,
    ) -> Result<Self, NodeError> {
        let mut input = input.clone();
        if scope.is_some_and(Scope::is_foreign) {
            input.participants.clear();
        }
        let past_calls = services.past_calls(ctx)?;
        Self::of(services, past_calls, &input, at, &call_key(ctx)).await
    }

    /// The same for calls that are on record elsewhere than in the store of a run. `own` is the key of the call that is
    /// made now, whose record is not one of an earlier call.
    pub(crate) async fn of(
        services: &Arc<Services>,
        past_calls: PastCalls,
        input: &EmailInput,
        at: Timestamp,
        own: &str,
    ) -> Result<Self, NodeError> {
        let place = services.mailbox.place();
        let context = Arc::new(CallContext {
            before: past_calls.about(&place, input, own).await?,
            services: services.clone(),
            input: input.clone(),
            at,
            past_calls,
        });
        let mut listed = Vec::new();
        for kind in ToolKind::ALL {
            let spec = kind.spec(&context);
            let mut checked = spec.parameters.clone();
            if let Some(Json::Object(properties)) = checked.pointer_mut("/properties") {
                match kind {
                    ToolKind::Send => {
                        let this = json!({"enum": [context.input.id.0]});
                        properties.insert("email_id".into(), this);
                    }
                    // The program asks with more than a model is told of.
                    ToolKind::Question => {
                        let answers =
                            json!({"type": "array", "items": {"type": "string"}, "maxItems": 8});
                        properties.insert("answers".into(), answers);
                        properties.insert("understood".into(), json!({"type": "object"}));
                    }
                    _ => {}
                }
            }
            listed.push(MailTool {
                kind,
                schema: Schema::new(&*spec.name, checked)?,
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

/// Says in a call which mail is answered, if the model did not. Another mail that it names is found when the call
/// is read.
pub(crate) fn fill_in(call: &mut ToolCall, input: &EmailInput) {
    if call.name == SEND && !call.args.contains_key("email_id") {
        call.args
            .insert("email_id".into(), Json::String(input.id.0.clone()));
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
        let request = match self.kind {
            ToolKind::Send => draft(value).map(ToolRequest::Send),
            ToolKind::Schedule => {
                Meeting::read(value, &self.context.services.zone).map(ToolRequest::Schedule)
            }
            ToolKind::Check => days(value).map(ToolRequest::Check),
            ToolKind::Question => {
                let content = args.get("content").and_then(Json::as_str);
                Ok(ToolRequest::Question(
                    content.unwrap_or_default().to_owned(),
                ))
            }
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

#[derive(Deserialize)]
struct SendArgs {
    response_text: String,
    #[serde(default)]
    additional_recipients: Vec<String>,
}

fn draft(args: Json) -> Result<Draft, String> {
    let args: SendArgs = serde_json::from_value(args).map_err(|error| error.to_string())?;
    if args.response_text.trim().is_empty() {
        return Err("`response_text` is empty".into());
    }
    Ok(Draft {
        text: args.response_text,
        added: addresses(&args.additional_recipients)?,
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
    let args: Days = serde_json::from_value(args).map_err(|error| error.to_string())?;
    let read = |text: &String| {
        let date = Date::strptime("%d-%m-%Y", text.trim());
        date.map_err(|_| format!("`{}` is no day: write DD-MM-YYYY", one_line(text, 40)))
    };
    args.dates.iter().map(read).collect()
}
