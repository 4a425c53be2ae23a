//! Structured output: a reply held to its schema as firmly as the model can be, checked, and repaired.
//!
//! Four rungs, by what the model can: it can say nothing else; it must call one tool; it must write
//! JSON and gets the schema in its prompt. Whatever the rung, the answer is read leniently
//! (`reading`), checked against the schema, and at most [`MAX_REPAIRS`] times the model gets
//! exactly what is wrong. Then it is [`ErrorKind::Unfit`].

use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::{nulls, reading::read, room};
use crate::{
    error::{ErrorKind, ModelError},
    message::{Body, Content, Label, Message, Part, Reply},
    model::{self, Model},
    request::{Cached, OutputSchema, Request, ToolChoice},
    schema::Schema,
    tool::ToolSpec,
    usage::{Finish, Lost, Usage},
};

/// How often a model is asked to repair its reply.
pub const MAX_REPAIRS: u32 = 2;

/// How much of an unfit answer is given back to the model, and of what is wrong with it.
const MAX_QUOTED: usize = 16 << 10;
const MAX_WHY: usize = 2 << 10;

/// The only field of an answer whose schema is no object: providers and tools want objects.
const WRAP: &str = "answer";

/// A reply that matches its schema.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StructuredReply<T> {
    /// The answer.
    pub value: T,
    /// The reply it was in. Its usage is that of all replies, so that a thread which keeps it
    /// counts the repairs too.
    pub reply: Reply,
    /// What all replies cost together, repairs counted, as far as the model reported.
    pub usage: Usage,
    /// How often the model had to repair it.
    pub repairs: u32,
}

impl<T> StructuredReply<T> {
    /// The same with another answer made of this one.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> StructuredReply<U> {
        StructuredReply {
            value: change(self.value),
            reply: self.reply,
            usage: self.usage,
            repairs: self.repairs,
        }
    }
}

/// Asks a model for a `T`. The schema says what a `T` looks like.
pub async fn structured<T: DeserializeOwned>(
    model: &dyn Model,
    request: Request,
    schema: &Schema,
) -> Result<StructuredReply<T>, ModelError> {
    structured_within(model, request, schema, MAX_REPAIRS).await
}

/// The same with another number of repairs.
pub async fn structured_within<T: DeserializeOwned>(
    model: &dyn Model,
    request: Request,
    schema: &Schema,
    repairs: u32,
) -> Result<StructuredReply<T>, ModelError> {
    // Types know more than their schemas say, so what they refuse is a mistake of the model too.
    climb(model, request, schema, repairs, |value| {
        serde_json::from_value(value).map_err(|error| error.to_string())
    })
    .await
}

/// Asks a model for data of that shape.
pub async fn structured_json(
    model: &dyn Model,
    request: Request,
    schema: &Schema,
) -> Result<StructuredReply<Json>, ModelError> {
    climb(model, request, schema, MAX_REPAIRS, Ok).await
}

async fn climb<T>(
    model: &dyn Model,
    request: Request,
    schema: &Schema,
    most: u32,
    take: impl Fn(Json) -> Result<T, String>,
) -> Result<StructuredReply<T>, ModelError> {
    let ask = Ask::new(model.caps().structured, &request, schema);
    let mut request = ask.put_into(request);
    let mut usage = Usage::default();
    let mut lost = Lost::default();
    let mut repairs = 0;
    let mut is_wider = false;
    loop {
        let reply = model.invoke(&request).await;
        let mut reply = reply.map_err(|error| error.costing(lost))?;
        let taken = reply.usage.unwrap_or_default();
        let paid = reply.answered.as_ref().and_then(|it| it.paid.as_ref());
        lost.add(taken, paid.and_then(|paid| paid.cost));
        usage += taken;
        let judged = ask.judge(&reply).and_then(|value| {
            let taken = take(value);
            taken.map_err(Fault::Mendable)
        });
        let why = match judged {
            Ok(value) => {
                if repairs > 0 || is_wider {
                    reply.usage = Some(usage);
                    let answered = reply.answered.as_mut();
                    if let Some(paid) = answered.and_then(|it| it.paid.as_mut()) {
                        paid.cost = lost.cost;
                    }
                }
                return Ok(StructuredReply {
                    value,
                    reply,
                    usage,
                    repairs,
                });
            }
            Err(Fault::Cut) if !is_wider && let Some(wider) = room::wider(&request) => {
                // A shorter answer may not exist, and thoughts may have used up the limit.
                (request, is_wider) = (wider, true);
                continue;
            }
            Err(Fault::Cut) if repairs < most => format!("{}; give a shorter one", cut(&request)),
            Err(Fault::Mendable(why)) if repairs < most => why,
            Err(fault) => {
                let why = match fault {
                    Fault::Mendable(why) | Fault::Final(why) => why,
                    Fault::Cut => cut(&request),
                };
                let unfit = ErrorKind::Unfit {
                    schema: schema.name().into(),
                    repairs,
                    why: clipped(&why, MAX_WHY),
                };
                return Err(ModelError::from(unfit).costing(lost));
            }
        };
        repairs += 1;
        ask.add_repair(&mut request, &reply, &why);
    }
}

