//! The identity of a code base: its name, description, version and license as its manifest states them, the languages it
//! requires, and the first paragraph of its readme.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use toml::{Table, Value};

use super::{File, source::readable};
use crate::inert::line as line_of;

/// The largest readme or version file that is read.
const LARGEST: u64 = 1 << 20;

/// The longest statement.
const LONGEST: usize = 600;

/// The identity of a code base.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// The name of its package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Stated>,
    /// The description of its package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Stated>,
    /// The version of its package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Stated>,
    /// The license of its package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<Stated>,
    /// The version of its language that it requires, such as Python `>=3.9`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<RequiredLanguage>,
    /// The first paragraph of its readme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readme: Option<Stated>,
}

/// A text with the place that states it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    /// The text, on one line and without secrets.
    pub text: String,
    /// The file.
    pub path: String,
    /// Where in it, from 1.
    pub line: u32,
}

/// A language and its versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredLanguage {
    /// `Python`, `Rust`, `Node` or `Go`.
    pub name: String,
    /// The versions, as they are written.
    pub wanted: Stated,
}

/// The identity that the manifests and the readme nearest to the root give.
pub(super) fn of(files: &[File], texts: &[(String, String)], root: &Path) -> About {
    let rank = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let known = ["Cargo.toml", "pyproject.toml", "package.json", "go.mod"];
        let at = known.iter().position(|it| *it == name)?;
        Some((path.matches('/').count(), at))
    };
    let mut manifests: Vec<_> = texts
        .iter()
        .filter_map(|(path, text)| Some((rank(path)?, path, text)))
        .collect();
    manifests.sort();
    let found = manifests.iter().take(20).map(|(_, path, text)| {
        let reader = Reader { path, text };
        match path.rsplit('/').next() {
            Some("Cargo.toml") => reader.cargo(),
            Some("pyproject.toml") => reader.python(files, root),
            Some("package.json") => reader.npm(),
            _ => reader.go(),
        }
    });
    let mut about = found
        .into_iter()
        .find(|it| it.name.is_some())
        .unwrap_or_default();
    about.readme = readme(files, root);
    about
}

struct Reader<'a> {
    path: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    /// A statement at the first line that begins with a key and has the value.
    fn stated(&self, key: &str, value: &str) -> Option<Stated> {
        let first = value.trim().lines().next()?.trim();
        let is_it = |line: &str| {
            let start = line.trim_start().trim_start_matches('"');
            start.starts_with(key) && (line.contains(first) || first.is_empty())
        };
        let line = self.text.lines().position(is_it).unwrap_or(0);
        stated(value, self.path, line)
    }

    fn cargo(&self) -> About {
        let Ok(table) = self.text.parse::<Table>() else {
            return About::default();
        };
        let shared = table.get("workspace").and_then(|it| it.get("package"));
        let text = |key: &str| {
            let own = table.get("package").and_then(|it| it.get(key));
            let is_inherited = own.is_some_and(|it| it.get("workspace").is_some());
            let value = match is_inherited {
                true => shared?.get(key),
                false => own,
            };
            value.and_then(Value::as_str)
        };
        let wanted = text("rust-version").and_then(|it| self.stated("rust-version", it));
        About {
            name: text("name").and_then(|it| self.stated("name", it)),
            description: text("description").and_then(|it| self.stated("description", it)),
            version: text("version").and_then(|it| self.stated("version", it)),
            license: text("license").and_then(|it| self.stated("license", it)),
            language: required("Rust", wanted),
            readme: None,
        }
    }

    fn python(&self, files: &[File], root: &Path) -> About {
        let Ok(table) = self.text.parse::<Table>() else {
            return About::default();
        };
        let poetry = table.get("tool").and_then(|it| it.get("poetry"));
        let project = table.get("project").or(poetry);
        let value = |key: &str| project.and_then(|it| it.get(key));
        let text = |key: &str| value(key).and_then(Value::as_str);
        let license = text("license").or_else(|| value("license")?.get("text")?.as_str());
        let python = poetry.and_then(|it| it.get("dependencies")?.get("python")?.as_str());
        let wanted = text("requires-python").and_then(|it| self.stated("requires-python", it));
        let wanted = wanted.or_else(|| self.stated("python", python?));
        let name = text("name");
        let version = text("version").and_then(|it| self.stated("version", it));
        About {
            name: name.and_then(|it| self.stated("name", it)),
            description: text("description").and_then(|it| self.stated("description", it)),
            version: version.or_else(|| python_version(name?, files, root)),
            license: license.and_then(|it| self.stated("license", it)),
            language: required("Python", wanted),
            readme: None,
        }
    }

    fn npm(&self) -> About {
        let Ok(json) = serde_json::from_str::<Json>(self.text) else {
            return About::default();
        };
        let text = |key: &str| json.get(key).and_then(Json::as_str);
        let node = json.get("engines").and_then(|it| it.get("node")?.as_str());
        let wanted = node.and_then(|it| self.stated("node", it));
        About {
            name: text("name").and_then(|it| self.stated("name", it)),
            description: text("description").and_then(|it| self.stated("description", it)),
            version: text("version").and_then(|it| self.stated("version", it)),
            license: text("license").and_then(|it| self.stated("license", it)),
            language: required("Node", wanted),
            readme: None,
        }
    }

    fn go(&self) -> About {
        let word = |key: &str| {
            let mut lines = self.text.lines();
            lines.find_map(|line| line.strip_prefix(key)?.split_whitespace().next())
        };
        About {
            name: word("module ").and_then(|it| self.stated("module", it)),
            language: required("Go", word("go ").and_then(|it| self.stated("go ", it))),
            ..About::default()
        }
    }
}

