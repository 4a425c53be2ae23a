//! What serde is told about a state: how its fields are called where it is data, and which have defaults.
//!
//! A state is read field by field and shown as a whole, so that both must have the same names.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, LitStr, Result, Token, meta::ParseNestedMeta, parenthesized, token};

use crate::name::camel_case;

/// What serde is told about a struct or one of its fields.
#[derive(Default)]
pub(super) struct SerdeAttributes {
    /// Whether there is a default, with or without a function.
    pub(super) default: bool,
    /// The name of a field as data.
    pub(super) rename: Option<String>,
    /// How the names of all fields are written.
    pub(super) rename_all: Option<Case>,
}

/// How names are written.
#[derive(Clone, Copy)]
pub(super) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl SerdeAttributes {
    /// Reads the attributes. What is not known here is serde's to report.
    pub(super) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        let serde = attributes.iter().filter(|a| a.path().is_ident("serde"));
        for attribute in serde {
            attribute.parse_nested_meta(|meta| read.read(&meta))?;
        }
        Ok(read)
    }

    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let word = meta.path.get_ident().map(ToString::to_string);
        match word.as_deref().unwrap_or_default() {
            "rename" => self.rename = Some(one_name(meta)?.value()),
            "rename_all" => {
                let name = one_name(meta)?;
                self.rename_all = Case::named(&name.value());
            }
            "flatten" => {
                let message = "a field of a state is a channel with a name of its own, so it cannot be flattened";
                return Err(meta.error(message));
            }
            "skip" | "skip_serializing" | "skip_deserializing" => {
                let message = "a field of a state is read and written; one that is never stored is \
                               `#[state(untracked)]`";
                return Err(meta.error(message));
            }
            word => {
                self.default |= word == "default";
                skip_value(meta)?;
            }
        }
        Ok(())
    }
}

/// The one name that a field, or the way in which all are written, has for reading and writing.
fn one_name(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    if meta.input.peek(Token![=]) {
        return meta.value()?.parse();
    }
    let mut names: Vec<LitStr> = Vec::new();
    meta.parse_nested_meta(|inner| {
        names.push(inner.value()?.parse()?);
        Ok(())
    })?;
    match names.as_slice() {
        [one, other] if one.value() == other.value() => Ok(one.clone()),
        _ => Err(meta.error("a field of a state has one name, for reading and for writing")),
    }
}

fn skip_value(meta: &ParseNestedMeta<'_>) -> Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<Expr>()?;
    } else if meta.input.peek(token::Paren) {
        let content;
        parenthesized!(content in meta.input);
        content.parse::<TokenStream>()?;
    }
    Ok(())
}

impl Case {
    /// By the name that serde has for it.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// The name of a field, which is in snake case, written in this way.
    pub(super) fn write(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => camel_case(name),
            Self::Camel => {
                let name = camel_case(name);
                let mut letters = name.chars();
                let first = letters.next().map(|first| first.to_ascii_lowercase());
                first.into_iter().chain(letters).collect()
            }
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_serde_writes_them() {
        let written = |case: &str| Case::named(case).map(|case| case.write("due_at_2"));
        let expected = [
            ("lowercase", "due_at_2"),
            ("UPPERCASE", "DUE_AT_2"),
            ("PascalCase", "DueAt2"),
            ("camelCase", "dueAt2"),
            ("snake_case", "due_at_2"),
            ("SCREAMING_SNAKE_CASE", "DUE_AT_2"),
            ("kebab-case", "due-at-2"),
            ("SCREAMING-KEBAB-CASE", "DUE-AT-2"),
        ];
        for (case, name) in expected {
            assert_eq!(written(case).as_deref(), Some(name), "{case}");
        }
    }
}
