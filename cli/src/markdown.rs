//! Markdown of a reply as a terminal shows it, while the reply streams.
//!
//! Only what reads better without its marks is changed: headings, `**bold**`, `code`, bullets, quotes and fences.
//! A mark that is not closed in its line is shown as it was written, so nothing of the text is lost; until it is closed
//! or the line ends, the text behind it is held back. Everything else passes as it comes.

use crate::output::{Span, code, faint, plain, strong};

/// The longest text that is held back for a mark to be closed.
const LONGEST_HELD: usize = 400;

/// Where the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    /// At the beginning of a line: what it is is not known yet.
    Start,
    /// In a line of text.
    Text,
    /// In a heading.
    Heading,
    /// In a line of code between fences.
    Code,
}

/// A reply while it streams.
pub(crate) struct Markdown {
    place: LineKind,
    /// Whether a fence is open.
    is_fenced: bool,
    /// What was not shown yet: the beginning of a line, or a mark and what is behind it.
    held: String,
    /// The letter before what is held.
    before: char,
}

impl Default for Markdown {
    fn default() -> Self {
        Self {
            place: LineKind::Start,
            is_fenced: false,
            held: String::new(),
            before: '\n',
        }
    }
}

impl Markdown {
    /// What can be shown after some more text.
    pub(crate) fn push(&mut self, text: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        for letter in text.chars() {
            self.held.push(letter);
            match self.place {
                LineKind::Start => self.start(&mut spans),
                LineKind::Code => self.code(&mut spans),
                LineKind::Text | LineKind::Heading => self.inline(letter, &mut spans),
            }
        }
        spans
    }

    /// What is left at the end.
    pub(crate) fn finish(&mut self) -> Vec<Span> {
        let held = std::mem::take(&mut self.held);
        let span = self.span(held);
        *self = Self::default();
        vec![span]
    }

    /// Decides what a line is, once its beginning says it.
    fn start(&mut self, spans: &mut Vec<Span>) {
        let line = self.held.trim_start_matches(' ');
        let indent = self.held.len() - line.len();
        if line.ends_with('\n') {
            return self.whole_line(spans);
        }
        // What may still become a mark.
        let is_open = |marks: &str| !line.is_empty() && line.chars().all(|c| marks.contains(c));
        if line.is_empty() && indent < 12 || line.starts_with("```") || is_open("`") {
            return;
        }
        if self.is_fenced {
            self.place = LineKind::Code;
            return;
        }
        if line.len() < 7 && is_open("#") || matches!(line, "-" | "*" | "+" | ">") {
            return;
        }
        let blank = " ".repeat(indent);
        let marks = line.trim_end_matches(' ');
        let is_heading = marks.chars().all(|c| c == '#') && !marks.is_empty() && marks.len() <= 6;
        if line.ends_with(' ') && is_heading {
            self.held.clear();
            self.place = LineKind::Heading;
        } else if matches!(line, "- " | "* " | "+ ") {
            spans.push(plain(format!("{blank}• ")));
            self.held.clear();
            self.place = LineKind::Text;
        } else if line == "> " {
            spans.push(faint(format!("{blank}│ ")));
            self.held.clear();
            self.place = LineKind::Text;
        } else {
            self.place = LineKind::Text;
            // The beginning may have a mark of its own.
            let held = std::mem::take(&mut self.held);
            for letter in held.chars() {
                self.held.push(letter);
                self.inline(letter, spans);
            }
            return;
        }
        self.before = ' ';
    }

    /// A line that ended before it was known what it is: an empty one, or a fence.
    fn whole_line(&mut self, spans: &mut Vec<Span>) {
        let line = std::mem::take(&mut self.held);
        if line.trim_start().starts_with("```") {
            self.is_fenced = !self.is_fenced;
            let language = line.trim().trim_matches('`').trim();
            spans.push(faint(match language {
                "" => "  ·\n".to_owned(),
                language => format!("  · {language}\n"),
            }));
        } else {
            spans.push(plain(line));
        }
        self.before = '\n';
    }

    fn code(&mut self, spans: &mut Vec<Span>) {
        if self.held.ends_with('\n') {
            let line = std::mem::take(&mut self.held);
            spans.push(code(format!("  {line}")));
            self.place = LineKind::Start;
        }
    }

