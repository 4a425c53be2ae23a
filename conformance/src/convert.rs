//! Conversion between values of case programs and of the engine.

use std::sync::Arc;

use superstep_core::{
    command::{Command, Goto, Output, Send, Target},
    plan::Destination,
    value::Value,
};

use crate::value::{self, CommandTarget, CommandVal, SendVal, Val};

/// A program's value as engine data.
pub fn to_value(val: &Val) -> Value {
    match val {
        Val::List(items) => Value::list(items.iter().map(to_value)),
        Val::Map(map) => {
            // A message without tool calls has no list of them.
            let idle = |key: &str, val: &Val| {
                key == "tool_calls" && matches!(val, Val::List(calls) if calls.is_empty())
            };
            let kept = map.iter().filter(|(k, v)| !idle(k, v));
            Value::map(kept.map(|(k, v)| (k.as_str(), to_value(v))))
        }
        Val::Overwrite(inner) => to_value(inner).overwriting(),
        other => other.to_json().into(),
    }
}

/// Engine data as a program's value.
pub fn to_val(value: &Value) -> Val {
    Val::from(value.to_json())
}

fn send(send: &SendVal) -> Send {
    Send {
        node: send.node.as_str().into(),
        arg: to_value(&send.arg),
        timeout: send.timeout_ms.map(std::time::Duration::from_millis),
    }
}

/// A program's command for the engine; the update of a bare state goes to `root`.
pub fn command(command: &CommandVal, root: Option<&str>) -> Command {
    let update: Vec<(Arc<str>, Value)> = match (&command.update, root) {
        (None | Some(Val::Null), _) => Vec::new(),
        (Some(Val::Map(map)), None) => map
            .iter()
            .map(|(k, v)| (k.as_str().into(), to_value(v)))
            .collect(),
        (Some(bare), Some(root)) => vec![(root.into(), to_value(bare))],
        (Some(_), None) => Vec::new(),
    };
    let goto = command.goto.iter().map(|goto| match goto {
        value::Goto::Node(name) => Goto::from(name.as_str()),
        value::Goto::Send(packet) => Goto::Send(send(packet)),
    });
    let target = match command.target {
        CommandTarget::Here => Target::Here,
        CommandTarget::Parent => Target::Parent,
    };
    Command {
        update,
        goto: goto.collect(),
        target,
    }
}

/// What a node program returned, for the engine.
pub fn output(val: &Val, root: Option<&str>) -> Output {
    match val {
        Val::Null => Output::Nothing,
        Val::Command(inner) => Output::Command(command(inner, root)),
        Val::List(items) if items.iter().any(|item| matches!(item, Val::Command(_))) => {
            Output::Many(items.iter().map(|item| output(item, root)).collect())
        }
        Val::Send(_) => Output::Update(Value::from("a send")),
        other => Output::Update(to_value(other)),
    }
}

/// What a router program returned, for the engine.
pub fn destinations(val: &Val) -> Vec<Destination> {
    match val {
        Val::List(items) => items.iter().flat_map(destinations).collect(),
        Val::Send(packet) => vec![Destination::Send(send(packet))],
        other => vec![Destination::Key(to_value(other))],
    }
}
