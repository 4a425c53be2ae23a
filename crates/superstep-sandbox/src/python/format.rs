//! Formats of values: `f"{x:>10,.2f}"`, `"{}".format(…)` and `"%.2f" % x`.

use super::{
    fault::Res,
    number::{Number, float_text},
    value::{Args, Value},
    vm::Vm,
};

/// The most characters that a width or a precision may ask for.
const MOST: usize = 100_000;

#[derive(Clone, Debug, Default)]
struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    alternate: bool,
    zero: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

impl Spec {
    fn read(text: &str) -> Option<Self> {
        let chars: Vec<char> = text.chars().collect();
        let mut spec = Self::default();
        let mut at = 0;
        let is_align = |c: Option<&char>| matches!(c, Some('<' | '>' | '^' | '='));
        if is_align(chars.get(1)) {
            spec.fill = chars.first().copied();
            spec.align = chars.get(1).copied();
            at = 2;
        } else if is_align(chars.first()) {
            spec.align = chars.first().copied();
            at = 1;
        }
        if let Some(c @ ('+' | '-' | ' ')) = chars.get(at) {
            spec.sign = Some(*c);
            at += 1;
        }
        if chars.get(at) == Some(&'z') {
            at += 1;
        }
        if chars.get(at) == Some(&'#') {
            spec.alternate = true;
            at += 1;
        }
        if chars.get(at) == Some(&'0') {
            spec.zero = true;
            at += 1;
        }
        let number = |at: &mut usize| {
            let mut value = None;
            while let Some(digit) = chars.get(*at).and_then(|c| c.to_digit(10)) {
                value = Some(value.unwrap_or(0_usize).saturating_mul(10) + digit as usize);
                *at += 1;
            }
            value
        };
        spec.width = number(&mut at).unwrap_or(0);
        if let Some(c @ (',' | '_')) = chars.get(at) {
            spec.grouping = Some(*c);
            at += 1;
        }
        if chars.get(at) == Some(&'.') {
            at += 1;
            spec.precision = Some(number(&mut at)?);
        }
        spec.kind = chars.get(at).copied();
        let is_whole = at + usize::from(spec.kind.is_some()) == chars.len();
        let is_small = spec.width <= MOST && spec.precision.unwrap_or(0) <= MOST;
        (is_whole && is_small).then_some(spec)
    }

    fn pad(&self, text: &str, default: char) -> String {
        let length = text.chars().count();
        if length >= self.width {
            return text.to_owned();
        }
        let missing = self.width - length;
        let fill = self.fill.unwrap_or(' ').to_string();
        match self.align.unwrap_or(default) {
            '>' => fill.repeat(missing) + text,
            '^' => {
                let left = missing / 2;
                fill.repeat(left) + text + &fill.repeat(missing - left)
            }
            _ => text.to_owned() + &fill.repeat(missing),
        }
    }

    /// Puts sign, digits and padding together.
    fn number(&self, is_negative: bool, prefix: &str, digits: &str) -> String {
        let sign = match (is_negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        };
        let (whole, rest) = match digits.find(['.', 'e', 'E', '%']) {
            Some(at) => digits.split_at(at),
            None => (digits, ""),
        };
        let size = if matches!(self.kind, Some('x' | 'X' | 'o' | 'b')) {
            4
        } else {
            3
        };
        let is_number = whole.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let mut whole = whole.to_owned();
        let pads_inside = self.align == Some('=') || self.zero && self.align.is_none();
        if let (Some(mark), true) = (self.grouping, is_number) {
            whole = group(&whole, mark, size);
        }
        if pads_inside {
            let fill = match self.fill {
                Some(fill) => fill,
                None if self.zero => '0',
                None => ' ',
            };
            let used = sign.len() + prefix.len() + rest.len();
            while whole.chars().count() + used < self.width {
                whole.insert(0, fill);
                if let (Some(mark), '0') = (self.grouping, fill) {
                    whole = group(&whole.replace(mark, ""), mark, size);
                }
            }
        }
        self.pad(&format!("{sign}{prefix}{whole}{rest}"), '>')
    }
}