/// Why an answer is not whole. The limit is named: a person may raise it.
fn cut(request: &Request) -> String {
    match request.max_tokens {
        Some(limit) => format!("the answer was cut at the limit of tokens, which is {limit}"),
        None => "the answer was cut at the limit of tokens of the provider".into(),
    }
}

/// What is wrong with a reply.
enum Fault {
    /// Asking again may help.
    Mendable(String),
    /// It reached the limit of tokens.
    Cut,
    /// It will not.
    Final(String),
}

/// How the answer is asked for.
struct Ask<'a> {
    rung: model::Structured,
    schema: &'a Schema,
    /// The schema in a wrapper, if it is no object.
    wrapped: Option<Schema>,
    output: OutputSchema,
}

impl<'a> Ask<'a> {
    fn new(rung: model::Structured, request: &Request, schema: &'a Schema) -> Self {
        let wrapped = wrapped(schema);
        let mut output = OutputSchema::of(wrapped.as_ref().unwrap_or(schema));
        while request.tools.iter().any(|tool| tool.name == output.name) {
            output.name.push('_');
        }
        Self {
            rung,
            schema,
            wrapped,
            output,
        }
    }

    fn put_into(&self, mut request: Request) -> Request {
        // Tools stay in the request, because the conversation may have calls of them.
        request.tool_choice = ToolChoice::None;
        request.output = None;
        match self.rung {
            model::Structured::Schema => request.output = Some(self.output.clone()),
            model::Structured::Tool => {
                request.tools.push(ToolSpec {
                    name: self.output.name.clone(),
                    description: "Gives the answer. Call it once.".into(),
                    parameters: self.output.schema.clone(),
                });
                request.tool_choice = ToolChoice::Tool(self.output.name.clone());
            }
            model::Structured::Json => {
                request.output = Some(self.output.clone());
                instruct(&mut request, &self.in_words());
            }
            model::Structured::Asked => instruct(&mut request, &self.in_words()),
        }
        request
    }

    fn in_words(&self) -> String {
        format!(
            "Answer with one JSON value that fits this schema, and nothing else: no words around \
             it, no code fence.\n{}",
            self.output.schema
        )
    }

    fn judge(&self, reply: &Reply) -> Result<Json, Fault> {
        let finish = reply.answered.as_ref().map(|answered| &answered.finish);
        match finish {
            Some(Finish::Refusal) => {
                let text = clipped(&reply.content.text(), MAX_WHY);
                return Err(Fault::Final(format!("the model refused: {text}")));
            }
            Some(Finish::Filtered) => {
                let why = "the provider's filter held the answer back";
                return Err(Fault::Final(why.into()));
            }
            Some(Finish::Length) => return Err(Fault::Cut),
            _ => {}
        }
        let value = self.find(reply).map_err(Fault::Mendable)?;
        let wrong = match self.fit(value.clone()) {
            Ok(fitting) => return Ok(fitting),
            Err(wrong) => wrong,
        };
        let value = nulls::as_absent(&self.output.schema, value);
        self.fit(value).map_err(|_| Fault::Mendable(wrong))
    }

