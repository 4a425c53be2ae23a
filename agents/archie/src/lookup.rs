//! Tools of a strong model over the documents of its thread: `search` and `read`.
//!
//! They work on the texts that were kept when the folder was read, never on files, so there is nothing outside of the
//! folder that a name could lead to. What they return is limited, for each call and for the turn.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Map, Value as Json, json};
use superstep::{
    future::BoxFuture,
    model::{ToolSpec, did_you_mean},
    text::single_line,
    tools::{
        Access, Capabilities, ParsedCall, Tool, ToolCtx, ToolError, ToolOutput, Tools, ToolsError,
    },
};

use crate::documents::{DocumentSet, search::search, tokens};

/// The lines of one call of `read`: at most, and if it does not say.
const MOST_LINES: usize = 400;
const USUAL_LINES: usize = 120;

/// The most tokens that a call returns.
const LARGEST: usize = 12_000;

/// Said when the turn has looked up as much as it may.
const ENOUGH: &str = "nothing more can be looked up in this turn: answer with what you have, and say what you could not check";

/// The tools over these documents, which together return at most so many tokens.
pub(crate) fn tools(set: &Arc<DocumentSet>, most: usize) -> Result<Tools, ToolsError> {
    let left = Arc::new(AtomicUsize::new(most));
    let tool = |spec: ToolSpec, kind: LookUpKind| LookUp {
        spec,
        kind,
        set: set.clone(),
        left: left.clone(),
    };
    let text = |about: &str| json!({"type": "string", "description": about});
    let line = |about: &str| json!({"type": "integer", "minimum": 1, "description": about});
    let search = ToolSpec {
        name: "search".into(),
        description: "Finds a text in all documents: first every line that has it (capitals do not matter), then the sections \
            that are closest in words. Returns file:line for each."
            .into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "text": text("A name, a term or a few words as the documents may write them"),
                "document": text("The path of one document, to search in it alone"),
            },
            "required": ["text"],
            "additionalProperties": false,
        }),
    };
    let read = ToolSpec {
        name: "read".into(),
        description: format!(
            "Shows lines of a document with their numbers, at most {MOST_LINES} in a call"
        ),
        parameters: json!({
            "type": "object",
            "properties": {
                "document": text("Its path, as shown"),
                "from": line("The first line; 1 if left out"),
                "to": line("The last line; 120 lines if left out"),
            },
            "required": ["document"],
            "additionalProperties": false,
        }),
    };
    let builder = Tools::builder().tool(tool(search, LookUpKind::Search));
    builder.tool(tool(read, LookUpKind::Read)).build()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LookUpKind {
    Search,
    Read,
}

struct LookUp {
    spec: ToolSpec,
    kind: LookUpKind,
    set: Arc<DocumentSet>,
    left: Arc<AtomicUsize>,
}

impl Tool for LookUp {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self) -> Access {
        Access {
            capabilities: Capabilities::READ,
            ..Access::default()
        }
    }

    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        let mut problems = Vec::new();
        let known: &[&str] = match self.kind {
            LookUpKind::Search => &["text", "document"],
            LookUpKind::Read => &["document", "from", "to"],
        };
        for key in args.keys().filter(|key| !known.contains(&key.as_str())) {
            problems.push(format!("there is no argument `{key}`"));
        }
        let text = |key: &str| match args.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
            Some(_) => Err(format!("`{key}` must be a text that is not empty")),
        };
        let line = |key: &str| match args.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => match value.as_u64().and_then(|line| usize::try_from(line).ok()) {
                Some(line) if line >= 1 => Ok(Some(line)),
                _ => Err(format!("`{key}` must be a line number, from 1")),
            },
        };
        let mut take = |found: Result<Option<String>, String>| {
            found.map_err(|why| problems.push(why)).ok().flatten()
        };
        let (words, document) = (take(text("text")), take(text("document")));
        let mut number = |found: Result<Option<usize>, String>| {
            found.map_err(|why| problems.push(why)).ok().flatten()
        };
        let (from, to) = (number(line("from")), number(line("to")));
        let wanted = match self.kind {
            LookUpKind::Search => match words {
                Some(text) => Some(LookUpArgs::Search { text, document }),
                None => {
                    problems.push("`text` is missing".into());
                    None
                }
            },
            LookUpKind::Read => match document {
                Some(document) => Some(LookUpArgs::Read { document, from, to }),
                None => {
                    problems.push("`document` is missing".into());
                    None
                }
            },
        };
        match wanted.filter(|_| problems.is_empty()) {
            Some(wanted) => Ok(Box::new(LookingUp {
                wanted,
                set: self.set.clone(),
                left: self.left.clone(),
            })),
            None => Err(problems),
        }
    }
}

enum LookUpArgs {
    Search {
        text: String,
        document: Option<String>,
    },
    Read {
        document: String,
        from: Option<usize>,
        to: Option<usize>,
    },
}

