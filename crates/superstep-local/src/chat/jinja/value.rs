//! Values of templates.
//!
//! Lists and dictionaries are shared and never changed, and know how deep they are: nothing that
//! walks through a value, its end included, can go too deep. A namespace is a number, so that values
//! have no circles. Because parts are shared, a small value can be huge when it is written out; so
//! whatever walks through one pays for what it sees.

use std::{cmp::Ordering, sync::Arc};

use serde_json::Value as Json;

use super::meter::{Fault, Meter};

/// How deep values may be.
const MAX_DEPTH: usize = 100;

/// What a variable can be.
#[derive(Clone)]
pub(super) enum Value {
    Undefined,
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Arc<str>),
    List(Arc<List>),
    Dict(Arc<Dict>),
    /// One of the render's namespaces.
    Namespace(usize),
    Loop(Turn),
}

/// A list and its depth.
pub(super) struct List {
    pub(super) items: Vec<Value>,
    depth: usize,
}

/// Members in their order, and their depth.
pub(super) struct Dict {
    pub(super) members: Vec<(Arc<str>, Value)>,
    depth: usize,
}

/// One turn of a loop.
#[derive(Clone)]
pub(super) struct Turn {
    pub(super) items: Arc<List>,
    pub(super) index: usize,
}

impl Value {
    /// A list that was paid for.
    pub(super) fn list(items: Vec<Self>) -> Result<Self, Fault> {
        let depth = depth_around(items.iter())?;
        Ok(Self::List(Arc::new(List { items, depth })))
    }

    /// A dictionary that was paid for.
    pub(super) fn dict(members: Vec<(Arc<str>, Self)>) -> Result<Self, Fault> {
        let depth = depth_around(members.iter().map(|(_, value)| value))?;
        Ok(Self::Dict(Arc::new(Dict { members, depth })))
    }

    pub(super) fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    fn depth(&self) -> usize {
        match self {
            Self::List(list) => list.depth,
            Self::Dict(dict) => dict.depth,
            Self::Loop(turn) => turn.items.depth,
            _ => 0,
        }
    }

    /// The value of JSON.
    pub(super) fn from_json(json: &Json, meter: &Meter) -> Result<Self, Fault> {
        Self::from_json_at(json, meter, 0)
    }

    fn from_json_at(json: &Json, meter: &Meter, depth: usize) -> Result<Self, Fault> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        meter.pay(1)?;
        Ok(match json {
            Json::Null => Self::None,
            Json::Bool(is) => Self::Bool(*is),
            Json::Number(number) => match number.as_i64() {
                Some(number) => Self::Int(number),
                None => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => {
                meter.pay(text.len())?;
                Self::text(text.as_str())
            }
            Json::Array(items) => {
                meter.pay_items(items.len())?;
                let items = items.iter();
                let items = items.map(|item| Self::from_json_at(item, meter, depth + 1));
                Self::list(items.collect::<Result<_, _>>()?)?
            }
            Json::Object(members) => {
                meter.pay_items(members.len())?;
                let members = members.iter().map(|(key, value)| {
                    meter.pay(key.len())?;
                    let value = Self::from_json_at(value, meter, depth + 1)?;
                    Ok((Arc::from(key.as_str()), value))
                });
                Self::dict(members.collect::<Result<_, Fault>>()?)?
            }
        })
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Undefined | Self::None => false,
            Self::Bool(is) => *is,
            Self::Int(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.items.is_empty(),
            Self::Dict(dict) => !dict.members.is_empty(),
            Self::Namespace(_) | Self::Loop(_) => true,
        }
    }

