//! Imports of TypeScript and JavaScript: relative ones, those that `tsconfig.json` gives a meaning, and packages of the
//! code base by name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::{join, normal};
use crate::facts::manifest::{Manifests, folder, is_script_config};

/// How many settings may extend each other, and how many one may extend.
const DEEPEST: usize = 4;
const MOST_EXTENDED: usize = 3;

/// The largest settings, how many there may be in all and in a folder, and how many patterns one may have.
const LARGEST: usize = 1 << 18;
const MOST: usize = 2_000;
const MOST_BESIDE: usize = 20;
const MOST_PATTERNS: usize = 200;

/// What imports that are not relative mean.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    /// Settings by their folders.
    configs: BTreeMap<String, Vec<Config>>,
    /// Packages by name: the folder, and files that a manifest names.
    packages: BTreeMap<String, (String, Vec<String>)>,
}

/// Settings, with paths from the root.
#[derive(Clone, Debug, Default)]
struct Config {
    base: Option<String>,
    /// Patterns and what they stand for, the longest first.
    paths: Vec<(String, Vec<String>)>,
}

impl Scripts {
    pub(super) fn new(texts: &[(String, String)], manifests: &Manifests) -> Self {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let texts = texts
            .iter()
            .filter(|(path, text)| is_script_config(&name(path)) && text.len() <= LARGEST);
        let read = texts.take(MOST).filter_map(|(path, text)| {
            let json: Json = serde_json::from_str(&plain_json(text)).ok()?;
            Some((&**path, json))
        });
        let read: BTreeMap<&str, Json> = read.collect();
        let mut configs: BTreeMap<String, Vec<Config>> = BTreeMap::new();
        // The usual name comes first: `tsconfig.json` before `tsconfig.app.json`.
        let mut order: Vec<&str> = read.keys().copied().collect();
        order.sort_by_key(|path| (path.len(), *path));
        for path in order {
            let all = configs.entry(folder(path).to_owned()).or_default();
            if all.len() < MOST_BESIDE {
                all.extend(config(path, &read, 0));
            }
        }
        let packages = manifests.packages.iter();
        let packages = packages.filter(|it| it.manifest.ends_with("package.json"));
        let packages = packages.map(|it| {
            let libraries = it.entries.iter().filter(|it| it.kind == "library");
            let files = libraries.map(|it| it.path.clone()).collect();
            (it.name.clone(), (it.folder().to_owned(), files))
        });
        Self {
            configs,
            packages: packages.collect(),
        }
    }

    /// The file that an import of a file means.
    pub(super) fn find(
        &self,
        from: &str,
        target: &str,
        paths: &BTreeSet<String>,
    ) -> Option<String> {
        if target.starts_with('.') {
            return file(&normal(&join(folder(from), target))?, paths);
        }
        self.by_config(from, target, paths)
            .or_else(|| self.by_package(target, paths))
    }

    fn by_config(&self, from: &str, target: &str, paths: &BTreeSet<String>) -> Option<String> {
        let mut at = folder(from);
        // The nearest settings count, also if they say nothing of this import.
        let configs = loop {
            match self.configs.get(at) {
                Some(configs) => break configs,
                None if at.is_empty() => return None,
                None => at = folder(at),
            }
        };
        configs.iter().find_map(|config| {
            let named = config.paths.iter().find_map(|(pattern, places)| {
                let rest = fitting(pattern, target)?;
                let mut places = places.iter().map(|it| it.replacen('*', rest, 1));
                places.find_map(|place| file(&normal(&place)?, paths))
            });
            let below = || file(&normal(&join(config.base.as_ref()?, target))?, paths);
            named.or_else(below)
        })
    }

    fn by_package(&self, target: &str, paths: &BTreeSet<String>) -> Option<String> {
        // A scope and a name, or a name alone.
        let slashes = if target.starts_with('@') { 2 } else { 1 };
        let mut parts = target.splitn(slashes + 1, '/');
        let name: Vec<&str> = parts.by_ref().take(slashes).collect();
        let (folder, entries) = self.packages.get(&name.join("/"))?;
        if let Some(below) = parts.next() {
            let places = [join(folder, below), join(&join(folder, "src"), below)];
            return places.iter().find_map(|place| file(place, paths));
        }
        let mut entries = entries.iter().map(|entry| join(folder, entry));
        let named = entries.find_map(|it| source(&it, paths).or_else(|| file(&it, paths)));
        let usual = || [folder.clone(), join(folder, "src")];
        named.or_else(|| usual().iter().find_map(|place| inside(place, paths)))
    }
}

/// What the star of a pattern stands for in an import; empty if there is no star and they are equal.
fn fitting<'a>(pattern: &str, target: &'a str) -> Option<&'a str> {
    match pattern.split_once('*') {
        Some((before, after)) => target.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == target).then_some(""),
    }
}

