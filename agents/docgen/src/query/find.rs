//! What of the facts a question is about.

use serde::{Deserialize, Serialize};

use crate::{
    facts::{Dependency, Facts, File, Lookup, error_types},
    inert::counted,
    material::figures,
};

/// Something of the facts that a question is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// `file`, `symbol`, `dependency`, `component`, `entry point`, `importer` or `figure`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Where it is, as `path:line`.
    pub place: String,
    /// What more is known: which versions of a dependency, which file is imported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// How well it fits.
    pub score: u32,
}

/// Words that are in every question.
const COMMON: &[&str] = &[
    "the", "and", "for", "what", "where", "which", "who", "how", "does", "are", "is", "in", "of",
    "to", "a", "an", "it", "that", "this", "with", "from", "used", "use", "uses", "defined",
    "code", "file", "files", "about",
];

/// The words of a question that say what it is about.
pub(super) fn words(question: &str) -> Vec<String> {
    question
        .split(|c: char| !(c.is_alphanumeric() || "_-./".contains(c)))
        .map(|word| word.trim_matches(['.', '-', '/']).to_lowercase())
        .filter(|word| word.len() > 1 && !COMMON.contains(&&**word))
        .collect()
}

/// Words that ask where a program begins.
const BEGINS: [&str; 6] = ["entry", "start", "main", "begin", "launch", "run"];

/// The words of a question, without those of every one, and whether it asks how many there are of something.
struct Asked {
    words: Vec<String>,
    how_many: bool,
    who: bool,
}

impl Asked {
    fn new(question: &str) -> Self {
        let lower = question.to_lowercase();
        Self {
            words: words(question),
            how_many: lower.contains("how many"),
            who: ["who", "uses", "imports", "depends"]
                .iter()
                .any(|word| lower.split_whitespace().any(|it| it == *word)),
        }
    }

    /// How well a name fits: as a whole, or by a word in it.
    fn score(&self, name: &str) -> u32 {
        let parts = parts(name);
        let name = name.to_lowercase();
        let fits = self.words.iter().map(|word| {
            let stem = stem(word);
            match () {
                () if name == *word || name == stem => 10,
                () if stem.len() > 2 && parts.iter().any(|part| part.starts_with(stem)) => 4,
                // `order_item` is one word of a question.
                () if word.contains(['_', '-', '.']) && name.contains(&**word) => 4,
                () => 0,
            }
        });
        fits.sum()
    }

    /// Whether it names a file, by its path or its name.
    fn names(&self, file: &File) -> bool {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let is_word = |it: &str| self.words.iter().any(|word| *word == it.to_lowercase());
        is_word(&file.path) || is_word(name)
    }

    fn has(&self, wanted: &[&str]) -> bool {
        self.words.iter().any(|word| wanted.contains(&stem(word)))
    }
}

/// The figures of a file.
fn of_file(file: &File) -> String {
    let length = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let lines = match file.uncounted {
        true => "lines that were not counted".to_owned(),
        false => counted(file.lines.into(), "line"),
    };
    let symbols = counted(length(file.symbols.len()), "symbol");
    let marks = counted(length(file.marks.len()), "mark");
    format!("{}: {lines}, {symbols}, {marks}", file.path)
}

fn stem(word: &str) -> &str {
    let stem = word.strip_suffix('s').filter(|stem| stem.len() > 2);
    stem.unwrap_or(word)
}

/// The words that a name is made of: `getUser_list` is get, user, list.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        let is_new = !c.is_alphanumeric() || was_small && c.is_uppercase();
        if is_new {
            parts.push(String::new());
        }
        was_small = c.is_lowercase() || c.is_numeric();
        if c.is_alphanumeric()
            && let Some(last) = parts.last_mut()
        {
            last.extend(c.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn hit(kind: &str, name: &str, place: String, score: u32) -> Hit {
    Hit {
        kind: kind.to_owned(),
        name: name.to_owned(),
        place,
        about: String::new(),
        score,
    }
}

/// What of the facts a question is about, the best first.
pub fn find(facts: &Facts, question: &str, most: usize) -> Vec<Hit> {
    let asked = Asked::new(question);
    let mut hits = Vec::new();
    if asked.how_many {
        // The answer is a number; what is called so is not asked for.
        let named = facts.files.iter().filter(|it| asked.names(it));
        hits.extend(named.map(|it| hit("figure", &of_file(it), it.path.clone(), 40)));
        let wanted = figures(facts).filter(|it| {
            let parts = parts(it);
            let has = |word: &str| parts.iter().any(|part| stem(part) == stem(word));
            asked.words.iter().any(|word| has(word)) || question.contains("file") && has("file")
        });
        if hits.is_empty() {
            hits.extend(wanted.map(|it| hit("figure", &it, String::new(), 40)));
        }
        if !hits.is_empty() {
            hits.truncate(most);
            return hits;
        }
    }
    for it in &facts.components {
        let place = it.manifest.clone().unwrap_or_else(|| it.folder.clone());
        hits.push(hit("component", &it.name, place, asked.score(&it.name) * 2));
    }
    for it in &facts.dependencies {
        hits.push(Hit {
            about: versions(it),
            ..hit(
                "dependency",
                &it.name,
                it.place(),
                asked.score(&it.name) * 2,
            )
        });
    }
    let begins = if asked.has(&BEGINS) { 6 } else { 0 };
    for it in &facts.entry_points {
        let place = format!("{}:{}", it.path, it.line);
        let score = asked.score(&it.name) + begins;
        hits.push(hit("entry point", &it.name, place, score));
    }
    let lookup = Lookup::new(facts);
    for file in &facts.files {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        let is_named = asked.names(file);
        let score = if is_named { 30 } else { asked.score(stem) };
        hits.push(hit("file", &file.path, file.path.clone(), score));
        if is_named && asked.who {
            let importers = lookup.importers(&file.path);
            hits.extend(importers.map(|it| Hit {
                about: format!("imports {}", file.path),
                ..hit("importer", it, it.to_owned(), 35)
            }));
        }
        for symbol in &file.symbols {
            let place = format!("{}:{}", file.path, symbol.line);
            let score = match asked.score(&symbol.name) {
                0 => 0,
                score => score + u32::from(symbol.public),
            };
            hits.push(hit("symbol", &symbol.name, place, score));
        }
    }
    if asked.has(&["error", "exception"]) {
        for (file, symbol) in error_types(facts) {
            let place = format!("{}:{}", file.path, symbol.line);
            hits.retain(|it| it.place != place || it.kind != "symbol");
            hits.push(hit("symbol", &symbol.name, place, 6));
        }
    }
    hits.retain(|it| it.score > 0);
    hits.sort_by(|one, other| (other.score, &one.place).cmp(&(one.score, &other.place)));
    hits.truncate(most);
    hits
}

/// Which versions are asked for, and which are locked.
fn versions(it: &Dependency) -> String {
    let wanted = it.wanted.as_ref().map(|it| format!("asks for {it}"));
    let locked = (!it.locked.is_empty()).then(|| format!("locked {}", it.locked.join(" and ")));
    let all: Vec<String> = wanted.into_iter().chain(locked).collect();
    all.join(", ")
}