fn required(name: &str, wanted: Option<Stated>) -> Option<RequiredLanguage> {
    let name = name.to_owned();
    wanted.map(|wanted| RequiredLanguage { name, wanted })
}

/// A statement, made safe to show; `line` is counted from 0.
fn stated(text: &str, path: &str, line: usize) -> Option<Stated> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text: String = line_of(&words.join(" ")).chars().take(LONGEST).collect();
    (!text.is_empty()).then(|| Stated {
        text,
        path: path.to_owned(),
        line: u32::try_from(line).unwrap_or(u32::MAX - 1) + 1,
    })
}

fn read(file: &File, root: &Path) -> Option<String> {
    String::from_utf8(readable(root, file, LARGEST)?).ok()
}

/// The version that the code of a package states: `__version__ = "1.2.3"`.
fn python_version(name: &str, files: &[File], root: &Path) -> Option<Stated> {
    let folder = name.to_lowercase().replace(['-', '.'], "_");
    let ends = ["__version__.py", "_version.py", "version.py", "__init__.py"];
    let ends = ends.map(|end| format!("{folder}/{end}"));
    ends.iter().find_map(|end| {
        let is_it = |path: &str| path == end || path.ends_with(&format!("/{end}"));
        let file = files.iter().find(|it| it.lines > 0 && is_it(&it.path))?;
        let text = read(file, root)?;
        let mut lines = text.lines().enumerate();
        lines.find_map(|(number, line)| {
            let value = line.strip_prefix("__version__")?.trim_start();
            let value = value.strip_prefix('=')?.trim().trim_matches(['"', '\'']);
            let is_version = value.starts_with(|c: char| c.is_ascii_digit());
            stated(value, &file.path, number).filter(|_| is_version)
        })
    })
}

/// The first paragraph of prose of the readme at the root.
fn readme(files: &[File], root: &Path) -> Option<Stated> {
    let is_readme = |path: &str| {
        let lower = path.to_lowercase();
        !path.contains('/') && (lower == "readme" || lower.starts_with("readme."))
    };
    let file = files
        .iter()
        .find(|it| it.lines > 0 && is_readme(&it.path))?;
    let text = read(file, root)?;
    let mut paragraph: Vec<String> = Vec::new();
    let (mut first, mut in_fence) = (0, false);
    for (number, line) in text.lines().enumerate() {
        let start = line.trim();
        in_fence ^= start.starts_with("```");
        let begins = [
            "#", "<", "![", "[![", "|", "```", "..", "===", "---", "[!", ":",
        ];
        let is_prose =
            !in_fence && !start.is_empty() && !begins.iter().any(|it| start.starts_with(it));
        match (is_prose, paragraph.is_empty()) {
            (true, true) => {
                first = number;
                paragraph.push(unlinked(start));
            }
            (true, false) => paragraph.push(unlinked(start)),
            (false, true) => {}
            // A heading that is underlined is none of it.
            (false, false) if start.starts_with(['=', '-']) => paragraph.clear(),
            (false, false) if paragraph.concat().split_whitespace().count() < 4 => {
                paragraph.clear()
            }
            (false, false) => break,
        }
    }
    stated(&paragraph.join(" "), &file.path, first)
}

/// A line with the words of its links in place of these.
fn unlinked(line: &str) -> String {
    let mut left = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        let (head, words) = before.rsplit_once('[').unwrap_or((before, ""));
        left.push_str(head.trim_end_matches('!'));
        left.push_str(words);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    left.push_str(rest);
    left.trim_start_matches(['>', ' ']).to_owned()
}
