//! Actions as text, for models that call no tools and for replies that should have been a call.
//!
//! ```text
//! Think: what is to be done and why
//! Action: SheetSelector
//! Action Input: SELECT ...
//! ```
//!
//! The input of an action may stand in a fenced block. `Finish: ANSWER` on a line of its own ends the work, if there
//! is no action and it is in no block: a comment that says "done" ends nothing. A call as JSON counts, too (`json_call`).

mod json_call;

use serde_json::{Map, Value as Json};
use superstep::model::{
    Body, Message, ToolCall, ToolSpec,
    message::{Reply, ToolReply},
};

use crate::tools::FINISH;

/// The error of a reply with several actions.
const SEVERAL: &str = "there is more than one action; take one at a time";

/// What a reply says in the text protocol.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextAction {
    pub(crate) name: String,
    pub(crate) args: Map<String, Json>,
}

/// The action in a text, nothing if there is none, or what is wrong with it.
pub(crate) fn parse(text: &str, specs: &[ToolSpec]) -> Result<Option<TextAction>, String> {
    let mut action: Option<&str> = None;
    let mut input: Option<String> = None;
    let mut finish: Option<String> = None;
    let mut is_fenced = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        if is_fence {
            is_fenced = !is_fenced;
        }
        let bare = line.trim();
        let key = |name: &str| {
            let (key, rest) = bare.split_once(':')?;
            (!is_fenced && key.trim().eq_ignore_ascii_case(name)).then(|| rest.trim())
        };
        if let Some(name) = key("Action") {
            if action.is_some() {
                return Err(SEVERAL.into());
            }
            action = Some(name);
        } else if let Some(rest) = key("Action Input") {
            input = Some(rest.to_owned());
        } else if let Some(input) = &mut input {
            input.push('\n');
            input.push_str(line);
        } else if action.is_none()
            && let Some(answer) = key(FINISH)
        {
            finish = Some(answer.to_owned());
        } else if let Some(answer) = &mut finish {
            answer.push('\n');
            answer.push_str(line);
        }
    }
    let args = |key: &str, text: &str| {
        let text = Json::String(text.to_owned());
        Map::from_iter([(key.to_owned(), text)])
    };
    let Some(name) = action else {
        return match finish {
            Some(answer) => Ok(Some(TextAction {
                name: FINISH.into(),
                args: args("answer", answer.trim()),
            })),
            None => from_json(text, specs),
        };
    };
    let spec = named(name, specs)?;
    let input = input.ok_or("the action has no `Action Input:`")?;
    let input = unfenced(&input);
    let given = match (serde_json::from_str(input), only_text(spec)) {
        (Ok(Json::Object(args)), _) => args,
        (_, Some(key)) => args(key, input),
        _ => return Err(format!("the input of `{name}` must be a JSON object")),
    };
    Ok(Some(TextAction {
        name: spec.name.clone(),
        args: given,
    }))
}

/// The call that a text has as JSON.
fn from_json(text: &str, specs: &[ToolSpec]) -> Result<Option<TextAction>, String> {
    let mut calls = json_call::calls(text).into_iter();
    let Some(call) = calls.next() else {
        return Ok(None);
    };
    if calls.next().is_some() {
        return Err(SEVERAL.into());
    }
    Ok(Some(TextAction {
        name: named(&call.name, specs)?.name.clone(),
        args: call.args,
    }))
}

/// The action of a name.
fn named<'a>(name: &str, specs: &'a [ToolSpec]) -> Result<&'a ToolSpec, String> {
    let found = specs.iter().find(|spec| is_named(&spec.name, name));
    found.ok_or_else(|| {
        let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
        let names = names.join(", ");
        format!("there is no action `{name}`; there are: {names}")
    })
}

/// A name without regard to case and spaces: `Python Interpreter`.
fn is_named(name: &str, said: &str) -> bool {
    let letters = said.chars().filter(|c| c.is_alphanumeric() || *c == '_');
    letters.collect::<String>().eq_ignore_ascii_case(name)
}

/// The content of the first fenced block, or the text itself.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some((_, block)) = text.split_once("```") else {
        return text;
    };
    let block = block.split_once('\n').map_or("", |(_, block)| block);
    let end = block.find("\n```").unwrap_or(block.len());
    block.get(..end).unwrap_or(block)
}

/// The only argument of an action, if it is a text.
fn only_text(spec: &ToolSpec) -> Option<&str> {
    let properties = spec.parameters.get("properties")?.as_object()?;
    let mut all = properties.iter();
    let (key, about) = all.next()?;
    let is_text = about.get("type").and_then(Json::as_str) == Some("string");
    (is_text && all.next().is_none()).then_some(key)
}

/// How actions are written, for the instructions of a model that calls no tools.
pub(crate) fn instructions(specs: &[ToolSpec]) -> String {
    let mut text = String::from(
        "Reply in this form, one action at a time:\n\nThink: what you do next and why\nAction: the name of \
         an action\nAction Input: its input, in a block between ``` lines if it is long\n\nWhen all is done, \
         reply with one line instead:\n\nFinish: what was done\n\nActions:\n",
    );
    for spec in specs {
        let input = match only_text(spec) {
            Some(key) => format!("input: the {key} as text"),
            None => format!("input: JSON {}", spec.parameters),
        };
        text.push_str(&format!(
            "- {}: {} ({input})\n",
            spec.name, spec.description
        ));
    }
    text
}

