//! Facts: what is known about a code base without asking anybody.
//!
//! [`scan`] walks a folder (`walk`), reads each file once (`read`), takes symbols and imports out of it
//! (`syntax`), and puts manifests, entry points and components beside them. Facts are plain data in a fixed
//! order: the same files give the same facts, byte for byte. Claims of models are checked against them, and
//! what a model reads of the code base comes from here.

mod about;
mod components;
mod entry;
mod errors;
mod language;
mod lookup;
mod manifest;
mod names;
mod order;
mod read;
mod resolve;
mod scan;
mod source;
#[cfg(feature = "syntax")]
mod syntax;
mod uses;
mod walk;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

pub use about::{About, RequiredLanguage, Stated};
pub(crate) use errors::error_types;
pub use language::Language;
pub use lookup::Lookup;
pub use order::{Limits, Order};
pub use scan::scan;
pub(crate) use source::{has_word, readable};

/// The folder below the root that documentation goes to.
pub const USUAL_OUTPUT: &str = "superstep-docs";

/// The version of the facts, which is part of every cache key: it changes when the same files give other facts.
pub const FACTS_VERSION: u32 = 6;

/// What is known about a code base.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The name of its folder.
    pub name: String,
    /// Its identity, as its manifest and its readme state it.
    #[serde(default)]
    pub about: About,
    /// Its files, in the order of their paths.
    pub files: Vec<File>,
    /// Parts with a manifest or a build of their own, and the folders with code below the root where there are fewer than two such parts.
    pub components: Vec<Component>,
    /// What its manifests ask for, by name.
    pub dependencies: Vec<Dependency>,
    /// What lock files hold, by name: what is asked for, and what that asks for in turn.
    pub locked: BTreeMap<String, BTreeSet<String>>,
    /// Where programs begin.
    pub entry_points: Vec<EntryPoint>,
    /// What was not read, and why; the first of each kind by name, all of them by number.
    pub skipped: Skipped,
    /// Figures.
    pub counts: Counts,
    /// The folder, for what is read again.
    #[serde(skip)]
    pub(crate) root: PathBuf,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its path below the root, with `/`.
    pub path: String,
    /// What it is written in.
    pub language: Language,
    /// Its size.
    pub bytes: u64,
    /// Its lines; none of a file that is no text or was not read.
    pub lines: u32,
    /// Whether it has lines that were not counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncounted: bool,
    /// A hash of its content; of its size alone if it was not read.
    pub hash: String,
    /// Whether it is a test, by its name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// What it defines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<Symbol>,
    /// What it imports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<Import>,
    /// Lines that say that something is left to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

/// Something that a file defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// What it is.
    pub kind: SymbolKind,
    /// Its name.
    pub name: String,
    /// The type or the module it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Where, from 1.
    pub line: u32,
    /// Its last line.
    #[serde(default)]
    pub end: u32,
    /// Whether others may use it, as far as the language says so where it is defined.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub public: bool,
    /// The types that it extends or implements, by name, where the definition says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bases: Vec<String>,
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A function of a type.
    Method,
    /// A struct or a class.
    Type,
    /// An enum.
    Enum,
    /// A trait or an interface.
    Interface,
    /// A module or a namespace.
    Module,
    /// A constant or a static value.
    Constant,
    /// A name for a type.
    Alias,
    /// A macro.
    Macro,
}

impl SymbolKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Type => "type",
            Self::Enum => "enum",
            Self::Interface => "interface",
            Self::Module => "module",
            Self::Constant => "constant",
            Self::Alias => "alias",
            Self::Macro => "macro",
        }
    }
}

/// An import of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// What is imported, as it is written.
    pub target: String,
    /// Where, from 1.
    pub line: u32,
    /// The file of the code base that it means, if it means one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether it is for checks of types alone, and nothing is loaded by it when the program runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub types_only: bool,
}

/// A line that says that something is left to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// One of the words that programmers mark such lines with, such as `HACK`.
    pub word: String,
    /// Where, from 1.
    pub line: u32,
    /// The line behind the word.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// A part of the code base.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// Its folder; empty for the root.
    pub folder: String,
    /// Its manifest, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// The version in its manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How many files it has.
    pub files: u32,
    /// The components it uses, by imports or by its manifest, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<String>,
}

/// Something from outside that a manifest asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// The manifest.
    pub manifest: String,
    /// Where in it, from 1; 0 if the manifest spells it in another way than it is read.
    pub line: u32,
    /// Which versions are wanted, as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// The versions in the lock file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locked: Vec<String>,
    /// What it is for.
    pub kind: DependencyKind,
}

impl Dependency {
    /// Where it is asked for, as `path:line`; the path alone if the line is not known.
    pub fn place(&self) -> String {
        match self.line {
            0 => self.manifest.clone(),
            line => format!("{}:{line}", self.manifest),
        }
    }
}

/// What a dependency is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DependencyKind {
    /// The program.
    Runtime,
    /// A part of the program that is installed only if it is asked for: an extra, a feature.
    Optional,
    /// Tests and development.
    Dev,
    /// The build.
    Build,
}

impl DependencyKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Runtime => "program",
            Self::Optional => "optional",
            Self::Dev => "development",
            Self::Build => "build",
        }
    }
}

/// Where a program begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryPoint {
    /// The file.
    pub path: String,
    /// Where in it, from 1.
    pub line: u32,
    /// What it is called.
    pub name: String,
    /// What it is: `main`, `library`, `script`, `binary`.
    pub kind: String,
}

/// What was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// How many, by why.
    pub counts: BTreeMap<String, u32>,
    /// The first ones of each kind.
    pub first: Vec<SkippedFile>,
}

/// A file that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedFile {
    /// Its path.
    pub path: String,
    /// Why.
    pub why: String,
}

/// How many skipped files of each kind are named.
const NAMED: usize = 20;

impl Skipped {
    pub(crate) fn add(&mut self, path: String, why: &str) {
        let count = self.counts.entry(why.to_owned()).or_default();
        *count = count.saturating_add(1);
        if usize::try_from(*count).is_ok_and(|count| count <= NAMED) {
            self.first.push(SkippedFile {
                path: crate::inert::line(&path),
                why: why.to_owned(),
            });
        }
    }

    /// How many in all.
    pub fn total(&self) -> u32 {
        self.counts.values().sum()
    }
}

/// Figures of a code base.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Files that are listed.
    pub files: u32,
    /// Folders below the root that have files, or folders with files, in them.
    pub folders: u32,
    /// Lines of text.
    pub lines: u64,
    /// Files whose lines were not counted.
    #[serde(default, skip_serializing_if = "is_none")]
    pub uncounted: u32,
    /// Bytes.
    pub bytes: u64,
    /// Files that are tests.
    pub tests: u32,
    /// Symbols.
    pub symbols: u32,
    /// Lines with marks.
    pub marks: u32,
    /// Files and lines by language.
    pub languages: BTreeMap<String, LanguageCount>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_none(count: &u32) -> bool {
    *count == 0
}

/// Figures of a language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageCount {
    /// Files.
    pub files: u32,
    /// Lines.
    pub lines: u64,
}

impl Facts {
    /// A file by its path.
    pub fn file(&self, path: &str) -> Option<&File> {
        let at = self
            .files
            .binary_search_by(|file| (*file.path).cmp(path))
            .ok()?;
        self.files.get(at)
    }

    /// Names of all dependencies, each once.
    pub fn dependency_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.dependencies.iter().map(|it| &*it.name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