struct LookingUp {
    wanted: LookUpArgs,
    set: Arc<DocumentSet>,
    left: Arc<AtomicUsize>,
}

impl ParsedCall for LookingUp {
    fn run(&self, _: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let left = self.left.load(Ordering::Relaxed);
            if left == 0 {
                return Ok(ENOUGH.into());
            }
            let found = match &self.wanted {
                LookUpArgs::Search { text, document } => match document {
                    None => search(&self.set, text, None),
                    Some(name) => match self.set.named(name) {
                        Some(number) => search(&self.set, text, Some(number)),
                        None => unknown(&self.set, name),
                    },
                },
                LookUpArgs::Read { document, from, to } => match self.set.named(document) {
                    Some(number) => read(&self.set, number, *from, *to, left.min(LARGEST)),
                    None => unknown(&self.set, document),
                },
            };
            let found = tokens::head(&found, left.min(LARGEST)).to_owned();
            let used = tokens::estimate(&found);
            self.left
                .store(left.saturating_sub(used), Ordering::Relaxed);
            Ok(found.into())
        })
    }
}

/// Said about a name that no document of the thread has.
fn unknown(set: &DocumentSet, name: &str) -> String {
    let paths: Vec<String> = set
        .documents
        .iter()
        .map(|it| single_line(&it.path))
        .collect();
    let hint = did_you_mean::hint(name, paths.iter().map(String::as_str));
    format!(
        "`{}` is not one of the documents of this conversation{hint}",
        single_line(name)
    )
}

/// Lines of a document with their numbers, as many as fit.
fn read(
    set: &DocumentSet,
    number: usize,
    from: Option<usize>,
    to: Option<usize>,
    most: usize,
) -> String {
    let Some(document) = set.documents.get(number) else {
        return String::new();
    };
    let path = single_line(&document.path);
    let all = document.text.lines().count();
    let from = from.unwrap_or(1);
    if from > all {
        return format!("{path} has {all} lines; there is no line {from}");
    }
    let usual = from.saturating_add(USUAL_LINES - 1);
    let wanted = to.unwrap_or(usual).max(from);
    let last = wanted.min(from.saturating_add(MOST_LINES - 1)).min(all);
    let (mut text, mut used, mut end) = (String::new(), 0, from - 1);
    let lines = (from..=last).zip(document.text.lines().skip(from - 1));
    for (line, words) in lines {
        let shown = numbered(line, words);
        used += tokens::estimate(&shown);
        // The first line is shown as far as it fits.
        if used + tokens::HEADER > most && line > from {
            break;
        }
        text.push_str(&shown);
        end = line;
    }
    let more = match end < all {
        true => format!("The document continues at line {}.\n", end + 1),
        false => String::new(),
    };
    format!("{path}, lines {from}-{end} of {all}:\n{text}{more}")
}

/// A line with its number; an empty one has none.
pub(crate) fn numbered(line: usize, words: &str) -> String {
    match words.trim().is_empty() {
        true => "\n".to_owned(),
        false => format!("{line}: {}\n", words.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::Document;

    fn set() -> DocumentSet {
        let text: String = (1..=1_000)
            .map(|line| format!("words of line {line}\n"))
            .collect();
        DocumentSet {
            documents: vec![Document {
                path: "api/http.md".into(),
                sha256: String::new(),
                text,
            }],
            left: 0,
        }
    }

    #[test]
    fn lines_are_shown_with_their_numbers_and_as_many_as_fit() {
        let some = read(&set(), 0, Some(10), Some(11), LARGEST);
        let wanted = "api/http.md, lines 10-11 of 1000:\n10: words of line 10\n11: words of line 11\n\
            The document continues at line 12.\n";
        assert_eq!(some, wanted);
        let many = read(&set(), 0, Some(1), Some(900), LARGEST);
        assert!(
            many.ends_with("400: words of line 400\nThe document continues at line 401.\n"),
            "{many}"
        );
        let usual = read(&set(), 0, None, None, LARGEST);
        assert!(usual.starts_with("api/http.md, lines 1-120 of 1000:\n"));
        let few = read(&set(), 0, Some(1), Some(400), 200);
        assert!(tokens::estimate(&few) <= 240, "{few}");
        let behind = read(&set(), 0, Some(1_001), None, LARGEST);
        assert_eq!(behind, "api/http.md has 1000 lines; there is no line 1001");
        assert!(
            read(&set(), 0, Some(1_000), None, LARGEST).ends_with("1000: words of line 1000\n")
        );
    }

    #[test]
    fn names_outside_of_the_documents_lead_to_nothing() {
        let set = set();
        for name in ["../../etc/passwd", "/etc/passwd", "api", ""] {
            assert_eq!(set.named(name), None, "{name}");
        }
        assert_eq!(set.named("http.md"), Some(0));
        assert_eq!(
            unknown(&set, "api/htp.md"),
            "`api/htp.md` is not one of the documents of this conversation; did you mean `api/http.md`?"
        );
    }
}
