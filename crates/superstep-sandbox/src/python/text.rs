//! Values as texts: `str` and `repr`.

use num_bigint::BigInt;

use super::{
    fault::Res,
    number::float_text,
    value::{Kind, Value, ViewKind},
    vm::Vm,
};

impl Vm {
    /// `str()` of a value.
    pub(crate) fn text_of(&mut self, value: &Value) -> Res<String> {
        match value {
            Value::Str(text) => Ok(text.to_string()),
            Value::Object(object) => {
                for name in ["__str__", "__repr__"] {
                    if let Some(found) = self.special(value, name, Vec::new())? {
                        return match found.as_str() {
                            Some(text) => Ok(text.to_string()),
                            None => {
                                let message = format!("{name} returned non-string");
                                Err(self.error("TypeError", message))
                            }
                        };
                    }
                    if name == "__str__" && object.class.kind == Kind::Exception {
                        return self.exception_text(value);
                    }
                }
                let payload = object.payload.borrow().clone();
                match payload {
                    Value::None => self.repr(value),
                    payload => self.text_of(&payload),
                }
            }
            _ => self.repr(value),
        }
    }

    /// `repr()` of a value.
    pub(crate) fn repr(&mut self, value: &Value) -> Res<String> {
        Ok(match value {
            Value::None => "None".to_owned(),
            Value::Ellipsis => "Ellipsis".to_owned(),
            Value::NotImplemented => "NotImplemented".to_owned(),
            Value::Bool(true) => "True".to_owned(),
            Value::Bool(false) => "False".to_owned(),
            Value::Int(it) => it.to_string(),
            Value::Big(it) => self.big_text(it)?,
            Value::Float(it) => float_text(*it),
            Value::Str(text) => quoted(text),
            Value::Bytes(bytes) => bytes_text(bytes),
            Value::Tuple(items) => match &**items {
                [only] => format!("({},)", self.inner_repr(only)?),
                items => format!("({})", self.joined(items)?),
            },
            Value::List(list) => {
                let items = list.borrow().clone();
                format!("[{}]", self.joined(&items)?)
            }
            Value::Dict(dict) => {
                let pairs: Vec<_> = dict.borrow().values().cloned().collect();
                let mut parts = Vec::new();
                for (key, value) in pairs {
                    parts.push(format!(
                        "{}: {}",
                        self.inner_repr(&key)?,
                        self.inner_repr(&value)?
                    ));
                }
                format!("{{{}}}", parts.join(", "))
            }
            Value::Set(set) => {
                let items: Vec<Value> = set.borrow().values().cloned().collect();
                match items.is_empty() {
                    true => "set()".to_owned(),
                    false => format!("{{{}}}", self.joined(&items)?),
                }
            }
            Value::FrozenSet(set) => {
                let items: Vec<Value> = set.values().cloned().collect();
                match items.is_empty() {
                    true => "frozenset()".to_owned(),
                    false => format!("frozenset({{{}}})", self.joined(&items)?),
                }
            }
            Value::View(view) => {
                let items = self.collect_items(value)?;
                let name = match view.kind {
                    ViewKind::Keys => "dict_keys",
                    ViewKind::Values => "dict_values",
                    ViewKind::Items => "dict_items",
                };
                format!("{name}([{}])", self.joined(&items)?)
            }
            Value::Range(range) => match range.step {
                1 => format!("range({}, {})", range.start, range.stop),
                step => format!("range({}, {}, {step})", range.start, range.stop),
            },
            Value::Slice(parts) => format!("slice({})", self.joined(&parts[..])?),
            Value::Closure(closure) => format!("<function {}>", closure.code.name),
            Value::Native(native) => format!("<built-in function {}>", native.name),
            Value::Method(method) => {
                let name = self.find_attribute(&method.1, &"__name__".into())?;
                let name = name
                    .and_then(|name| name.as_str())
                    .unwrap_or_else(|| "".into());
                format!("<bound method {name}>")
            }
            Value::Class(class) => format!("<class '{}'>", class.name),
            Value::Module(module) => format!("<module '{}'>", module.name),
            Value::Iter(_) => "<iterator object>".to_owned(),
            Value::Generator(generator) => format!("<generator object {}>", generator.name),
            Value::Property(_) => "<property object>".to_owned(),
            Value::Static(_) => "<staticmethod>".to_owned(),
            Value::OfClass(_) => "<classmethod>".to_owned(),
            Value::Super(_) => "<super object>".to_owned(),
            Value::Object(object) => {
                if let Some(found) = self.special(value, "__repr__", Vec::new())? {
                    return match found.as_str() {
                        Some(text) => Ok(text.to_string()),
                        None => Err(self.error("TypeError", "__repr__ returned non-string")),
                    };
                }
                if object.class.kind == Kind::Exception {
                    let args = object.attributes.borrow().get("args").cloned();
                    let args = match args {
                        Some(Value::Tuple(args)) => self.joined(&args)?,
                        _ => String::new(),
                    };
                    return Ok(format!("{}({args})", object.class.name));
                }
                let payload = object.payload.borrow().clone();
                match payload {
                    Value::None => format!("<{} object>", object.class.name),
                    payload => self.repr(&payload)?,
                }
            }
        })
    }

    fn inner_repr(&mut self, value: &Value) -> Res<String> {
        self.deeper(|vm| vm.repr(value))
    }

    fn joined(&mut self, items: &[Value]) -> Res<String> {
        let mut text = String::new();
        for (at, item) in items.iter().enumerate() {
            self.tick()?;
            if at > 0 {
                text.push_str(", ");
            }
            text.push_str(&self.inner_repr(item)?);
            self.room(text.len())?;
        }
        Ok(text)
    }

    pub(crate) fn big_text(&mut self, value: &BigInt) -> Res<String> {
        // 4300 digits, as Python has it.
        if value.bits() > 14_285 {
            return Err(self.error(
                "ValueError",
                "Exceeds the limit (4300 digits) for integer string conversion",
            ));
        }
        Ok(value.to_string())
    }
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let quote = match text.contains('\'') && !text.contains('"') {
        true => '"',
        false => '\'',
    };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if u32::from(c) < 32 || u32::from(c) == 127 => {
                out.push_str(&format!("\\x{:02x}", u32::from(c)));
            }
            '\u{a0}' => out.push_str("\\xa0"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

fn bytes_text(bytes: &[u8]) -> String {
    let mut out = String::from("b'");
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\'' => out.push_str("\\'"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            32..=126 => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('\'');
    out
}