    /// What it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Undefined => "what is not defined",
            Self::None => "none",
            Self::Bool(_) => "a truth value",
            Self::Int(_) | Self::Float(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Dict(_) => "a dictionary",
            Self::Namespace(_) => "a namespace",
            Self::Loop(_) => "a loop",
        }
    }

    pub(super) fn as_text(&self) -> Result<&Arc<str>, Fault> {
        match self {
            Self::Text(text) => Ok(text),
            other => Err(Fault::refused(format!(
                "a text is needed, not {}",
                other.kind()
            ))),
        }
    }

    pub(super) fn as_int(&self) -> Result<i64, Fault> {
        match self {
            Self::Int(number) => Ok(*number),
            Self::Bool(is) => Ok(i64::from(*is)),
            other => Err(Fault::refused(format!(
                "a whole number is needed, not {}",
                other.kind()
            ))),
        }
    }

    pub(super) fn as_float(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::Bool(is) => Some(f64::from(u8::from(*is))),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// What a loop over it sees.
    pub(super) fn items(&self, meter: &Meter) -> Result<Arc<List>, Fault> {
        let items: Vec<Self> = match self {
            Self::List(list) => return Ok(Arc::clone(list)),
            Self::Undefined => Vec::new(),
            Self::Dict(dict) => {
                meter.pay_items(dict.members.len())?;
                let keys = dict.members.iter().map(|(key, _)| key);
                keys.map(|key| Self::Text(Arc::clone(key))).collect()
            }
            Self::Text(text) => {
                meter.pay_items(text.len())?;
                let mut room = [0; 4];
                let letters = text.chars();
                letters
                    .map(|letter| Self::text(&*letter.encode_utf8(&mut room)))
                    .collect()
            }
            other => {
                let kind = other.kind();
                return Err(Fault::refused(format!("{kind} has no items")));
            }
        };
        let depth = depth_around(items.iter())?;
        Ok(Arc::new(List { items, depth }))
    }

    /// The member of a dictionary.
    pub(super) fn member(&self, key: &str, meter: &Meter) -> Result<Option<Self>, Fault> {
        let Self::Dict(dict) = self else {
            return Ok(None);
        };
        meter.pay(search(dict.members.len(), key))?;
        let mut members = dict.members.iter();
        Ok(members
            .find(|(name, _)| **name == *key)
            .map(|(_, value)| value.clone()))
    }

    pub(super) fn equals(&self, other: &Self, meter: &Meter) -> Result<bool, Fault> {
        meter.pay(1)?;
        Ok(match (self, other) {
            (Self::Undefined, Self::Undefined) | (Self::None, Self::None) => true,
            (Self::Text(one), Self::Text(other)) => {
                meter.pay(one.len().min(other.len()))?;
                one == other
            }
            (Self::List(one), Self::List(other)) => {
                if one.items.len() != other.items.len() {
                    return Ok(false);
                }
                for (one, other) in one.items.iter().zip(&other.items) {
                    if !one.equals(other, meter)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Self::Dict(one), Self::Dict(_)) => {
                let mut is_equal = one.members.len() == other.len().unwrap_or_default();
                for (key, value) in &one.members {
                    let member = other.member(key, meter)?;
                    is_equal = is_equal
                        && match member {
                            Some(member) => value.equals(&member, meter)?,
                            None => false,
                        };
                    if !is_equal {
                        break;
                    }
                }
                is_equal
            }
            (Self::Namespace(one), Self::Namespace(other)) => one == other,
            (Self::Int(one), Self::Int(other)) => one == other,
            (one, other) => match (one.as_float(), other.as_float()) {
                (Some(one), Some(other)) => one == other,
                _ => false,
            },
        })
    }

    /// How texts and numbers are ordered.
    pub(super) fn order(&self, other: &Self, meter: &Meter) -> Result<Ordering, Fault> {
        if let (Self::Text(one), Self::Text(other)) = (self, other) {
            meter.pay(one.len().min(other.len()))?;
            return Ok(one.cmp(other));
        }
        let order = match (self, other) {
            (Self::Int(one), Self::Int(other)) => Some(one.cmp(other)),
            _ => match (self.as_float(), other.as_float()) {
                (Some(one), Some(other)) => Some(one.total_cmp(&other)),
                _ => None,
            },
        };
        order.ok_or_else(|| {
            let (one, other) = (self.kind(), other.kind());
            Fault::refused(format!("{one} and {other} have no order"))
        })
    }

    /// Whether something is in it.
    pub(super) fn contains(&self, item: &Self, meter: &Meter) -> Result<bool, Fault> {
        match self {
            Self::Text(text) => {
                let part = item.as_text()?;
                meter.pay(text.len() + part.len())?;
                Ok(text.contains(&**part))
            }
            Self::List(list) => {
                for other in &list.items {
                    if other.equals(item, meter)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Dict(_) => match item {
                Self::Text(key) => Ok(self.member(key, meter)?.is_some()),
                _ => Ok(false),
            },
            Self::Undefined => Ok(false),
            other => {
                let kind = other.kind();
                Err(Fault::refused(format!("nothing is in {kind}")))
            }
        }
    }

    /// How many items, members or letters it has.
    pub(super) fn len(&self) -> Option<usize> {
        match self {
            Self::Text(text) => Some(text.chars().count()),
            Self::List(list) => Some(list.items.len()),
            Self::Dict(dict) => Some(dict.members.len()),
            Self::Undefined => Some(0),
            _ => None,
        }
    }

    /// Writes it as `{{ value }}` does.
    pub(super) fn print(&self, to: &mut String, meter: &Meter) -> Result<(), Fault> {
        match self {
            Self::Undefined => Ok(()),
            Self::Text(text) => push(to, text, meter),
            other => other.print_inside(to, meter),
        }
    }

    /// Writes it as a part of another value.
    fn print_inside(&self, to: &mut String, meter: &Meter) -> Result<(), Fault> {
        meter.pay(1)?;
        match self {
            Self::Undefined => push(to, "Undefined", meter),
            Self::None => push(to, "None", meter),
            Self::Bool(true) => push(to, "True", meter),
            Self::Bool(false) => push(to, "False", meter),
            Self::Int(number) => push(to, &number.to_string(), meter),
            Self::Float(number) => push(to, &format!("{number:?}"), meter),
            Self::Text(text) => quote(to, text, meter),
            Self::List(list) => {
                push(to, "[", meter)?;
                for (number, item) in list.items.iter().enumerate() {
                    push(to, if number == 0 { "" } else { ", " }, meter)?;
                    item.print_inside(to, meter)?;
                }
                push(to, "]", meter)
            }
            Self::Dict(dict) => {
                push(to, "{", meter)?;
                for (number, (key, value)) in dict.members.iter().enumerate() {
                    push(to, if number == 0 { "" } else { ", " }, meter)?;
                    quote(to, key, meter)?;
                    push(to, ": ", meter)?;
                    value.print_inside(to, meter)?;
                }
                push(to, "}", meter)
            }
            Self::Namespace(_) | Self::Loop(_) => {
                let kind = self.kind();
                Err(Fault::refused(format!("{kind} cannot be written")))
            }
        }
    }

    /// Writes it as JSON; `indent` is the width of a level, where each member has a line of its own.
    pub(super) fn json(
        &self,
        to: &mut String,
        indent: Option<usize>,
        meter: &Meter,
    ) -> Result<(), Fault> {
        self.json_at(to, indent, 0, meter)
    }

    fn json_at(
        &self,
        to: &mut String,
        indent: Option<usize>,
        level: usize,
        meter: &Meter,
    ) -> Result<(), Fault> {
        meter.pay(1)?;
        match self {
            Self::None => push(to, "null", meter),
            Self::Bool(is) => push(to, if *is { "true" } else { "false" }, meter),
            Self::Int(number) => push(to, &number.to_string(), meter),
            Self::Float(number) => push(to, &Json::from(*number).to_string(), meter),
            Self::Text(text) => json_text(to, text, meter),
            Self::List(list) => {
                push(to, "[", meter)?;
                for (number, item) in list.items.iter().enumerate() {
                    separate(to, number, indent, level + 1, meter)?;
                    item.json_at(to, indent, level + 1, meter)?;
                }
                if !list.items.is_empty() {
                    line(to, indent, level, meter)?;
                }
                push(to, "]", meter)
            }
            Self::Dict(dict) => {
                push(to, "{", meter)?;
                for (number, (key, value)) in dict.members.iter().enumerate() {
                    separate(to, number, indent, level + 1, meter)?;
                    json_text(to, key, meter)?;
                    push(to, ": ", meter)?;
                    value.json_at(to, indent, level + 1, meter)?;
                }
                if !dict.members.is_empty() {
                    line(to, indent, level, meter)?;
                }
                push(to, "}", meter)
            }
            Self::Undefined | Self::Namespace(_) | Self::Loop(_) => {
                let kind = self.kind();
                Err(Fault::refused(format!("{kind} is no JSON")))
            }
        }
    }
}

fn too_deep() -> Fault {
    Fault::Stopped(format!("a value is nested more than {MAX_DEPTH} times"))
}

fn depth_around<'a>(items: impl Iterator<Item = &'a Value>) -> Result<usize, Fault> {
    let depth = items.map(Value::depth).max().unwrap_or_default() + 1;
    match depth > MAX_DEPTH + 1 {
        true => Err(too_deep()),
        false => Ok(depth),
    }
}

/// What it costs to look for a key among so many.
pub(super) fn search(count: usize, key: &str) -> usize {
    count.saturating_mul(1 + key.len() / 8)
}

/// Adds a text that is paid for.
pub(super) fn push(to: &mut String, text: &str, meter: &Meter) -> Result<(), Fault> {
    meter.pay(text.len())?;
    to.push_str(text);
    Ok(())
}

/// Adds blanks that are paid for.
pub(super) fn push_blanks(to: &mut String, count: usize, meter: &Meter) -> Result<(), Fault> {
    meter.pay(count)?;
    to.extend(std::iter::repeat_n(' ', count));
    Ok(())
}

fn separate(
    to: &mut String,
    number: usize,
    indent: Option<usize>,
    level: usize,
    meter: &Meter,
) -> Result<(), Fault> {
    let comma = match (number, indent) {
        (0, _) => "",
        (_, Some(_)) => ",",
        (_, None) => ", ",
    };
    push(to, comma, meter)?;
    line(to, indent, level, meter)
}

fn line(to: &mut String, indent: Option<usize>, level: usize, meter: &Meter) -> Result<(), Fault> {
    let Some(indent) = indent else { return Ok(()) };
    push(to, "\n", meter)?;
    push_blanks(to, indent.saturating_mul(level), meter)
}

fn json_text(to: &mut String, text: &str, meter: &Meter) -> Result<(), Fault> {
    meter.pay(text.len())?;
    push(to, &Json::from(text).to_string(), meter)
}

/// A text as Python shows it.
fn quote(to: &mut String, text: &str, meter: &Meter) -> Result<(), Fault> {
    meter.pay(text.len().saturating_mul(2).saturating_add(2))?;
    let mark = match text.contains('\'') && !text.contains('"') {
        true => '"',
        false => '\'',
    };
    to.push(mark);
    for letter in text.chars() {
        match letter {
            '\n' => to.push_str("\\n"),
            '\r' => to.push_str("\\r"),
            '\t' => to.push_str("\\t"),
            '\\' => to.push_str("\\\\"),
            letter if letter == mark => to.extend(['\\', letter]),
            letter => to.push(letter),
        }
    }
    to.push(mark);
    Ok(())
}
