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
                    let is_usual = object.class.kind == Kind::Exception
                        || matches!(&*object.payload.borrow(), Value::Str(_));
                    if is_usual {
                        break;
                    }
                }
                self.usual_text(value)
            }
            _ => self.repr(value),
        }
    }

    /// `str()` of a value whose class says nothing else.
    pub(crate) fn usual_text(&mut self, value: &Value) -> Res<String> {
        let Value::Object(object) = value else {
            return self.text_of(value);
        };
        if object.class.kind == Kind::Exception {
            return self.exception_text(value);
        }
        let payload = object.payload.borrow().clone();
        match payload {
            Value::None => self.repr(value),
            payload => self.text_of(&payload),
        }
    }

    /// `repr()` of a value whose class says nothing else.
    pub(crate) fn usual_repr(&mut self, value: &Value) -> Res<String> {
        let Value::Object(object) = value else {
            return self.repr(value);
        };
        if object.class.kind == Kind::Exception {
            let args = object.attributes.borrow().get("args");
            let args = match args {
                Some(Value::Tuple(args)) => self.joined(&args)?,
                _ => String::new(),
            };
            return Ok(format!("{}({args})", object.class.name));
        }
        let payload = object.payload.borrow().clone();
        match payload {
            Value::None => {
                let path = class_path(&object.class);
                Ok(format!(
                    "<{path} object at {:#x}>",
                    value.address().unwrap_or(0)
                ))
            }
            payload if matches!(payload, Value::Set(_) | Value::FrozenSet(_)) => {
                let items = self.collect_items(&payload)?;
                let inner = self.joined(&items)?;
                Ok(match items.is_empty() {
                    true => format!("{}()", object.class.name),
                    false => format!("{}({{{inner}}})", object.class.name),
                })
            }
            payload => self.repr(&payload),
        }
    }

    /// `ascii()` of a value.
    pub(crate) fn ascii(&mut self, value: &Value) -> Res<String> {
        let mut out = String::new();
        for c in self.repr(value)?.chars() {
            match c.is_ascii() {
                true => out.push(c),
                false => out.push_str(&escape(c)),
            }
        }
        Ok(out)
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
            Value::Closure(closure) => format!(
                "<function {} at {:#x}>",
                closure.code.path,
                value.address().unwrap_or(0)
            ),
            Value::Native(native) => format!("<built-in function {}>", native.name),
            Value::Union(classes) => {
                let mut names = Vec::new();
                for class in classes.iter() {
                    names.push(match class {
                        Value::Class(class) => class_path(class),
                        other => self.repr(other)?,
                    });
                }
                names.join(" | ")
            }
            Value::Method(method) => {
                let name = self.find_attribute(&method.1, &"__name__".into())?;
                let name = name
                    .and_then(|name| name.as_str())
                    .unwrap_or_else(|| "".into());
                format!("<bound method {name}>")
            }
            Value::Class(class) => match class.find("__class_repr__") {
                Some(Value::OfClass(show)) => {
                    let shown = self.call_with(&show, vec![value.clone()])?;
                    self.text_of(&shown)?
                }
                _ => format!("<class '{}'>", class_path(class)),
            },
            Value::Module(module) => format!("<module '{}'>", module.name),
            Value::Iter(_) => "<iterator object>".to_owned(),
            Value::Generator(generator) => format!("<generator object {}>", generator.name),
            Value::Property(_) => "<property object>".to_owned(),
            Value::Static(_) => "<staticmethod>".to_owned(),
            Value::OfClass(_) => "<classmethod>".to_owned(),
            Value::Super(_) => "<super object>".to_owned(),
            Value::Object(_) => match self.special(value, "__repr__", Vec::new())? {
                None => self.usual_repr(value)?,
                Some(found) => match found.as_str() {
                    Some(text) => text.to_string(),
                    None => return Err(self.error("TypeError", "__repr__ returned non-string")),
                },
            },
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
            c if is_printable(c) => out.push(c),
            c => out.push_str(&escape(c)),
        }
    }
    out.push(quote);
    out
}

/// A class with the module that it is from.
pub(crate) fn class_path(class: &super::value::Class) -> String {
    let attributes = class.attributes.borrow();
    let text = |name| attributes.get(name).and_then(|value: Value| value.as_str());
    match (text("__module__"), text("__qualname__")) {
        (Some(module), Some(name)) => format!("{module}.{name}"),
        _ => class.name.to_string(),
    }
}

/// Whether a character stands for itself in a text in quotes.
pub(crate) fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    // After another character, a mark that joins it is no longer escaped for that.
    !format!("x{c}").escape_debug().any(|c| c == '\\')
}

fn escape(c: char) -> String {
    match u32::from(c) {
        code @ 0..=0xFF => format!("\\x{code:02x}"),
        code @ 0x100..=0xFFFF => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

fn bytes_text(bytes: &[u8]) -> String {
    let quote = match bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        true => '"',
        false => '\'',
    };
    let mut out = format!("b{quote}");
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\'' if quote == '\'' => out.push_str("\\'"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            32..=126 => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push(quote);
    out
}
