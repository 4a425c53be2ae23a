//! Languages, by the names of files.

use serde::{Deserialize, Serialize};

/// What a file is written in.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "languages are called what they are called")]
pub enum Language {
    Rust,
    Python,
    TypeScript,
    Tsx,
    JavaScript,
    Go,
    Java,
    C,
    Cpp,
    CSharp,
    Kotlin,
    Ruby,
    Php,
    Swift,
    Shell,
    Sql,
    Html,
    Css,
    Json,
    Yaml,
    Toml,
    Xml,
    Markdown,
    Text,
    #[default]
    Other,
}

const ENDINGS: &[(&str, Language)] = &[
    ("rs", Language::Rust),
    ("py", Language::Python),
    ("pyi", Language::Python),
    ("ts", Language::TypeScript),
    ("mts", Language::TypeScript),
    ("cts", Language::TypeScript),
    ("tsx", Language::Tsx),
    ("js", Language::JavaScript),
    ("jsx", Language::JavaScript),
    ("mjs", Language::JavaScript),
    ("cjs", Language::JavaScript),
    ("go", Language::Go),
    ("java", Language::Java),
    ("c", Language::C),
    ("h", Language::C),
    ("cc", Language::Cpp),
    ("cpp", Language::Cpp),
    ("cxx", Language::Cpp),
    ("hh", Language::Cpp),
    ("hpp", Language::Cpp),
    ("hxx", Language::Cpp),
    ("cs", Language::CSharp),
    ("kt", Language::Kotlin),
    ("kts", Language::Kotlin),
    ("rb", Language::Ruby),
    ("php", Language::Php),
    ("swift", Language::Swift),
    ("sh", Language::Shell),
    ("bash", Language::Shell),
    ("sql", Language::Sql),
    ("html", Language::Html),
    ("htm", Language::Html),
    ("css", Language::Css),
    ("scss", Language::Css),
    ("json", Language::Json),
    ("yaml", Language::Yaml),
    ("yml", Language::Yaml),
    ("toml", Language::Toml),
    ("xml", Language::Xml),
    ("md", Language::Markdown),
    ("markdown", Language::Markdown),
    ("txt", Language::Text),
    ("rst", Language::Text),
];

impl Language {
    /// The language of a file with this path.
    pub fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((_, ending)) = name.rsplit_once('.') else {
            return Self::Other;
        };
        let ending = ending.to_ascii_lowercase();
        let mut all = ENDINGS.iter();
        all.find(|(known, _)| *known == ending)
            .map_or(Self::Other, |(_, language)| *language)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Python => "Python",
            Self::TypeScript | Self::Tsx => "TypeScript",
            Self::JavaScript => "JavaScript",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::C => "C",
            Self::Cpp => "C++",
            Self::CSharp => "C#",
            Self::Kotlin => "Kotlin",
            Self::Ruby => "Ruby",
            Self::Php => "PHP",
            Self::Swift => "Swift",
            Self::Shell => "Shell",
            Self::Sql => "SQL",
            Self::Html => "HTML",
            Self::Css => "CSS",
            Self::Json => "JSON",
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
            Self::Xml => "XML",
            Self::Markdown => "Markdown",
            Self::Text => "text",
            Self::Other => "other",
        }
    }

    /// Whether programs are written in it.
    pub fn is_code(self) -> bool {
        self < Self::Html
    }
}