fn group(digits: &str, mark: char, size: usize) -> String {
    let length = digits.chars().count();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (length - at).is_multiple_of(size) {
            out.push(mark);
        }
        out.push(digit);
    }
    out
}

impl Vm {
    /// `format(value, spec)`
    pub(crate) fn format(&mut self, value: &Value, spec: &str) -> Res<String> {
        if let Some(found) = self.special(value, "__format__", vec![Value::str(spec)])? {
            return match found.as_str() {
                Some(text) => Ok(text.to_string()),
                None => Err(self.error("TypeError", "__format__ must return a str")),
            };
        }
        self.usual_format(value, spec)
    }

    /// `format()` of a value whose class says nothing else.
    pub(crate) fn usual_format(&mut self, value: &Value, spec: &str) -> Res<String> {
        if spec.is_empty() {
            return self.text_of(value);
        }
        let Some(parsed) = Spec::read(spec) else {
            let message = format!(
                "Invalid format specifier '{spec}' for object of type '{}'",
                self.type_name(value)
            );
            return Err(self.error("ValueError", message));
        };
        let plain = value.plain();
        match Number::of(&plain) {
            Some(number) => self.format_number(&number, &parsed, value),
            None if plain.as_str().is_some() || matches!(plain, Value::None) => {
                let text = self.text_of(&plain)?;
                if matches!(plain, Value::None) {
                    let message = "unsupported format string passed to NoneType.__format__";
                    return Err(self.error("TypeError", message));
                }
                if !matches!(parsed.kind, None | Some('s')) || parsed.sign.is_some() {
                    return Err(self.unknown_format(parsed.kind, value));
                }
                let cut: String = match parsed.precision {
                    Some(most) => text.chars().take(most).collect(),
                    None => text,
                };
                Ok(parsed.pad(&cut, '<'))
            }
            None => {
                let message = format!(
                    "unsupported format string passed to {}.__format__",
                    self.type_name(value)
                );
                Err(self.error("TypeError", message))
            }
        }
    }

    fn unknown_format(&mut self, kind: Option<char>, value: &Value) -> super::fault::Fault {
        let message = format!(
            "Unknown format code '{}' for object of type '{}'",
            kind.unwrap_or(' '),
            self.type_name(value)
        );
        self.error("ValueError", message)
    }

    fn format_number(&mut self, number: &Number, spec: &Spec, value: &Value) -> Res<String> {
        let is_integer = !number.is_float();
        match spec.kind {
            None | Some('d' | 'n') if is_integer && spec.precision.is_none() => {
                let big = number.to_big();
                let text = self.big_text(&big)?;
                let digits = text.strip_prefix('-').unwrap_or(&text);
                Ok(spec.number(text.starts_with('-'), "", digits))
            }
            Some(kind @ ('x' | 'X' | 'o' | 'b')) if is_integer => {
                let big = number.to_big();
                let radix = match kind {
                    'o' => 8,
                    'b' => 2,
                    _ => 16,
                };
                let text = big.to_str_radix(radix);
                let digits = text.strip_prefix('-').unwrap_or(&text);
                let digits = if kind == 'X' {
                    digits.to_uppercase()
                } else {
                    digits.to_owned()
                };
                let prefix = if spec.alternate {
                    format!("0{kind}")
                } else {
                    String::new()
                };
                Ok(spec.number(text.starts_with('-'), &prefix, &digits))
            }
            Some('c') if is_integer => {
                let c = u32::try_from(number.to_big()).ok().and_then(char::from_u32);
                Ok(spec.pad(&c.map(String::from).unwrap_or_default(), '<'))
            }
            Some('s') => Err(self.unknown_format(spec.kind, value)),
            Some('d' | 'x' | 'X' | 'o' | 'b' | 'c') => Err(self.unknown_format(spec.kind, value)),
            kind => {
                let float = number.to_float();
                let magnitude = float.abs();
                let digits = if !float.is_finite() {
                    float_text(magnitude)
                } else {
                    match kind {
                        Some('f' | 'F') => format!("{magnitude:.*}", spec.precision.unwrap_or(6)),
                        Some('%') => {
                            format!("{:.*}%", spec.precision.unwrap_or(6), magnitude * 100.0)
                        }
                        Some(c @ ('e' | 'E')) => {
                            scientific(magnitude, spec.precision.unwrap_or(6), c)
                        }
                        Some('g' | 'G' | 'n') => {
                            general(magnitude, spec.precision.unwrap_or(6), spec.alternate)
                        }
                        None => match spec.precision {
                            Some(precision) => {
                                let text = general(magnitude, precision, false);
                                let is_bare = !text.contains(['.', 'e']);
                                if is_bare { text + ".0" } else { text }
                            }
                            None => float_text(magnitude),
                        },
                        Some(_) => return Err(self.unknown_format(kind, value)),
                    }
                };
                Ok(spec.number(float.is_sign_negative() && !float.is_nan(), "", &digits))
            }
        }
    }

