//! Values inside programs: JSON, and the few things an expression can make that JSON lacks.
//!
//! [`crate::expr`] computes them, [`crate::program`] hands them to the engine side, which turns
//! sends, commands and overwrites into the engine's own.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Number, Value as Json, json};

/// A value of the mini-language.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Val {
    /// Nothing.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Num(Number),
    /// Text.
    Str(String),
    /// A list, possibly of sends and commands.
    List(Vec<Val>),
    /// An object.
    Map(BTreeMap<String, Val>),
    /// A task for a node, with its own input.
    Send(Box<SendVal>),
    /// An update together with where to go.
    Command(Box<CommandVal>),
    /// A write that replaces the value of a channel.
    Overwrite(Box<Val>),
    /// A started task, by the number its host gave it.
    Future(u64),
}

/// A task for a node, with its own input.
#[derive(Debug, Clone, PartialEq)]
pub struct SendVal {
    /// The node.
    pub node: String,
    /// What the node sees as its state.
    pub arg: Val,
    /// Time limit of that task.
    pub timeout_ms: Option<u64>,
}

/// An update together with where to go.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CommandVal {
    /// The update.
    pub update: Option<Val>,
    /// Where to go.
    pub goto: Vec<Goto>,
    /// Answer to what was asked; an explicit null is kept.
    pub resume: Option<Val>,
    /// The graph that carries it out.
    pub target: CommandTarget,
}

/// One target of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum Goto {
    /// A node by name.
    Node(String),
    /// A task for a node.
    Send(SendVal),
}

/// The graph that carries out a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CommandTarget {
    /// The one whose node returned it.
    #[default]
    Here,
    /// The one above.
    Parent,
}

impl Val {
    /// Whether the value counts as true: null, false, 0 and everything empty do not.
    pub fn truthy(&self) -> bool {
        match self {
            Val::Null => false,
            Val::Bool(value) => *value,
            Val::Num(number) => number.as_f64() != Some(0.0),
            Val::Str(text) => !text.is_empty(),
            Val::List(items) => !items.is_empty(),
            Val::Map(map) => !map.is_empty(),
            Val::Send(_) | Val::Command(_) | Val::Overwrite(_) | Val::Future(_) => true,
        }
    }

    /// Deep equality; numbers are equal by value, so 1 and 1.0 are the same.
    pub fn same(&self, other: &Val) -> bool {
        match (self, other) {
            (Val::Num(a), Val::Num(b)) => compare_numbers(a, b) == Ordering::Equal,
            (Val::List(a), Val::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Val::Map(a), Val::Map(b)) => {
                let pairs = a.iter().zip(b);
                a.len() == b.len() && pairs.into_iter().all(|(a, b)| a.0 == b.0 && a.1.same(b.1))
            }
            (Val::Overwrite(a), Val::Overwrite(b)) => a.same(b),
            _ => self == other,
        }
    }

    /// The value as text: strings as they are, everything else as compact JSON with sorted keys.
    ///
    /// Inside that JSON all characters beyond ASCII are escaped, because recorded cases do so.
    pub fn text(&self) -> String {
        let mut out = String::new();
        match self {
            Val::Str(text) => out.push_str(text),
            other => write_json(&other.to_json(), &mut out),
        }
        out
    }

    /// The value as plain JSON; see [`Val::into_json`].
    pub fn to_json(&self) -> Json {
        self.clone().into_json()
    }

    /// The value as plain JSON. What JSON lacks is written as the operator that makes it, except
    /// that a future, which no operator makes, becomes `{"$future": n}`.
    pub fn into_json(self) -> Json {
        match self {
            Val::Null => Json::Null,
            Val::Bool(value) => Json::Bool(value),
            Val::Num(number) => Json::Number(number),
            Val::Str(text) => Json::String(text),
            Val::List(items) => items.into_iter().map(Val::into_json).collect(),
            Val::Map(map) => {
                let plain = |(key, value): (String, Val)| (key, value.into_json());
                Json::Object(map.into_iter().map(plain).collect())
            }
            Val::Send(send) => send.into_json(),
            Val::Command(command) => command.into_json(),
            Val::Overwrite(value) => json!({ "$overwrite": value.into_json() }),
            Val::Future(id) => json!({ "$future": id }),
        }
    }
}

impl SendVal {
    fn into_json(self) -> Json {
        json!({ "$send": [self.node, self.arg.into_json()] })
    }
}

