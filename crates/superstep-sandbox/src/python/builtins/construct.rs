//! Calls of the types of the interpreter: `int("3")`, `list(x)`, `type(x)`.

use std::rc::Rc;

use num_bigint::BigInt;

use crate::python::{
    fault::Res,
    number::{Number, float_to_big},
    types::{decoded, encoded},
    value::{Args, Attributes, Class, Dict, Kind, Range, Set, Value},
    vm::{Vm, put},
};

impl Vm {
    /// A value of a type of the interpreter.
    pub(crate) fn construct(&mut self, class: &Rc<Class>, mut args: Args) -> Res<Value> {
        let first = args.plain.first().cloned();
        Ok(match class.kind {
            Kind::Object => self.new_object(class, &args)?,
            Kind::Type => match args.plain.len() {
                3 => {
                    let name = self.text_argument(&args, 0)?;
                    let bases = self.collect_items(&args.get(1))?;
                    let mut attributes = Attributes::default();
                    for (key, value) in self.pairs(&args.get(2))? {
                        if let Some(name) = key.as_str() {
                            attributes.set(&name, value);
                        }
                    }
                    self.new_class(name, &bases, attributes, args.named)?
                }
                _ => Value::Class(self.class_of(&args.get(0))),
            },
            Kind::Bool => Value::Bool(match first {
                Some(value) => self.truth(&value)?,
                None => false,
            }),
            Kind::Int => self.int_of(first, args.take(1, "base"))?,
            Kind::Float => self.float_of(first)?,
            Kind::Str => match first.or_else(|| args.named("object")) {
                Some(Value::Bytes(bytes)) if args.plain.len() > 1 || !args.named.is_empty() => {
                    let (encoding, errors) = self.coding(&mut args);
                    Value::str(decoded(self, &bytes, &encoding, &errors)?)
                }
                Some(value) => Value::str(self.text_of(&value)?),
                None => Value::str(""),
            },
            Kind::Bytes => match first {
                Some(Value::Str(_)) if args.plain.len() < 2 && args.named.is_empty() => {
                    return Err(self.error("TypeError", "string argument without an encoding"));
                }
                Some(Value::Str(text)) => {
                    let (encoding, errors) = self.coding(&mut args);
                    Value::Bytes(encoded(self, &text, &encoding, &errors)?.into())
                }
                first => self.bytes_of(first)?,
            },
            Kind::List => Value::list(match first {
                Some(value) => self.collect_items(&value)?,
                None => Vec::new(),
            }),
            Kind::Tuple => Value::tuple(match first {
                Some(value) => self.collect_items(&value)?,
                None => Vec::new(),
            }),
            Kind::Set => Value::set(self.set_of(first)?),
            Kind::FrozenSet => Value::FrozenSet(Rc::new(self.set_of(first)?)),
            Kind::Dict => {
                let mut dict = Dict::new();
                if let Some(value) = first {
                    for (key, value) in self.pairs(&value)? {
                        put(&mut dict, self.key(&key)?, key, value);
                    }
                }
                for (name, value) in args.named {
                    let name = Value::Str(name);
                    dict.insert(self.key(&name)?, (name, value));
                }
                Value::dict(dict)
            }
            Kind::Range => self.range(&args)?,
            Kind::Slice => {
                let parts = match args.plain.len() {
                    1 => [Value::None, args.get(0), Value::None],
                    _ => [args.get(0), args.get(1), args.get(2)],
                };
                Value::Slice(Rc::new(parts))
            }
            Kind::Property => {
                for (at, name) in ["fget", "fset", "fdel"].into_iter().enumerate() {
                    if let Some(value) = args.named(name) {
                        while args.plain.len() <= at {
                            args.plain.push(Value::None);
                        }
                        if let Some(slot) = args.plain.get_mut(at) {
                            *slot = value;
                        }
                    }
                }
                Self::make_property(&args)
            }
            Kind::Static => Value::Static(Rc::new(args.get(0))),
            Kind::OfClass => Value::OfClass(Rc::new(args.get(0))),
            Kind::Super => match args.get(0) {
                Value::Class(class) => Value::Super(Rc::new((class, args.get(1)))),
                _ => return Err(self.error("TypeError", "super() argument 1 must be a type")),
            },
            _ => {
                let message = format!("cannot create '{}' instances", class.name);
                return Err(self.error("TypeError", message));
            }
        })
    }

    /// The encoding that arguments name, and what happens to what it does not have.
    fn coding(&mut self, args: &mut Args) -> (Rc<str>, Rc<str>) {
        let encoding = args.take(1, "encoding").and_then(|it| it.as_str());
        let errors = args.take(2, "errors").and_then(|it| it.as_str());
        (
            encoding.unwrap_or_else(|| "utf-8".into()),
            errors.unwrap_or_else(|| "strict".into()),
        )
    }

    fn range(&mut self, args: &Args) -> Res<Value> {
        let mut bounds = Vec::new();
        for value in &args.plain {
            bounds.push(self.int_argument(value)?);
        }
        let (start, stop, step) = match *bounds {
            [stop] => (0, stop, 1),
            [start, stop] => (start, stop, 1),
            [start, stop, step] => (start, stop, step),
            _ => return Err(self.error("TypeError", "range expected 1 to 3 arguments")),
        };
        if step == 0 {
            return Err(self.error("ValueError", "range() arg 3 must not be zero"));
        }
        Ok(Value::Range(Rc::new(Range { start, stop, step })))
    }

    fn set_of(&mut self, value: Option<Value>) -> Res<Set> {
        let mut set = Set::new();
        if let Some(value) = value {
            for item in self.collect_items(&value)? {
                let key = self.key(&item)?;
                set.entry(key).or_insert(item);
            }
        }
        Ok(set)
    }

