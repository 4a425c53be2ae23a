//! What `json` needs: texts read as values.

use crate::python::{
    fault::Res,
    value::{Args, Dict, Function, Value},
    vm::{Vm, put},
};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[("read", read)];

/// A value in a tuple, or what is wrong with the text and where.
fn read(vm: &mut Vm, args: Args) -> Res<Value> {
    let text = vm.text_argument(&args, 0)?;
    let mut reader = Reader {
        chars: text.chars().collect(),
        at: 0,
        args,
    };
    let found = match reader.value(vm)? {
        Ok(value) => {
            reader.space();
            match reader.at == reader.chars.len() {
                true => Ok(value),
                false => Err(("Extra data", reader.at)),
            }
        }
        Err(wrong) => Err(wrong),
    };
    Ok(match found {
        Ok(value) => Value::tuple(vec![value]),
        Err((what, at)) => Value::tuple(vec![Value::str(what), Value::int(at)]),
    })
}

/// What is wrong with a text, and where.
type Wrong = (&'static str, usize);
type Read<T> = Res<Result<T, Wrong>>;

struct Reader {
    chars: Vec<char>,
    at: usize,
    /// The text, and the functions for numbers, constants and objects.
    args: Args,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, word: &str) -> bool {
        let mut ahead = self.chars.iter().skip(self.at);
        let is_here = word.chars().all(|c| ahead.next() == Some(&c));
        self.at += if is_here { word.chars().count() } else { 0 };
        is_here
    }

    /// Gives what was read to a function of the caller, if there is one.
    fn made(&self, vm: &mut Vm, hook: usize, value: Value) -> Res<Option<Value>> {
        match self.args.get(hook) {
            Value::None => Ok(None),
            function => vm.call_with(&function, vec![value]).map(Some),
        }
    }

    fn value(&mut self, vm: &mut Vm) -> Read<Value> {
        vm.tick()?;
        self.space();
        let start = self.at;
        match self.peek() {
            Some('{') => return vm.deeper(|vm| self.object(vm)),
            Some('[') => return vm.deeper(|vm| self.list(vm)),
            Some('"') => return Ok(self.text().map(Value::str)),
            _ => {}
        }
        for (word, value) in [
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("null", Value::None),
        ] {
            if self.eat(word) {
                return Ok(Ok(value));
            }
        }
        for (word, value) in [
            ("NaN", f64::NAN),
            ("Infinity", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
        ] {
            if self.eat(word) {
                let made = self.made(vm, 3, Value::str(word))?;
                return Ok(Ok(made.unwrap_or(Value::Float(value))));
            }
        }
        self.number(vm, start)
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self, vm: &mut Vm, start: usize) -> Read<Value> {
        self.eat("-");
        if !self.eat("0") && self.digits() == 0 {
            return Ok(Err(("Expecting value", start)));
        }
        let mut is_float = false;
        // A fraction or an exponent without digits ends the number before it.
        for marks in [&['.'][..], &['e', 'E'][..]] {
            let before = self.at;
            if !self.peek().is_some_and(|c| marks.contains(&c)) {
                continue;
            }
            self.at += 1;
            if marks.contains(&'e') && matches!(self.peek(), Some('+' | '-')) {
                self.at += 1;
            }
            match self.digits() {
                0 => self.at = before,
                _ => is_float = true,
            }
        }
        let digits: String = self
            .chars
            .iter()
            .skip(start)
            .take(self.at - start)
            .collect();
        let digits = Value::str(digits);
        if let Some(made) = self.made(vm, if is_float { 1 } else { 2 }, digits.clone())? {
            return Ok(Ok(made));
        }
        Ok(Ok(match is_float {
            true => vm.float_of(Some(digits))?,
            false => vm.int_of(Some(digits), None)?,
        }))
    }

    fn list(&mut self, vm: &mut Vm) -> Read<Value> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.eat("]") {
            return Ok(Ok(Value::list(items)));
        }
        loop {
            match self.value(vm)? {
                Ok(item) => items.push(item),
                Err(wrong) => return Ok(Err(wrong)),
            }
            self.space();
            if self.eat("]") {
                return Ok(Ok(Value::list(items)));
            }
            if !self.eat(",") {
                return Ok(Err(("Expecting ',' delimiter", self.at)));
            }
        }
    }

    fn object(&mut self, vm: &mut Vm) -> Read<Value> {
        const NAME: &str = "Expecting property name enclosed in double quotes";
        self.at += 1;
        let mut pairs = Vec::new();
        self.space();
        if !self.eat("}") {
            loop {
                self.space();
                if self.peek() != Some('"') {
                    return Ok(Err((NAME, self.at)));
                }
                let key = match self.text() {
                    Ok(key) => Value::str(key),
                    Err(wrong) => return Ok(Err(wrong)),
                };
                self.space();
                if !self.eat(":") {
                    return Ok(Err(("Expecting ':' delimiter", self.at)));
                }
                match self.value(vm)? {
                    Ok(value) => pairs.push((key, value)),
                    Err(wrong) => return Ok(Err(wrong)),
                }
                self.space();
                if self.eat("}") {
                    break;
                }
                if !self.eat(",") {
                    return Ok(Err(("Expecting ',' delimiter", self.at)));
                }
            }
        }
        let tuples = pairs
            .iter()
            .map(|(key, value)| Value::tuple(vec![key.clone(), value.clone()]));
        if let Some(made) = self.made(vm, 5, Value::list(tuples.collect()))? {
            return Ok(Ok(made));
        }
        let mut dict = Dict::new();
        for (key, value) in pairs {
            put(&mut dict, vm.key(&key)?, key, value);
        }
        let dict = Value::dict(dict);
        Ok(Ok(self.made(vm, 4, dict.clone())?.unwrap_or(dict)))
    }

    fn text(&mut self) -> Result<String, Wrong> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let at = self.at;
            let Some(c) = self.peek() else {
                return Err(("Unterminated string starting at", start));
            };
            self.at += 1;
            match c {
                '"' => return Ok(text),
                '\\' => {
                    let Some(escape) = self.peek() else {
                        return Err(("Unterminated string starting at", start));
                    };
                    self.at += 1;
                    text.push(match escape {
                        '"' | '\\' | '/' => escape,
                        'b' => '\u{8}',
                        'f' => '\u{c}',
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        'u' => self.code(at)?,
                        _ => return Err(("Invalid \\escape", at)),
                    });
                }
                c if u32::from(c) < 32 => return Err(("Invalid control character at", at)),
                c => text.push(c),
            }
        }
    }

    fn unit(&self) -> Option<u32> {
        let digits: String = self.chars.iter().skip(self.at).take(4).collect();
        let is_hex = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex
            .then(|| u32::from_str_radix(&digits, 16).ok())
            .flatten()
    }

    fn code(&mut self, at: usize) -> Result<char, Wrong> {
        let Some(mut code) = self.unit() else {
            return Err(("Invalid \\uXXXX escape", at + 1));
        };
        self.at += 4;
        if (0xD800..0xDC00).contains(&code) && self.eat("\\u") {
            match self.unit() {
                Some(low @ 0xDC00..=0xDFFF) => {
                    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                    self.at += 4;
                }
                _ => self.at -= 2,
            }
        }
        // Half of a pair is no character of its own here.
        Ok(char::from_u32(code).unwrap_or('\u{FFFD}'))
    }
}