/// The file that a path without its ending means: itself, with an ending, or the index of a folder.
fn file(at: &str, paths: &BTreeSet<String>) -> Option<String> {
    let stem = ["js", "jsx", "mjs", "cjs"]
        .iter()
        .find_map(|ending| at.strip_suffix(&format!(".{ending}")))
        .unwrap_or(at);
    let files = ENDINGS.iter().map(|ending| format!("{stem}.{ending}"));
    let found = std::iter::once(at.to_owned())
        .chain(files)
        .find(|path| paths.contains(path));
    found.or_else(|| inside(at, paths))
}

const ENDINGS: [&str; 9] = ["ts", "tsx", "mts", "cts", "d.ts", "js", "jsx", "mjs", "cjs"];

fn inside(folder: &str, paths: &BTreeSet<String>) -> Option<String> {
    ENDINGS
        .iter()
        .map(|ending| join(folder, &format!("index.{ending}")))
        .find(|path| paths.contains(path))
}

/// The file that a manifest names, or the one that it is built from: `dist/cli.js` is `src/cli.ts`.
pub(in crate::facts) fn source(path: &str, paths: &BTreeSet<String>) -> Option<String> {
    if paths.contains(path) {
        return Some(path.to_owned());
    }
    let stem = ["js", "mjs", "cjs"]
        .iter()
        .find_map(|ending| path.strip_suffix(&format!(".{ending}")))?;
    let parts: Vec<&str> = stem.split('/').collect();
    let built = parts
        .iter()
        .position(|part| ["dist", "build", "lib", "out"].contains(part))?;
    let (before, after) = (parts.get(..built)?, parts.get(built + 1..)?);
    ["src", "lib", ""].iter().find_map(|folder| {
        let folder = Some(*folder).filter(|it| !it.is_empty());
        let parts = before.iter().copied().chain(folder);
        let stem: Vec<&str> = parts.chain(after.iter().copied()).collect();
        let stem = stem.join("/");
        ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs"]
            .iter()
            .map(|ending| format!("{stem}.{ending}"))
            .find(|path| paths.contains(path))
    })
}

/// The settings of a file, with what they extend.
fn config(path: &str, read: &BTreeMap<&str, Json>, depth: usize) -> Option<Config> {
    if depth > DEEPEST {
        return None;
    }
    let json = read.get(path)?;
    let mut config = Config::default();
    let extends = match json.get("extends") {
        Some(Json::Array(all)) => all.iter().filter_map(Json::as_str).collect(),
        Some(Json::String(one)) => vec![&**one],
        _ => Vec::new(),
    };
    // Settings of packages from outside are not there to be read.
    let extends = extends.into_iter().filter(|it| it.starts_with('.'));
    for other in extends.take(MOST_EXTENDED) {
        let Some(other) = normal(&join(folder(path), other)) else {
            continue;
        };
        let names = [other.clone(), format!("{other}.json")];
        if let Some(above) = names
            .iter()
            .find_map(|it| self::config(it, read, depth + 1))
        {
            config.base = above.base.or(config.base);
            if !above.paths.is_empty() {
                config.paths = above.paths;
            }
        }
    }
    let options = json.get("compilerOptions");
    let base = options.and_then(|it| it.get("baseUrl")?.as_str());
    if let Some(base) = base {
        config.base = normal(&join(folder(path), base));
    }
    let paths = options.and_then(|it| it.get("paths")?.as_object());
    if let Some(paths) = paths {
        let own = folder(path).to_owned();
        let below = config.base.as_ref().unwrap_or(&own);
        let mut paths: Vec<(String, Vec<String>)> = paths
            .iter()
            .take(MOST_PATTERNS)
            .map(|(pattern, places)| {
                let places = places.as_array().into_iter().flatten().take(MOST_BESIDE);
                let places = places.filter_map(Json::as_str);
                (pattern.clone(), places.map(|it| join(below, it)).collect())
            })
            .collect();
        let length = |pattern: &str| pattern.find('*').unwrap_or(usize::MAX);
        paths.sort_by_key(|(pattern, _)| std::cmp::Reverse(length(pattern)));
        config.paths = paths;
    }
    Some(config)
}

/// JSON without the comments and commas that settings may have.
fn plain_json(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => {
                let end = rest.match_indices('"').skip(1).find(|(at, _)| {
                    let before = rest.get(..*at).unwrap_or_default();
                    let escapes = before.len() - before.trim_end_matches('\\').len();
                    escapes % 2 == 0
                });
                let end = end.map_or(rest.len(), |(at, _)| at + 1);
                plain.push_str(rest.get(..end).unwrap_or_default());
                end
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '}' | ']' => {
                let before = plain.trim_end();
                if let Some(before) = before.strip_suffix(',') {
                    plain.truncate(before.len());
                }
                plain.push(c);
                1
            }
            c => {
                plain.push(c);
                c.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_no_part_of_settings() {
        let text = "{ // a \"b\"\n \"x\": [\"/* no */\", \"//\\\"\",], /* c */ \"y\": 1,\n}";
        let json: Json = serde_json::from_str(&plain_json(text)).unwrap();
        assert_eq!(json, serde_json::json!({"x": ["/* no */", "//\""], "y": 1}));
    }
}