/// A conversation without calls, for a model that makes none.
pub(crate) fn as_text(messages: &[Message]) -> Vec<Message> {
    messages.iter().map(text_of).collect()
}

fn text_of(message: &Message) -> Message {
    match &message.body {
        Body::Model(reply) if !reply.tool_calls.is_empty() => {
            let mut text = reply.content.text();
            if let Some(call) = reply.tool_calls.first()
                && !text.contains("Action:")
            {
                let args = Json::Object(call.args.clone());
                text = format!("Think: {text}\nAction: {}\nAction Input: {args}", call.name);
            }
            // Whose reply it was stays with it: scripts count the replies of their model.
            Message::from(Reply {
                content: text.into(),
                tool_calls: Vec::new(),
                ..reply.clone()
            })
        }
        Body::Tool(reply) => observation(reply).labeled(message.label()),
        _ => message.clone(),
    }
}

fn observation(reply: &ToolReply) -> Message {
    Message::user(format!(
        "Observation of {}:\n{}",
        reply.name,
        reply.content.text()
    ))
}

/// A call with an identity of its own.
pub(crate) fn call(action: TextAction, id: String) -> ToolCall {
    ToolCall {
        id,
        name: action.name,
        args: action.args,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot continue fails")]
mod tests {
    use serde_json::json;

    use super::*;

    fn specs() -> Vec<ToolSpec> {
        let spec = |name: &str, parameters| ToolSpec {
            name: name.into(),
            description: String::new(),
            parameters,
        };
        vec![
            spec(
                "PythonInterpreter",
                json!({"type": "object", "properties": {"code": {"type": "string"}}}),
            ),
            spec(
                "ApplyOperations",
                json!({"type": "object", "properties": {"operations": {"type": "array"}}}),
            ),
        ]
    }

    #[test]
    fn a_program_in_a_block_is_an_action() {
        let text = "Think: add it up\nAction: Python Interpreter\nAction Input:\n```python\n# Finish: Done!\nws['A1'] = 1\n```\n";
        let action = parse(text, &specs()).unwrap().unwrap();
        assert_eq!(action.name, "PythonInterpreter");
        let code = action.args.get("code").and_then(Json::as_str);
        assert_eq!(code, Some("# Finish: Done!\nws['A1'] = 1"));
    }

    #[test]
    fn data_is_an_input_too() {
        let text = "Action: ApplyOperations\nAction Input: {\"operations\": []}";
        let action = parse(text, &specs()).unwrap().unwrap();
        assert_eq!(action.args.get("operations"), Some(&json!([])));
        let wrong = parse("Action: ApplyOperations\nAction Input: no", &specs());
        assert!(wrong.unwrap_err().contains("JSON object"));
    }

    #[test]
    fn a_call_as_json_is_an_action_however_it_is_wrapped() {
        let operations = json!({"operations": [{"op": "clear", "note": "a } and a { in a text"}]});
        for text in [
            format!(r#"{{"name": "ApplyOperations", "arguments": {operations}}}"#),
            format!("I set it.\n```json\n{{\"tool\": \"apply operations\", \"parameters\": {operations}}}\n```"),
            format!("<tool_call>\n{{\"name\": \"ApplyOperations\", \"args\": {operations}}}\n</tool_call>"),
            json!({"function": {"name": "ApplyOperations", "arguments": operations.to_string()}}).to_string(),
            r#"{"name": "ApplyOperations", "operations": [{"op": "clear", "note": "a } and a { in a text"}]}"#.into(),
        ] {
            let action = parse(&text, &specs()).unwrap().unwrap();
            assert_eq!(action.name, "ApplyOperations", "{text}");
            assert_eq!(Json::Object(action.args), operations, "{text}");
        }
        let call = r#"{"name": "ApplyOperations", "arguments": {}}"#;
        assert!(parse(&format!("{call} {call}"), &specs()).is_err());
        assert!(parse(r#"{"name": "Shell", "arguments": {}}"#, &specs()).is_err());
        assert_eq!(parse(r#"{"total": 5} { {"a": 1}"#, &specs()), Ok(None));
    }

    #[test]
    fn only_a_line_of_its_own_ends_the_work() {
        for text in [
            "I am not done yet",
            "Done!",
            "We could Finish: later, see below",
            "```\nFinish: all\n```",
            "# Done\nprint('Finish')",
        ] {
            assert_eq!(parse(text, &specs()), Ok(None), "{text}");
        }
        let ended = parse("Think: all is there\nFinish: summed up", &specs());
        assert_eq!(ended.unwrap().unwrap().name, FINISH);
        let both = "Action: ApplyOperations\nAction Input: {\"operations\": []}\nFinish: done";
        assert!(parse(both, &specs()).is_err());
    }

    #[test]
    fn unknown_actions_are_refused_with_those_there_are() {
        let wrong = parse("Action: Shell\nAction Input: ls", &specs());
        assert!(wrong.unwrap_err().contains("PythonInterpreter"));
    }
}
