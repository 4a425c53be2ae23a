//! Citations in what a model says, `[file:line]` or `[file:first-last]`, and whether they point to a line of a document.

use std::{fmt, ops::Range};

use superstep::text::single_line;

use crate::documents::{DocumentSet, select::Lines};

/// The mark of a citation that points to nothing.
pub(crate) const NOT_FOUND: &str = " — not found";

/// A citation: lines of one file, as a text writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Citation {
    /// Its place in the text, brackets left out.
    pub(crate) place: Range<usize>,
    /// The file, as it is cited.
    pub(crate) path: String,
    /// The lines, from 1.
    pub(crate) first: usize,
    /// The last line; the first one if only one is cited.
    pub(crate) last: usize,
}

/// A citation that points to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dangling {
    pub(crate) citation: Citation,
    /// Why.
    pub(crate) why: String,
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, first) = (single_line(&self.path), self.first);
        match self.last > first {
            true => write!(f, "{path}:{first}-{}", self.last),
            false => write!(f, "{path}:{first}"),
        }
    }
}

/// The citations of a text. Brackets hold one or several, apart by commas or semicolons; one without a file is of the file
/// before it. Links of Markdown and code blocks hold none.
pub(crate) fn citations(text: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    let mut is_code = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if !is_code {
            of_line(line, at, &mut found);
        }
        at += line.len();
    }
    found
}

fn of_line(line: &str, start: usize, found: &mut Vec<Citation>) {
    let mut at = 0;
    while let Some(open) = line.get(at..).and_then(|rest| rest.find('[')) {
        let inner = at + open + 1;
        let rest = line.get(inner..).unwrap_or_default();
        let Some(length) = rest.find([']', '[']) else {
            return;
        };
        at = inner + length;
        let behind = line.get(at..).unwrap_or_default();
        if !behind.starts_with(']') || behind.starts_with("](") {
            continue;
        }
        of_brackets(rest.get(..length).unwrap_or_default(), start + inner, found);
    }
}

fn of_brackets(inner: &str, start: usize, found: &mut Vec<Citation>) {
    let mut path: Option<String> = None;
    let mut at = start;
    for part in inner.split_inclusive([',', ';']) {
        let begin = at;
        at += part.len();
        let bare = part.trim_end_matches([',', ';']);
        let cited = bare.trim();
        let named = cited
            .rsplit_once(':')
            .and_then(|(path, lines)| Some((path.trim(), lines_of(lines)?)))
            .filter(|(path, _)| is_path(path));
        let (name, lines) = match (named, &path) {
            (Some((name, lines)), _) => (name.to_owned(), lines),
            (None, Some(path)) => match lines_of(cited) {
                Some(lines) => (path.clone(), lines),
                None => return,
            },
            (None, None) => return,
        };
        path = Some(name.clone());
        let begin = begin + (bare.len() - bare.trim_start().len());
        found.push(Citation {
            place: begin..begin + cited.len(),
            path: name,
            first: *lines.start(),
            last: *lines.end(),
        });
    }
}

/// `12`, `12-18`, `L12-L18`.
fn lines_of(text: &str) -> Option<std::ops::RangeInclusive<usize>> {
    let number = |text: &str| text.trim().trim_start_matches('L').parse::<usize>().ok();
    match text.split_once(['-', '–']) {
        Some((first, last)) => Some(number(first)?..=number(last)?),
        None => number(text).map(|line| line..=line),
    }
}

/// Whether something before a colon can be a file: `10:30` is a time.
fn is_path(text: &str) -> bool {
    text.contains(['.', '/']) && text.chars().any(char::is_alphabetic) && !text.contains("://")
}