impl CommandVal {
    fn into_json(self) -> Json {
        let mut parts = Map::new();
        let mut goto = self.goto.into_iter().map(|target| match target {
            Goto::Node(node) => Json::String(node),
            Goto::Send(send) => send.into_json(),
        });
        match (goto.next(), goto.next()) {
            (None, _) => {}
            (Some(only), None) => {
                parts.insert("goto".to_owned(), only);
            }
            (Some(first), Some(second)) => {
                let all = [first, second].into_iter().chain(goto).collect();
                parts.insert("goto".to_owned(), all);
            }
        }
        if let Some(update) = self.update.filter(Val::truthy) {
            parts.insert("update".to_owned(), update.into_json());
        }
        json!({ "$command": parts })
    }
}

impl From<Json> for Val {
    fn from(value: Json) -> Self {
        match value {
            Json::Null => Val::Null,
            Json::Bool(value) => Val::Bool(value),
            Json::Number(number) => Val::Num(number),
            Json::String(text) => Val::Str(text),
            Json::Array(items) => Val::List(items.into_iter().map(Val::from).collect()),
            Json::Object(map) => {
                let inner = |(key, value)| (key, Val::from(value));
                Val::Map(map.into_iter().map(inner).collect())
            }
        }
    }
}

impl From<&Json> for Val {
    fn from(value: &Json) -> Self {
        Val::from(value.clone())
    }
}

impl From<i64> for Val {
    fn from(value: i64) -> Self {
        Val::Num(value.into())
    }
}

impl From<bool> for Val {
    fn from(value: bool) -> Self {
        Val::Bool(value)
    }
}

impl From<&str> for Val {
    fn from(value: &str) -> Self {
        Val::Str(value.to_owned())
    }
}

impl From<String> for Val {
    fn from(value: String) -> Self {
        Val::Str(value)
    }
}

/// Orders numbers by value; integers exactly, everything else as floating point.
pub(crate) fn compare_numbers(a: &Number, b: &Number) -> Ordering {
    if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64()) {
        return a.cmp(&b);
    }
    if let (Some(a), Some(b)) = (a.as_u64(), b.as_u64()) {
        return a.cmp(&b);
    }
    let order = a.as_f64().partial_cmp(&b.as_f64());
    order.unwrap_or(Ordering::Equal)
}

fn write_json(value: &Json, out: &mut String) {
    match value {
        Json::String(text) => write_string(text, out),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_json(item, out);
            }
            out.push(']');
        }
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (index, (key, item)) in entries.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write_json(item, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(character),
            other => {
                let mut units = [0; 2];
                for unit in other.encode_utf16(&mut units) {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_survives_the_way_through_a_value() {
        let original = json!({"a": [1, 2.5, null, true, "x"], "b": {"$lit": 1}});
        assert_eq!(Val::from(&original).into_json(), original);
    }

    #[test]
    fn what_json_lacks_is_written_as_its_operator() {
        let send = SendVal {
            node: "n".into(),
            arg: Val::from(1),
            timeout_ms: Some(5),
        };
        let command = CommandVal {
            update: Some(Val::from(json!({"x": 1}))),
            goto: vec![Goto::Node("a".into()), Goto::Send(send.clone())],
            ..CommandVal::default()
        };
        let list = Val::List(vec![
            Val::Send(Box::new(send)),
            Val::Overwrite(Box::new(Val::from(2))),
            Val::Command(Box::new(command)),
        ]);
        let expected = json!([
            {"$send": ["n", 1]},
            {"$overwrite": 2},
            {"$command": {"goto": ["a", {"$send": ["n", 1]}], "update": {"x": 1}}},
        ]);
        assert_eq!(list.to_json(), expected);
    }

    #[test]
    fn a_command_with_one_target_and_an_empty_update_shows_the_bare_target() {
        let command = CommandVal {
            update: Some(Val::Map(BTreeMap::new())),
            goto: vec![Goto::Node("a".into())],
            ..CommandVal::default()
        };
        let shown = Val::Command(Box::new(command)).into_json();
        assert_eq!(shown, json!({"$command": {"goto": "a"}}));
    }

    #[test]
    fn text_is_compact_sorted_and_ascii_inside_json() {
        assert_eq!(Val::from("größe").text(), "größe");
        let value = Val::from(json!({"b": [1, null, true], "a": "ö😀\n\u{7f}"}));
        let expected = r#"{"a":"\u00f6\ud83d\ude00\n\u007f","b":[1,null,true]}"#;
        assert_eq!(value.text(), expected);
        assert_eq!(Val::from(json!(-3)).text(), "-3");
        assert_eq!(Val::from(json!(1.5)).text(), "1.5");
    }

    #[test]
    fn equality_looks_at_the_value_of_numbers_but_not_across_types() {
        assert!(Val::from(json!({"a": [1]})).same(&Val::from(json!({"a": [1.0]}))));
        assert!(!Val::from(json!({"a": 1})).same(&Val::from(json!({"b": 1}))));
        assert!(!Val::from(json!([1])).same(&Val::from(json!([1, 1]))));
        assert!(!Val::from(true).same(&Val::from(1)));
    }
}
