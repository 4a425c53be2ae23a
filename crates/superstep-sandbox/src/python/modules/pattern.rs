//! Patterns of Python as the engine reads them.

/// A pattern in the engine's own words; what is wrong with it otherwise.
pub(super) fn translated(pattern: &str, flags: &str) -> Result<String, String> {
    let mut reader = PatternReader {
        chars: pattern.chars().collect(),
        at: 0,
        out: String::new(),
        many_lines: flags.contains('m') || leading(pattern).contains('m'),
        is_verbose: flags.contains('x') || leading(pattern).contains('x'),
    };
    while let Some(c) = reader.next() {
        match c {
            '\\' => reader.escape(false)?,
            '[' => reader.class()?,
            '$' if reader.many_lines => reader.out.push('$'),
            // Without lines it also stands before the last line end.
            '$' => reader.out.push_str("(?=\\n?\\z)"),
            '{' => reader.braces(),
            '}' => reader.out.push_str("\\}"),
            '#' if reader.is_verbose => while reader.next().is_some_and(|c| c != '\n') {},
            '(' if reader.begins("?#") => while reader.next().is_some_and(|c| c != ')') {},
            '(' if reader.begins("?a") || reader.begins("?L") => {
                return Err("flags for ASCII and locales are not supported in this sandbox".into());
            }
            c => reader.out.push(c),
        }
    }
    Ok(reader.out)
}

/// The flags at the beginning of a pattern: `(?im)`.
fn leading(pattern: &str) -> &str {
    let inner = pattern
        .strip_prefix("(?")
        .and_then(|rest| rest.split_once(')'));
    let flags = inner.map_or("", |(flags, _)| flags);
    match flags.bytes().all(|byte| byte.is_ascii_lowercase()) {
        true => flags,
        false => "",
    }
}

struct PatternReader {
    chars: Vec<char>,
    at: usize,
    out: String,
    many_lines: bool,
    is_verbose: bool,
}

impl PatternReader {
    fn next(&mut self) -> Option<char> {
        let c = self.chars.get(self.at).copied();
        self.at += 1;
        c
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn begins(&self, part: &str) -> bool {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        part.chars()
            .enumerate()
            .all(|(at, c)| rest.get(at) == Some(&c))
    }

    fn escape(&mut self, in_class: bool) -> Result<(), String> {
        let Some(c) = self.next() else {
            return Err("bad escape (end of pattern)".into());
        };
        match c {
            'Z' if !in_class => self.out.push_str("\\z"),
            'b' if in_class => self.out.push_str("\\x08"),
            'A' | 'b' | 'B' if !in_class => self.out.extend(['\\', c]),
            'd' | 'D' | 's' | 'S' | 'w' | 'W' | 'a' | 'f' | 'n' | 'r' | 't' | 'v' | 'x' | 'u'
            | 'U' => self.out.extend(['\\', c]),
            '0'..='9' if in_class || c == '0' => {
                let mut code = c.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    match self.peek().and_then(|c| c.to_digit(8)) {
                        Some(digit) => {
                            code = code * 8 + digit;
                            self.at += 1;
                        }
                        None => break,
                    }
                }
                self.out.push_str(&format!("\\x{{{code:x}}}"));
            }
            '0'..='9' => self.out.extend(['\\', c]),
            c if c.is_ascii_alphabetic() => return Err(format!("bad escape \\{c}")),
            c => self.literal(c),
        }
        Ok(())
    }

    fn literal(&mut self, c: char) {
        match c {
            '<' | '>' => self.out.push(c),
            c if c.is_ascii_punctuation() => self.out.extend(['\\', c]),
            c => self.out.push_str(&format!("\\x{{{:x}}}", u32::from(c))),
        }
    }

    /// Characters in brackets. What means something there for the engine alone is a plain character.
    fn class(&mut self) -> Result<(), String> {
        self.out.push('[');
        if self.peek() == Some('^') {
            self.at += 1;
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            match self.next() {
                None => return Err("unterminated character set".into()),
                Some(']') if !is_first => break,
                Some('\\') => self.escape(true)?,
                Some(c @ ('[' | ']' | '&' | '~' | '#' | ' ')) => self.literal(c),
                Some('-') if self.peek() == Some('-') => self.out.push_str("\\-"),
                Some(c) => self.out.push(c),
            }
            is_first = false;
        }
        self.out.push(']');
        Ok(())
    }

    /// A count of repetitions, or a plain brace.
    fn braces(&mut self) {
        let rest: String = self
            .chars
            .iter()
            .skip(self.at)
            .take_while(|c| **c != '}')
            .collect();
        let is_closed = self.chars.get(self.at + rest.chars().count()) == Some(&'}');
        let (least, most) = match rest.split_once(',') {
            Some((least, most)) => (least, Some(most)),
            None => (rest.as_str(), None),
        };
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_count = is_number(least) && is_number(most.unwrap_or_default());
        if !is_closed || !is_count || rest.is_empty() {
            self.out.push_str("\\{");
            return;
        }
        self.at += rest.chars().count() + 1;
        let least = if least.is_empty() { "0" } else { least };
        match most {
            Some(most) => self.out.push_str(&format!("{{{least},{most}}}")),
            None => self.out.push_str(&format!("{{{least}}}")),
        }
    }
}
