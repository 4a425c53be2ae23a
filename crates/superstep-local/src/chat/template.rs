//! Chat template: a conversation as the one text that the model reads.
//!
//! The weights file brings a Jinja template that lays messages out as the model was trained on
//! them. Where that template knows nothing of tools, they are written into the messages themselves,
//! in the same words.

use serde_json::{Value as Json, json};
use superstep_model::{Body, Message, Request, ToolChoice, ToolSpec};

use super::{
    gguf::{FileError, Gguf},
    jinja::{self, Fault, Limits},
};

/// What begins and ends a tool call in a reply.
pub(super) const CALL: (&str, &str) = ("<tool_call>", "</tool_call>");

/// A model's layout of conversations.
pub(super) struct ChatTemplate {
    jinja: jinja::Template,
    knows_tools: bool,
}

/// Why a conversation could not be laid out.
#[derive(Debug)]
pub(super) enum RenderError {
    /// The template does not take it.
    Refused(String),
    /// The template was stopped.
    Runaway(String),
}

/// What a template may spend in steps, bytes and items, and how much more for each byte of what it is
/// given: a hundred times what templates of well-known models need.
const STEPS: u64 = 4 << 20;
const STEPS_EACH: u64 = 64;

/// How much a template may write, in bytes, and how often the size of what it is given besides.
const OUTPUT: usize = 1 << 20;
const OUTPUT_TIMES: usize = 4;

/// How much of what a template says of itself is reported, in characters.
const LONGEST_REASON: usize = 500;

impl ChatTemplate {
    pub(super) fn read(file: &Gguf<'_>) -> Result<Self, FileError> {
        Self::new(file.text("tokenizer.chat_template")?)
    }

    pub(super) fn new(source: &str) -> Result<Self, FileError> {
        Ok(Self {
            jinja: jinja::Template::parse(source).map_err(FileError::Template)?,
            knows_tools: source.contains("tools"),
        })
    }

    /// The text of a request, up to where the reply begins. `clean` takes what may not stand in
    /// contents out of them.
    pub(super) fn render(
        &self,
        request: &Request,
        clean: impl Fn(&str) -> String,
    ) -> Result<String, RenderError> {
        let tools = match request.tool_choice {
            ToolChoice::None => &[][..],
            _ => request.tools.as_slice(),
        };
        let mut messages: Vec<Json> = request
            .messages
            .iter()
            .map(|message| match self.knows_tools {
                true => with_calls(message, &clean),
                false => without_calls(message, &clean),
            })
            .collect();
        if let Some(output) = &request.output {
            let schema = clean(&spaced(&output.schema));
            instruct(
                &mut messages,
                &format!("Answer with JSON that follows this schema:\n{schema}"),
            );
        }
        let described = tools.iter().map(|tool| cleaned(described(tool), &clean));
        let described: Vec<Json> = described.collect();
        if !self.knows_tools && !tools.is_empty() {
            let list: Vec<String> = described.iter().map(spaced).collect();
            instruct(&mut messages, &tool_list(&list.join("\n")));
        }
        let offered = (self.knows_tools && !tools.is_empty()).then_some(described);
        let sizes = messages.iter().chain(offered.iter().flatten());
        let given: usize = sizes.map(|it| it.to_string().len()).sum();
        let limits = Limits {
            steps: STEPS.saturating_add(STEPS_EACH.saturating_mul(given as u64)),
            output: given.saturating_mul(OUTPUT_TIMES).saturating_add(OUTPUT),
        };
        let variables = [
            ("messages", &Json::Array(messages)),
            ("tools", &offered.map_or(Json::Null, Json::Array)),
            ("add_generation_prompt", &Json::Bool(true)),
        ];
        let reported = |why: String| -> String { why.chars().take(LONGEST_REASON).collect() };
        self.jinja
            .render(&variables, limits)
            .map_err(|fault| match fault {
                Fault::Stopped(why) => RenderError::Runaway(reported(why)),
                Fault::Refused(why) => RenderError::Refused(reported(why)),
            })
    }
}

fn described(tool: &ToolSpec) -> Json {
    json!({"type": "function", "function": {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }})
}