    /// `"…".format(…)`
    pub(crate) fn format_text(&mut self, text: &str, args: &Args) -> Res<String> {
        let mut out = String::new();
        let mut next = 0;
        self.fields(text, args, &mut next, 0, &mut out)?;
        Ok(out)
    }

    fn fields(
        &mut self,
        text: &str,
        args: &Args,
        next: &mut usize,
        depth: usize,
        out: &mut String,
    ) -> Res<()> {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '{' if chars.peek() == Some(&'{') => {
                    chars.next();
                    out.push('{');
                }
                '}' if chars.peek() == Some(&'}') => {
                    chars.next();
                    out.push('}');
                }
                '}' => {
                    let message = "Single '}' encountered in format string";
                    return Err(self.error("ValueError", message));
                }
                '{' => {
                    let mut field = String::new();
                    let mut open = 1;
                    for c in chars.by_ref() {
                        match c {
                            '{' => open += 1,
                            '}' => open -= 1,
                            _ => {}
                        }
                        if open == 0 {
                            break;
                        }
                        field.push(c);
                    }
                    if open > 0 || depth > 2 {
                        return Err(self.error("ValueError", "expected '}' before end of string"));
                    }
                    let formatted = self.field(&field, args, next, depth)?;
                    out.push_str(&formatted);
                    self.room(out.len())?;
                }
                c => out.push(c),
            }
        }
        Ok(())
    }

    fn field(&mut self, field: &str, args: &Args, next: &mut usize, depth: usize) -> Res<String> {
        let (head, spec) = field.split_once(':').unwrap_or((field, ""));
        let (path, conversion) = match head.split_once('!') {
            Some((path, conversion)) => (path, Some(conversion)),
            None => (head, None),
        };
        let end = path.find(['.', '[']).unwrap_or(path.len());
        let (first, mut rest) = path.split_at(end);
        let mut value = if first.is_empty() {
            *next += 1;
            args.plain.get(*next - 1).cloned()
        } else if let Ok(at) = first.parse::<usize>() {
            args.plain.get(at).cloned()
        } else {
            let found = args.named.iter().find(|(name, _)| &**name == first);
            // `format_map` gives a mapping, without a name.
            let mapping = args.named.iter().find(|(name, _)| name.is_empty());
            match (found, mapping) {
                (Some((_, value)), _) => Some(value.clone()),
                (None, Some((_, mapping))) => Some(self.get_item(mapping, &Value::str(first))?),
                (None, None) => return Err(self.throw("KeyError", vec![Value::str(first)])),
            }
        };
        while let (Some(object), false) = (&value, rest.is_empty()) {
            if let Some(after) = rest.strip_prefix('.') {
                let end = after.find(['.', '[']).unwrap_or(after.len());
                let (name, more) = after.split_at(end);
                value = Some(self.get_attribute(object, &name.into())?);
                rest = more;
            } else {
                let inner = rest.strip_prefix('[').unwrap_or(rest);
                let (key, more) = inner.split_once(']').unwrap_or((inner, ""));
                let key = match key.parse::<i64>() {
                    Ok(at) => Value::Int(at),
                    Err(_) => Value::str(key),
                };
                value = Some(self.get_item(object, &key)?);
                rest = more;
            }
        }
        let Some(value) = value else {
            let message = "Replacement index out of range for positional args tuple";
            return Err(self.error("IndexError", message));
        };
        let value = match conversion {
            Some("r") => Value::str(self.repr(&value)?),
            Some("a") => Value::str(self.ascii(&value)?),
            Some("s") => Value::str(self.text_of(&value)?),
            _ => value,
        };
        let mut inner = String::new();
        self.fields(spec, args, next, depth + 1, &mut inner)?;
        self.format(&value, &inner)
    }

    /// `"%s" % value`
    pub(crate) fn percent(&mut self, text: &str, value: &Value) -> Res<String> {
        let values = match value {
            Value::Tuple(items) => items.to_vec(),
            other => vec![other.clone()],
        };
        let is_mapping = self.find_attribute(value, &"keys".into())?.is_some();
        let mut used_keys = false;
        let mut values = values.into_iter();
        let mut out = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            if chars.peek() == Some(&'%') {
                chars.next();
                out.push('%');
                continue;
            }
            let mut key = None;
            if chars.peek() == Some(&'(') {
                chars.next();
                let name: String = chars.by_ref().take_while(|c| *c != ')').collect();
                key = Some(name);
            }
            let mut spec = String::new();
            let mut kind = None;
            for c in chars.by_ref() {
                if c == '*' {
                    let Some(Value::Int(width)) = values.next() else {
                        return Err(self.error("TypeError", "* wants int"));
                    };
                    spec.push_str(&width.to_string());
                    continue;
                }
                if c.is_alphabetic() {
                    kind = Some(c);
                    break;
                }
                spec.push(c);
            }
            let item = match key {
                Some(key) => {
                    used_keys = true;
                    Some(self.get_item(value, &Value::str(key))?)
                }
                None => values.next(),
            };
            let (Some(item), Some(kind)) = (item, kind) else {
                return Err(self.error("TypeError", "not enough arguments for format string"));
            };
            let is_left = spec.contains('-');
            let spec = spec.replace('-', "");
            let (item, kind) = match kind {
                's' => (Value::str(self.text_of(&item)?), "s"),
                'r' => (Value::str(self.repr(&item)?), "s"),
                'a' => (Value::str(self.ascii(&item)?), "s"),
                'd' | 'i' | 'u' => {
                    let number = Number::of(&item.plain());
                    let Some(number) = number else {
                        let message = format!(
                            "%{kind} format: a real number is required, not {}",
                            self.type_name(&item)
                        );
                        return Err(self.error("TypeError", message));
                    };
                    (Value::big(number.to_big()), "d")
                }
                'x' => (item, "x"),
                'X' => (item, "X"),
                'o' => (item, "o"),
                'e' => (item, "e"),
                'g' => (item, "g"),
                'f' | 'F' => (item, "f"),
                'c' => (item, "s"),
                other => {
                    let message = format!("unsupported format character '{other}'");
                    return Err(self.error("ValueError", message));
                }
            };
            let align = match (is_left, kind) {
                (true, _) => "<",
                (false, "s") => ">",
                _ => "",
            };
            let formatted = self.format(&item, &format!("{align}{spec}{kind}"))?;
            out.push_str(&formatted);
            self.room(out.len())?;
        }
        if values.next().is_some() && !is_mapping && !used_keys {
            let message = "not all arguments converted during string formatting";
            return Err(self.error("TypeError", message));
        }
        Ok(out)
    }
}

fn scientific(value: f64, precision: usize, mark: char) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(rest) => ('-', rest),
        None => ('+', exponent),
    };
    format!("{digits}{mark}{sign}{exponent:0>2}")
}

fn general(value: f64, precision: usize, keeps_zeros: bool) -> String {
    let precision = precision.max(1);
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{value:.*e}", precision - 1);
    let exponent: i32 = text
        .split_once('e')
        .and_then(|(_, e)| e.parse().ok())
        .unwrap_or(0);
    let limit = i32::try_from(precision).unwrap_or(i32::MAX);
    let strip = |text: String| match text.contains('.') && !keeps_zeros {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    if exponent < -4 || exponent >= limit {
        let full = scientific(value, precision - 1, 'e');
        let (digits, exponent) = full.split_once('e').unwrap_or((&full, "+00"));
        return format!("{}e{exponent}", strip(digits.to_owned()));
    }
    let decimals = usize::try_from(limit - 1 - exponent).unwrap_or(0);
    strip(format!("{value:.decimals$}"))
}