    /// The value in a reply.
    fn find(&self, reply: &Reply) -> Result<Json, String> {
        let names = reply.tool_calls.iter().map(|call| &call.name);
        let names = names.chain(reply.invalid_tool_calls.iter().map(|call| &call.name));
        let is_answer = |name: &String| {
            matches!(self.rung, model::Structured::Tool) && *name == self.output.name
        };
        if let Some(other) = names.clone().find(|name| !is_answer(name)) {
            let other = clipped(other, 80);
            return Err(match self.rung {
                model::Structured::Tool => {
                    format!("call `{}` alone, not `{other}`", self.output.name)
                }
                _ => format!("give the answer, do not call `{other}`"),
            });
        }
        if names.count() == 0 {
            return read(&reply.content.text());
        }
        let valid = reply.tool_calls.iter();
        let valid = valid.map(|call| Ok(Json::Object(call.args.clone())));
        let invalid = reply.invalid_tool_calls.iter().map(|call| read(&call.args));
        let mut found: Vec<Json> = valid.chain(invalid).collect::<Result<_, _>>()?;
        found.dedup();
        match (found.pop(), found.pop()) {
            (Some(value), None) => Ok(value),
            _ => Err(format!("call `{}` once", self.output.name)),
        }
    }

    /// The value without its wrapper, if it has the right shape.
    fn fit(&self, value: Json) -> Result<Json, String> {
        let Some(wrapped) = &self.wrapped else {
            return conforms(self.schema, &value).map(|()| value);
        };
        let wrong = match conforms(wrapped, &value) {
            Err(wrong) => wrong,
            Ok(()) => return Ok(value.get(WRAP).cloned().unwrap_or_default()),
        };
        // Some models leave out the wrapper.
        conforms(self.schema, &value)
            .map(|()| value)
            .map_err(|_| wrong)
    }

    /// The unfit answer and what is wrong with it, as plain turns: every provider takes those,
    /// while calls that are given back must follow rules that differ.
    fn add_repair(&self, request: &mut Request, reply: &Reply, why: &str) {
        let mut said = reply.content.text();
        for call in &reply.tool_calls {
            said.push_str(&Json::Object(call.args.clone()).to_string());
        }
        for call in &reply.invalid_tool_calls {
            said.push_str(&call.args);
        }
        if said.trim().is_empty() {
            said = "(nothing)".into();
        }
        let why = clipped(why, MAX_WHY);
        let instruction = format!(
            "That answer cannot be used:\n{why}\nGive the whole answer again, repaired.{}",
            match self.rung {
                model::Structured::Tool => format!(" Call `{}` with it.", self.output.name),
                _ => " Write the JSON value alone.".into(),
            }
        );
        let said = Message::model(clipped(&said, MAX_QUOTED));
        // It quotes the model, so it is not to be taken for a person's words.
        let instruction = Message::user(instruction).labeled(Label::Model);
        request.messages.extend([said, instruction]);
        // What was asked and said is not the same in every call.
        request.cached = Cached::Conversation;
    }
}

/// What is wrong with a value, a line for each.
fn conforms(schema: &Schema, value: &Json) -> Result<(), String> {
    let problems = schema.check(value);
    if problems.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Err(lines.join("\n"))
}

/// The schema as the only field of an object, unless it is one already.
fn wrapped(schema: &Schema) -> Option<Schema> {
    let json = schema.json();
    if json.get("type").and_then(Json::as_str) == Some("object") {
        return None;
    }
    let mut inner = json.clone();
    let mut outer = json!({
        "type": "object",
        "required": [WRAP],
        "additionalProperties": false,
    });
    if let Json::Object(inner) = &mut inner {
        // References are from the root, so what they refer to stays there.
        for key in ["$schema", "$defs", "definitions"] {
            if let (Some(part), Json::Object(outer)) = (inner.remove(key), &mut outer) {
                outer.insert(key.into(), part);
            }
        }
    }
    if let Json::Object(outer) = &mut outer {
        outer.insert("properties".into(), json!({ WRAP: inner }));
    }
    // One that refers to its own root cannot move; the model gets it as it is.
    if outer.to_string().contains(r##""$ref":"#""##) {
        return None;
    }
    Schema::new(schema.name(), outer).ok()
}

/// Adds to the program's instructions, in front where they do not change from call to call.
fn instruct(request: &mut Request, words: &str) {
    if let Some(first) = request.messages.first_mut()
        && let Body::System { content } = &mut first.body
    {
        match content {
            Content::Text(text) => {
                text.push_str("\n\n");
                text.push_str(words);
            }
            Content::Parts(parts) => parts.push(Part::Text {
                text: format!("\n\n{words}"),
            }),
        }
        return;
    }
    request.messages.insert(0, Message::system(words));
}

fn clipped(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.into();
    }
    let (kept, _) = text.split_at(text.floor_char_boundary(most));
    format!("{kept}...")
}