    fn inline(&mut self, letter: char, spans: &mut Vec<Span>) {
        if letter == '\n' {
            let line = std::mem::take(&mut self.held);
            spans.push(self.span(line));
            (self.place, self.before) = (LineKind::Start, '\n');
            return;
        }
        if let Some(inner) = self.closed() {
            let text = inner.to_owned();
            spans.push(match self.held.starts_with('`') {
                true => code(text),
                false => strong(text),
            });
            self.held.clear();
            self.before = letter;
            return;
        }
        if self.may_open() && self.held.len() < LONGEST_HELD {
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        // Behind what turned out to be no mark another one may begin.
        let next = held
            .char_indices()
            .skip(1)
            .find(|(_, c)| matches!(c, '*' | '`'))
            .map(|(at, _)| at);
        let rest = next.map(|at| held.split_off(at));
        self.before = held.chars().last().unwrap_or(self.before);
        spans.push(self.span(held));
        for letter in rest.unwrap_or_default().chars() {
            self.held.push(letter);
            self.inline(letter, spans);
        }
    }

    /// The text between two marks, if what is held is that.
    fn closed(&self) -> Option<&str> {
        if let Some(inner) = self.held.strip_prefix('`') {
            let inner = inner.strip_suffix('`')?;
            return (!inner.is_empty()).then_some(inner);
        }
        let inner = self.held.strip_prefix("**")?.strip_suffix("**")?;
        let ends_well = !inner.ends_with([' ', '*']);
        (!inner.is_empty() && ends_well).then_some(inner)
    }

    /// Whether what is held may be a mark with text behind it.
    fn may_open(&self) -> bool {
        // Within a word, and before a blank, a star or a backtick is what it is.
        if self.before.is_alphanumeric() {
            return false;
        }
        if self.held.starts_with('`') {
            return !self.held.starts_with("``");
        }
        match self.held.strip_prefix("**") {
            Some(inner) => !inner.starts_with([' ', '*', '/']),
            None => self.held == "*",
        }
    }

    /// Text in the style of its line.
    fn span(&self, text: String) -> Span {
        match self.place {
            LineKind::Heading => strong(text),
            LineKind::Code => code(text),
            LineKind::Start | LineKind::Text => plain(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use superstep_agent::Style;

    use super::*;

    /// The text as it is shown, with the styles in brackets.
    fn shown(parts: &[&str]) -> String {
        let mut markdown = Markdown::default();
        let mut spans = Vec::new();
        for part in parts {
            spans.extend(markdown.push(part));
        }
        spans.extend(markdown.finish());
        let marked = spans.iter().filter(|span| !span.text().is_empty());
        marked
            .map(|span| match span.style() {
                Style::Plain => span.text().to_owned(),
                style => format!("<{} {}>", format!("{style:?}").to_lowercase(), span.text()),
            })
            .collect()
    }

    /// The same however the text is cut into parts.
    fn always(text: &str) -> String {
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        let whole = shown(&[text]);
        assert_eq!(flat(&whole), flat(&shown(&letters)), "{text}");
        whole
    }

    fn flat(text: &str) -> String {
        text.replace("><strong ", "").replace("><code ", "")
    }

    #[test]
    fn marks_become_styles() {
        assert_eq!(flat(&always("## Plan\nnext\n")), "<strong Plan\n>next\n");
        assert_eq!(always("so **much** more"), "so <strong much> more");
        assert_eq!(always("run `ls -l` now"), "run <code ls -l> now");
        assert_eq!(always("- one\n  * two\n"), "• one\n  • two\n");
        assert_eq!(always("> said\n"), "<faint │ >said\n");
        assert_eq!(
            always("```sh\nls **\n```\nend"),
            "<faint   · sh\n><code   ls **\n><faint   ·\n>end"
        );
    }

    #[test]
    fn what_is_no_mark_stays_as_it_was_written() {
        for text in [
            "2 ** 3 and **/*.rs", "*args, **kwargs\nx", "snake_case_name a*b*c", "an open **bold",
            "an open `code\nnext", "#hash and ####### seven", "-5 and --flag\n---\n",
            "| a | b |\n|---|---|\n", "a``b", "1. first\n2. second\n",
        ] {
            assert_eq!(always(text), text);
        }
    }
}
