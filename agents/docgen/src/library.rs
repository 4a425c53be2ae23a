//! Look-ups in a code base: lines of files, definitions by name, places of words, and pages of its documentation.
//!
//! Tools of the agents, reviews and questions all look up here. Only files of the facts and pages that were written before are read.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use superstep::sync::lock;

use crate::{
    agent::AgentContext,
    facts::{Lookup, SymbolKind},
    inert,
    material::lines,
};

/// The most lines of one look-up, and of a definition that is shown with its name.
pub(crate) const MOST_LINES: u32 = 200;
const DEFINITION: u32 = 40;

/// The most places of a name or a word.
const MOST_PLACES: usize = 40;

/// The most characters of one look-up.
pub(crate) const MOST_CHARACTERS: usize = 8_000;

/// The longest line of a place.
const LONGEST: usize = 160;

/// Files that were read.
pub(crate) type ReadFiles = Arc<Mutex<BTreeSet<String>>>;

/// A code base to look things up in.
#[derive(Clone)]
pub(crate) struct Library {
    context: Arc<AgentContext>,
    read: ReadFiles,
    /// Pages of the documentation by their paths.
    pages: Arc<BTreeMap<String, String>>,
}

impl Library {
    pub(crate) fn new(context: Arc<AgentContext>, read: ReadFiles) -> Self {
        Self {
            context,
            read,
            pages: Arc::default(),
        }
    }

    /// The same with pages of a documentation.
    pub(crate) fn with_pages(mut self, pages: BTreeMap<String, String>) -> Self {
        self.pages = Arc::new(pages);
        self
    }

    /// Lines of a file with their numbers; nothing if there is no such file.
    pub(crate) fn lines(&self, path: &str, first: u32, last: u32) -> Option<String> {
        let path = path.trim_start_matches("./");
        let count = last.saturating_sub(first).min(MOST_LINES - 1) + 1;
        let number = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
        let found: Vec<(usize, String)> = match self.pages.get(path) {
            Some(page) => {
                let all = (1..).zip(page.lines().map(str::to_owned));
                let all = all.skip(number(first).saturating_sub(1));
                all.take(number(count)).collect()
            }
            None => {
                let found = lines(&self.context, path, number(first), number(count))?;
                lock(&self.read).insert(path.to_owned());
                found
            }
        };
        let mut text = String::new();
        for (number, line) in found {
            if text.len() + line.len() > MOST_CHARACTERS {
                text.push_str("      ... (more lines than are shown at once)\n");
                break;
            }
            let _written = writeln!(text, "{number:>5} {line}");
        }
        Some(text)
    }

    /// Where a name is defined, with the definition if there is one alone; nothing if it is not.
    pub(crate) fn definitions(&self, name: &str) -> Option<String> {
        let lookup = Lookup::new(&self.context.facts);
        let bare = name.trim_end_matches("()");
        let last = bare.rsplit(['.', ':']).next().unwrap_or(bare);
        let owner = bare
            .strip_suffix(last)
            .map(|it| it.trim_end_matches(['.', ':']));
        let owner = owner.and_then(|it| it.rsplit(['.', ':']).next());
        let owner = owner.filter(|it| !it.is_empty());
        let all = lookup.symbol(last);
        let is_of = |of: Option<&str>| owner.is_none_or(|owner| of == Some(owner));
        let owned: Vec<_> = all
            .iter()
            .filter(|(_, it)| is_of(it.of.as_deref()))
            .collect();
        let found = if owned.is_empty() {
            all.iter().collect()
        } else {
            owned
        };
        if let [(file, it)] = found.as_slice()
            && it.kind != SymbolKind::Module
        {
            let end = it.end.min(it.line.saturating_add(DEFINITION - 1));
            let lines = self.lines(&file.path, it.line, end)?;
            let what = it.kind.as_str();
            return Some(format!(
                "{what} {}:{}-{}\n{lines}",
                file.path, it.line, it.end
            ));
        }
        let places = found.iter().take(MOST_PLACES);
        let places =
            places.map(|(file, it)| format!("{} {}:{}", it.kind.as_str(), file.path, it.line));
        let places: Vec<String> = places.collect();
        (!places.is_empty()).then(|| places.join("\n"))
    }

    /// Lines that have a text, whatever its case, code before other files and pages last; nothing if none has.
    pub(crate) fn search(&self, wanted: &str) -> Option<String> {
        let wanted = wanted.trim().to_lowercase();
        if wanted.len() < 2 {
            return None;
        }
        let mut text = String::new();
        let mut count = 0;
        let mut add = |path: &str, number: usize, line: &str| {
            if count < MOST_PLACES && line.to_lowercase().contains(&wanted) {
                count += 1;
                let line: String = line.trim().chars().take(LONGEST).collect();
                let _written = writeln!(text, "{}:{number}: {line}", inert::line(path));
            }
            count < MOST_PLACES
        };
        let lookup = Lookup::new(&self.context.facts);
        let mut files: Vec<_> = self
            .context
            .facts
            .files
            .iter()
            .filter(|it| it.lines > 0)
            .collect();
        files.sort_by_key(|it| (!it.language.is_code(), it.test, &it.path));
        for file in files {
            // The text as it is decides whether it is worth the redactor.
            let is_there = lookup.reads(file, |line| line.to_lowercase().contains(&wanted));
            if !is_there {
                continue;
            }
            let all = lines(&self.context, &file.path, 1, usize::MAX).unwrap_or_default();
            if !all
                .iter()
                .all(|(number, line)| add(&file.path, *number, line))
            {
                break;
            }
        }
        for (path, page) in &*self.pages {
            let mut all = (1..).zip(page.lines());
            if !all.all(|(number, line)| add(path, number, line)) {
                break;
            }
        }
        (count > 0).then_some(text)
    }

    /// A place such as `path:10-40`, a file, a name or a word.
    pub(crate) fn look_up(&self, wanted: &str) -> Option<String> {
        let wanted = wanted.trim().trim_matches('`').trim();
        let (path, numbers) = wanted.rsplit_once(':').unwrap_or((wanted, ""));
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        if let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) {
            // One line is read with those around it.
            let last = if first == last {
                first.saturating_add(20)
            } else {
                last
            };
            return self.lines(path, first, last);
        }
        let whole = || self.lines(wanted, 1, MOST_LINES);
        whole()
            .or_else(|| self.definitions(wanted))
            .or_else(|| self.search(wanted))
    }
}
