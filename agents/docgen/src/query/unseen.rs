//! Which uses of a file the facts do not see, by language: no importer that is known is not no importer.

use crate::facts::Language;

/// Kinds of uses of a file of this language that are not among its importers.
pub(super) fn unseen(language: Language) -> &'static [&'static str] {
    match language {
        Language::Rust => &["paths that are written without `use`", "what macros name"],
        Language::Python => &[
            "modules that are imported by a name made at run time",
            "imports by a changed search path",
        ],
        Language::TypeScript | Language::Tsx | Language::JavaScript => &[
            "imports by a name made at run time",
            "names that a bundler or a framework gives a file",
        ],
        Language::Go => &["methods that another file of the package calls"],
        Language::Java => &[
            "types that are written with their whole package",
            "reflection and what a framework puts in",
        ],
        Language::C | Language::Cpp => &[
            "functions that another file declares for itself",
            "headers that only the build finds",
        ],
        language if language.is_code() => &["all imports: they are not read in this language"],
        _ => &["all uses: what is no code is read by its path"],
    }
}