/// The lines that a citation points to, or why it points to nothing.
pub(crate) fn lines(citation: &Citation, set: &DocumentSet) -> Result<Lines, String> {
    let number = set.named(&citation.path);
    let document = number.and_then(|number| Some((number, set.documents.get(number)?)));
    let Some((number, document)) = document else {
        return Err("there is no such document".into());
    };
    let last = document.text.lines().count();
    let (first, end) = (citation.first, citation.last);
    match first >= 1 && first <= end && end <= last {
        true => Ok(Lines {
            document: number,
            lines: first..=end,
        }),
        false => Err(format!("it has {last} lines")),
    }
}

/// The citations of a text that point to nothing.
pub(crate) fn dangling(text: &str, set: &DocumentSet) -> Vec<Dangling> {
    let all = citations(text).into_iter();
    let wrong = all.filter_map(|citation| {
        let why = lines(&citation, set).err()?;
        Some(Dangling { citation, why })
    });
    wrong.collect()
}

/// A text without brackets that are marked or name the memory.
pub(crate) fn without_marks(text: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, behind)) = rest.split_once('[') {
        plain.push_str(before);
        let inner = behind.split_once(']').map(|(inner, _)| inner);
        let is_mark = |inner: &&str| {
            let date = inner.strip_prefix("memory");
            let is_date = |c: char| c.is_ascii_digit() || c == '-' || c == ' ';
            inner.contains(NOT_FOUND) || date.is_some_and(|it| it.chars().all(is_date))
        };
        rest = match inner.filter(is_mark) {
            Some(inner) => behind.get(inner.len() + 1..).unwrap_or_default(),
            None => {
                plain.push('[');
                behind
            }
        };
    }
    plain.push_str(rest);
    plain
}

/// A text with these pieces replaced; they are in order and do not overlap.
pub(crate) fn replaced(text: &str, pieces: &[(Range<usize>, String)]) -> String {
    let (mut new, mut at) = (String::with_capacity(text.len()), 0);
    for (place, piece) in pieces {
        new.push_str(text.get(at..place.start).unwrap_or_default());
        new.push_str(piece);
        at = place.end;
    }
    new.push_str(text.get(at..).unwrap_or_default());
    new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::Document;

    fn set() -> DocumentSet {
        let document = |path: &str| Document {
            path: path.into(),
            sha256: String::new(),
            text: "1\n2\n3\n".into(),
        };
        DocumentSet {
            documents: vec![
                document("a.md"),
                document("api/http 2.md"),
                document("x/c.md"),
                document("y/c.md"),
            ],
            left: 0,
        }
    }

    #[test]
    fn citations_are_told_from_other_brackets() {
        let text = "So it is [a.md:1]. See [a.md:2-3, 1; api/http 2.md:L3] at [10:30], [conversation], \
            [a link](a.md:4), [x], [see: 3] and a[0].\n```\n[b.md:9]\n```\n";
        let found: Vec<String> = citations(text).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["a.md:1", "a.md:2-3", "a.md:1", "api/http 2.md:3"]);
        assert!(dangling(text, &set()).is_empty());
        let places: Vec<&str> = citations(text)
            .into_iter()
            .filter_map(|it| text.get(it.place))
            .collect();
        assert_eq!(places, ["a.md:1", "a.md:2-3", "1", "api/http 2.md:L3"]);
    }

    #[test]
    fn an_invented_file_and_a_line_out_of_range_point_to_nothing() {
        let text =
            "One [b.md:1], two [a.md:4], three [a.md:3-2], four [c.md:1], five [http 2.md:0].";
        let found = dangling(text, &set());
        let whys: Vec<&str> = found.iter().map(|it| it.why.as_str()).collect();
        let (none, short) = ("there is no such document", "it has 3 lines");
        // Two files end in `c.md`.
        assert_eq!(whys, [none, short, short, none, short]);
        let pieces: Vec<_> = found
            .iter()
            .take(1)
            .map(|it| (it.citation.place.clone(), "a.md:1".to_owned()))
            .collect();
        assert!(replaced(text, &pieces).starts_with("One [a.md:1], two [a.md:4]"));
    }
}
