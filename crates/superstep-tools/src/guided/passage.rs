//! Cutting a document into the pieces that are looked at one by one.

use super::sentence::ends_sentence;

/// A sentence, item or row of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The line it begins in, from 1.
    pub line: usize,
    /// The nearest heading above it; empty if there is none.
    pub heading: String,
    /// Its words, as they stand there, on one line.
    pub text: String,
}

/// How long a passage may be. Longer ones are no sentences, but data.
const LONGEST: usize = 600;

/// The passages of a text or Markdown document, in order. Items and rows are passages of their own, paragraphs are cut into
/// sentences; code, rules and the heads of tables are left out.
///
/// ```
/// use superstep_tools::guided::passages;
///
/// let found = passages("# Hosting\n\nWe rent two\nservers. Who pays?\n\n- Backups run daily\n");
/// let texts: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
/// assert_eq!(texts, ["We rent two servers.", "Who pays?", "Backups run daily"]);
/// assert_eq!((found[1].line, found[1].heading.as_str()), (4, "Hosting"));
/// ```
pub fn passages(document: &str) -> Vec<Passage> {
    let mut cutter = Cutter::default();
    for (line, text) in (1..).zip(document.lines()) {
        cutter.read(line, text);
    }
    cutter.end_paragraph();
    cutter.found
}

#[derive(Default)]
struct Cutter {
    found: Vec<Passage>,
    heading: String,
    /// The lines of the paragraph or item that is being read.
    open: Vec<(usize, String)>,
    is_item: bool,
    is_code: bool,
}

impl Cutter {
    fn read(&mut self, line: usize, text: &str) {
        let bare = text.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            self.end_paragraph();
            self.is_code = !self.is_code;
            return;
        }
        if self.is_code {
            return;
        }
        let is_rule = bare.len() >= 3 && bare.chars().all(|c| "-=*_|: ".contains(c));
        if is_rule && bare.contains('|') {
            // The row above was the head of a table.
            self.open.clear();
            if self.found.last().is_some_and(|it| it.line + 1 == line) {
                self.found.pop();
            }
            return;
        }
        if is_rule && !self.is_item && self.open.len() == 1 && !bare.contains('*') {
            // The line above is a heading that is underlined.
            self.heading = self.open.drain(..).map(|(_, text)| text).collect();
            return;
        }
        if bare.is_empty() || is_rule {
            self.end_paragraph();
            return;
        }
        let marks = bare.bytes().take_while(|byte| *byte == b'#').count();
        if let (1..=6, Some(heading)) = (marks, bare.get(marks..))
            && heading.starts_with(' ')
        {
            self.end_paragraph();
            self.heading = heading.trim().trim_end_matches('#').trim().to_owned();
            return;
        }
        if bare.starts_with('|') && bare.len() > 1 {
            self.end_paragraph();
            let cells = bare.trim_matches('|').split('|').map(str::trim);
            let row: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
            self.push(line, &row.join(" | "));
            return;
        }
        if let Some(item) = item(bare) {
            self.end_paragraph();
            self.is_item = true;
            self.open.push((line, item.to_owned()));
            return;
        }
        self.open
            .push((line, bare.trim_start_matches("> ").to_owned()));
    }

    fn push(&mut self, line: usize, text: &str) {
        let text = text.trim();
        if text.chars().any(char::is_alphanumeric) && text.len() <= LONGEST {
            self.found.push(Passage {
                line,
                heading: self.heading.clone(),
                text: text.to_owned(),
            });
        }
    }

    /// An item stays whole; a paragraph is cut into sentences, each with the line it begins in.
    fn end_paragraph(&mut self) {
        let open = std::mem::take(&mut self.open);
        let is_item = std::mem::take(&mut self.is_item);
        let Some((mut begun, _)) = open.first().cloned() else {
            return;
        };
        let mut sentence = String::new();
        for (line, text) in open {
            for word in text.split_whitespace() {
                if sentence.is_empty() {
                    begun = line;
                } else {
                    sentence.push(' ');
                }
                sentence.push_str(word);
                if !is_item && ends_sentence(word) {
                    let whole = std::mem::take(&mut sentence);
                    self.push(begun, &whole);
                }
            }
        }
        self.push(begun, &sentence);
    }
}

/// The text of a list item.
fn item(line: &str) -> Option<&str> {
    let marked = ["- ", "* ", "+ ", "• "];
    if let Some(rest) = marked.iter().find_map(|mark| line.strip_prefix(mark)) {
        let unticked = rest.strip_prefix("[ ] ");
        return Some(
            unticked
                .or_else(|| rest.strip_prefix("[x] "))
                .unwrap_or(rest),
        );
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).filter(|_| (1..=3).contains(&digits))?;
    rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(document: &str) -> Vec<String> {
        passages(document).into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn tables_code_and_rules_are_told_apart_from_sentences() {
        let document = "Title\n=====\n\n| Part | Cost |\n|---|---|\n| Disk | 40 EUR |\n\n```\nlet x;\n```\n\n---\n\nIt costs approx. 3.5 EUR, e.g. per day. Fine!\n1. First\n   goes on\n2) Second\n";
        assert_eq!(
            texts(document),
            [
                "Disk | 40 EUR",
                "It costs approx. 3.5 EUR, e.g. per day.",
                "Fine!",
                "First goes on",
                "Second"
            ]
        );
        let found = passages(document);
        assert!(found.iter().all(|it| it.heading == "Title"), "{found:?}");
        assert_eq!(found.last().map(|it| it.line), Some(17));
    }

    #[test]
    fn whatever_the_bytes_are_nothing_is_cut_in_two() {
        let hostile = [
            "#",
            "######",
            "|",
            "||||",
            "-",
            "é".repeat(700).as_str(),
            "```",
            "x",
        ]
        .map(str::to_owned)
        .join("\n");
        assert!(texts(&hostile).is_empty(), "{:?}", texts(&hostile));
        assert!(passages("").is_empty());
    }
}