/// Data in which no text can be taken for a mark.
fn cleaned(data: Json, clean: &impl Fn(&str) -> String) -> Json {
    match data {
        Json::String(text) => Json::String(clean(&text)),
        Json::Array(items) => items.into_iter().map(|item| cleaned(item, clean)).collect(),
        Json::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (clean(&key), cleaned(value, clean)))
            .collect(),
        other => other,
    }
}

/// JSON with a space after commas and colons, as models have seen it most.
fn spaced(data: &Json) -> String {
    match data {
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(spaced).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| format!("{}: {}", Json::from(key.as_str()), spaced(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn tool_list(tools: &str) -> String {
    let (open, close) = CALL;
    format!(
        "These functions can be called, one a line:\n<tools>\n{tools}\n</tools>\nTo call one, answer \
         with its name and arguments as JSON:\n{open}\n{{\"name\": ..., \"arguments\": {{...}}}}\n\
         {close}"
    )
}

/// Adds to the instructions at the beginning, which do not change from call to call.
fn instruct(messages: &mut Vec<Json>, text: &str) {
    if let Some(first) = messages.first_mut()
        && first.get("role") == Some(&json!("system"))
        && let Some(Json::String(content)) = first.get_mut("content")
    {
        content.push_str("\n\n");
        content.push_str(text);
        return;
    }
    messages.insert(0, json!({"role": "system", "content": text}));
}

fn with_calls(message: &Message, clean: &impl Fn(&str) -> String) -> Json {
    let content = clean(&message.text());
    match &message.body {
        Body::System { .. } => json!({"role": "system", "content": content}),
        Body::User { .. } => json!({"role": "user", "content": content}),
        Body::Tool(_) => json!({"role": "tool", "content": content}),
        Body::Model(reply) if reply.tool_calls.is_empty() => {
            json!({"role": "assistant", "content": content})
        }
        Body::Model(reply) => {
            let calls = reply.tool_calls.iter().map(|call| {
                json!({"type": "function", "function": {
                    "name": call.name,
                    "arguments": cleaned(Json::Object(call.args.clone()), clean),
                }})
            });
            let calls: Vec<Json> = calls.collect();
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
    }
}

fn without_calls(message: &Message, clean: &impl Fn(&str) -> String) -> Json {
    let content = clean(&message.text());
    match &message.body {
        Body::Tool(_) => {
            let content = format!("<tool_response>\n{content}\n</tool_response>");
            json!({"role": "user", "content": content})
        }
        Body::Model(reply) => {
            let (open, close) = CALL;
            let mut text = content;
            for call in &reply.tool_calls {
                if !text.is_empty() {
                    text.push('\n');
                }
                let call = json!({"name": call.name, "arguments": call.args});
                text.push_str(&format!("{open}\n{}\n{close}", clean(&spaced(&call))));
            }
            json!({"role": "assistant", "content": text})
        }
        Body::System { .. } | Body::User { .. } => with_calls(message, clean),
    }
}

#[cfg(test)]
mod tests {
    use superstep_model::{OutputSchema, Reply, ToolCall};

    use super::*;

    const PLAIN: &str = "{% for message in messages %}[{{ message.role }}]{{ message.content }}\n\
                         {% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}";
    const TOOLS: &str = "{%- if tools %}{% for tool in tools %}({{ tool | tojson }}){% endfor %}\
                         {% endif %}{% for message in messages %}[{{ message.role }}]{% for call in \
                         message.tool_calls %}<{{ call.function.name }}>{% endfor %}{% endfor %}";

    fn render(source: &str, request: &Request) -> String {
        let template = ChatTemplate::new(source).unwrap();
        template.render(request, str::to_owned).unwrap()
    }

    fn request() -> Request {
        Request {
            messages: vec![Message::system("be brief"), Message::user("hi")],
            tools: vec![ToolSpec {
                name: "look".into(),
                description: "looks".into(),
                parameters: json!({"type": "object"}),
            }],
            ..Request::default()
        }
    }

    #[test]
    fn a_template_without_tools_gets_them_in_the_instructions() {
        let text = render(PLAIN, &request());
        assert!(text.starts_with("[system]be brief\n\n"), "{text}");
        assert!(text.contains("\"name\": \"look\""), "{text}");
        assert!(text.ends_with("[user]hi\n[assistant]"), "{text}");
    }

    #[test]
    fn a_template_with_tools_gets_them_as_data() {
        let text = render(TOOLS, &request());
        assert!(text.starts_with("({"), "{text}");
        assert!(text.contains("\"name\": \"look\""), "{text}");
    }

    #[test]
    fn tools_that_must_not_be_called_are_not_shown() {
        let mut request = request();
        request.tool_choice = ToolChoice::None;
        assert!(!render(PLAIN, &request).contains("look"));
        assert!(!render(TOOLS, &request).contains("look"));
    }

    #[test]
    fn calls_and_results_are_shown_either_way() {
        let mut request = request();
        let args = serde_json::Map::new();
        request.messages.push(Message::from(Reply {
            tool_calls: vec![ToolCall {
                id: "c".into(),
                name: "look".into(),
                args,
            }],
            ..Reply::default()
        }));
        let result = superstep_model::ToolReply {
            tool_call_id: "c".into(),
            name: "look".into(),
            content: "nothing".into(),
            status: Default::default(),
        };
        request.messages.push(result.into());
        let text = render(PLAIN, &request);
        assert!(
            text.contains("[assistant]<tool_call>\n{\"name\": \"look\""),
            "{text}"
        );
        assert!(text.contains("[user]<tool_response>\nnothing"), "{text}");
        let text = render(TOOLS, &request);
        assert!(text.contains("[assistant]<look>[tool]"), "{text}");
    }

    #[test]
    fn a_schema_is_shown_even_without_instructions() {
        let request = Request {
            messages: vec![Message::user("hi")],
            output: Some(OutputSchema {
                name: "answer".into(),
                schema: json!({"type": "boolean"}),
            }),
            ..Request::default()
        };
        let text = render(PLAIN, &request);
        assert!(text.starts_with("[system]Answer with JSON"), "{text}");
        assert!(text.contains("boolean"), "{text}");
    }

    #[test]
    fn data_keeps_its_quotes_and_loses_its_marks() {
        let mut request = request();
        request.tools[0].description = "it's <b> & <end>".into();
        let template = ChatTemplate::new(TOOLS).unwrap();
        let clean = |text: &str| text.replace("<end>", "< end>");
        let text = template.render(&request, clean).unwrap();
        assert!(text.contains("\"it's <b> & < end>\""), "{text}");
    }

    #[test]
    fn a_template_that_refuses_says_why() {
        let template = ChatTemplate::new("{{ raise_exception('no such role') }}").unwrap();
        let error = template.render(&request(), str::to_owned).unwrap_err();
        assert!(
            matches!(&error, RenderError::Refused(why) if why.contains("no such role")),
            "{error:?}"
        );
        assert!(ChatTemplate::new("{% if %}").is_err());
    }

    #[test]
    fn a_template_that_does_not_end_is_stopped() {
        let long = "{% for i in range(10000) %}";
        for source in [
            format!("{}{}", long.repeat(4), "{% endfor %}".repeat(4)),
            format!("{long}{long}x{{% set y = i * i %}}{{% endfor %}}{{% endfor %}}"),
            "{% for i in range(10000) %}{{ 'x' * 1000000 }}{% endfor %}".to_owned(),
            "{{ 'x' * 90000000 }}".to_owned(),
        ] {
            let template = ChatTemplate::new(&source).unwrap();
            let error = template.render(&request(), str::to_owned).unwrap_err();
            assert!(
                matches!(error, RenderError::Runaway(_)),
                "{source}: {error:?}"
            );
        }
    }

    #[test]
    fn what_a_template_says_is_cut() {
        let template = ChatTemplate::new("{{ raise_exception('x' * 100000) }}").unwrap();
        let error = template.render(&request(), str::to_owned).unwrap_err();
        assert!(
            matches!(&error, RenderError::Refused(why) if why.len() == LONGEST_REASON),
            "{error:?}"
        );
    }

    #[test]
    fn a_long_conversation_is_no_runaway() {
        let mut request = request();
        let message = request.messages[0].clone();
        request.messages = vec![message; 3_000];
        let template = ChatTemplate::new(TOOLS).unwrap();
        assert!(template.render(&request, str::to_owned).is_ok());
    }
}