    fn bytes_of(&mut self, value: Option<Value>) -> Res<Value> {
        let bytes: Vec<u8> = match value {
            None => Vec::new(),
            Some(Value::Bytes(bytes)) => bytes.to_vec(),
            Some(Value::Int(count)) => {
                let count = usize::try_from(count).unwrap_or(0);
                self.room(count)?;
                vec![0; count]
            }
            Some(other) => {
                let mut bytes = Vec::new();
                for item in self.collect_items(&other)? {
                    match item.as_int().and_then(|it| u8::try_from(it).ok()) {
                        Some(byte) => bytes.push(byte),
                        None => {
                            return Err(self.error("ValueError", "bytes must be in range(0, 256)"));
                        }
                    }
                }
                bytes
            }
        };
        Ok(Value::Bytes(bytes.into()))
    }

    pub(crate) fn int_of(&mut self, value: Option<Value>, base: Option<Value>) -> Res<Value> {
        let Some(value) = value else {
            return Ok(Value::Int(0));
        };
        for name in ["__int__", "__trunc__", "__index__"] {
            if let Some(found) = self.special(&value, name, Vec::new())? {
                return Ok(found);
            }
        }
        if let Some(text) = value.as_str() {
            return self.read_int(&text, base);
        }
        match Number::of(&value) {
            Some(Number::Float(it)) => {
                if it.is_nan() {
                    return Err(self.error("ValueError", "cannot convert float NaN to integer"));
                }
                if it.is_infinite() {
                    let message = "cannot convert float infinity to integer";
                    return Err(self.error("OverflowError", message));
                }
                Ok(Value::big(float_to_big(it)))
            }
            Some(number) => Ok(Value::big(number.to_big())),
            None => {
                let message = format!(
                    "int() argument must be a string, a bytes-like object or a real number, not '{}'",
                    self.type_name(&value)
                );
                Err(self.error("TypeError", message))
            }
        }
    }

    fn read_int(&mut self, text: &str, base: Option<Value>) -> Res<Value> {
        let mut radix = match base {
            Some(base) => u32::try_from(self.int_argument(&base)?).unwrap_or(99),
            None => 10,
        };
        if radix != 0 && !(2..=36).contains(&radix) {
            return Err(self.error("ValueError", "int() base must be >= 2 and <= 36, or 0"));
        }
        let trimmed = text.trim();
        let (sign, digits) = match trimmed.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", trimmed.strip_prefix('+').unwrap_or(trimmed)),
        };
        let lower = digits.to_ascii_lowercase();
        let mut body = lower.as_str();
        for (prefix, value) in [("0x", 16), ("0o", 8), ("0b", 2)] {
            if let Some(rest) = lower.strip_prefix(prefix)
                && (radix == value || radix == 0)
            {
                body = rest;
                radix = value;
            }
        }
        if radix == 0 {
            radix = 10;
        }
        let is_spaced = !body.starts_with('_') && !body.ends_with('_') && !body.contains("__");
        let body = body.replace('_', "");
        let is_fine = is_spaced
            && !body.is_empty()
            && (2..=36).contains(&radix)
            && body.chars().all(|c| c.is_digit(radix));
        if body.len() > 4300 {
            let message = "Exceeds the limit (4300 digits) for integer string conversion";
            return Err(self.error("ValueError", message));
        }
        let parsed =
            is_fine.then(|| BigInt::parse_bytes(format!("{sign}{body}").as_bytes(), radix));
        match parsed.flatten() {
            Some(value) => Ok(Value::big(value)),
            None => {
                let message = format!(
                    "invalid literal for int() with base {radix}: {}",
                    crate::python::text::quoted(text)
                );
                Err(self.error("ValueError", message))
            }
        }
    }

    pub(crate) fn float_of(&mut self, value: Option<Value>) -> Res<Value> {
        let Some(value) = value else {
            return Ok(Value::Float(0.0));
        };
        if let Some(found) = self.special(&value, "__float__", Vec::new())? {
            return Ok(found);
        }
        if let Some(text) = value.as_str() {
            let is_spaced = text.trim().split('_').enumerate().all(|(at, part)| {
                let (first, last) = (part.chars().next(), part.chars().last());
                let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
                !text.contains('_')
                    || is_digit(last) && (at == 0 || is_digit(first))
                    || at > 0 && is_digit(first)
            });
            let cleaned = text.trim().replace('_', "").to_ascii_lowercase();
            let is_number = is_spaced
                && cleaned
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || b"+-.e".contains(&byte));
            let parsed = match cleaned.trim_start_matches(['+', '-']) {
                "inf" | "infinity" | "nan" => cleaned.parse::<f64>().ok(),
                _ if is_number => cleaned.parse::<f64>().ok(),
                _ => None,
            };
            return match parsed {
                Some(value) => Ok(Value::Float(value)),
                None => {
                    let message = format!(
                        "could not convert string to float: {}",
                        crate::python::text::quoted(&text)
                    );
                    Err(self.error("ValueError", message))
                }
            };
        }
        match Number::of(&value) {
            Some(number) => {
                let float = number.to_float();
                if float.is_infinite() && !number.is_float() {
                    let message = "int too large to convert to float";
                    return Err(self.error("OverflowError", message));
                }
                Ok(Value::Float(float))
            }
            None => {
                let message = format!(
                    "float() argument must be a string or a real number, not '{}'",
                    self.type_name(&value)
                );
                Err(self.error("TypeError", message))
            }
        }
    }
}
