//! Where an item lives: a path of labels, its prefixes, and patterns over it.

use std::borrow::Borrow;
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superstep_core::error::Category;

/// First labels that are kept for runtimes themselves.
pub const RESERVED_ROOTS: [&str; 2] = ["superstep", "langgraph"];

/// A non-empty path of labels; cheap to clone.
///
/// A label is not empty and has neither `.` (namespaces are written with dots between labels) nor a
/// NUL character. Any other character goes. Namespaces order by their labels.
///
/// ```
/// use superstep_store::Namespace;
///
/// let ann = Namespace::new(["users", "ann"])?;
/// assert_eq!(ann.to_string(), "users.ann");
/// assert_eq!(
///     Namespace::new(["users", ""]).unwrap_err().to_string(),
///     "label 2 of the namespace is empty"
/// );
/// # Ok::<(), superstep_store::NamespaceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Namespace(Arc<[String]>);

impl Namespace {
    /// The namespace of these labels.
    pub fn new<L: Into<String>>(
        labels: impl IntoIterator<Item = L>,
    ) -> Result<Self, NamespaceError> {
        let labels = checked(labels)?;
        if labels.is_empty() {
            return Err(NamespaceError::Empty);
        }
        Ok(Self(labels))
    }

    /// The namespace of labels that are any text, such as addresses and file names: what a label may not
    /// have is written as `%` and two digits. [`Namespace::unescaped`] gives the texts back.
    ///
    /// ```
    /// use superstep_store::Namespace;
    ///
    /// let ann = Namespace::escaped(["users", "ann@example.com"])?;
    /// assert_eq!(ann.to_string(), "users.ann@example%2Ecom");
    /// assert_eq!(ann.unescaped(), ["users", "ann@example.com"]);
    /// assert_eq!(Namespace::escaped(["", "5%"])?.unescaped(), ["", "5%"]);
    /// # Ok::<(), superstep_store::NamespaceError>(())
    /// ```
    pub fn escaped<L: AsRef<str>>(
        labels: impl IntoIterator<Item = L>,
    ) -> Result<Self, NamespaceError> {
        let escape = |label: L| match label.as_ref() {
            "" => "%".to_owned(),
            label => label
                .replace('%', "%25")
                .replace('.', "%2E")
                .replace('\0', "%00"),
        };
        Self::new(labels.into_iter().map(escape))
    }

    /// The texts that [`Namespace::escaped`] got.
    pub fn unescaped(&self) -> Vec<String> {
        let text = |label: &String| match label.as_str() {
            "%" => String::new(),
            label => label
                .replace("%00", "\0")
                .replace("%2E", ".")
                .replace("%25", "%"),
        };
        self.0.iter().map(text).collect()
    }

    /// The labels, first one outermost.
    pub fn labels(&self) -> &[String] {
        &self.0
    }

    /// Whether this namespace is `prefix` or below it.
    pub fn is_under(&self, prefix: &Prefix) -> bool {
        self.0.starts_with(&prefix.0)
    }

    /// The namespace of at most `depth` labels that this one is or is below of.
    pub fn truncated(&self, depth: NonZeroUsize) -> Self {
        match self.0.get(..depth.get()) {
            Some(head) => Self(head.into()),
            None => self.clone(),
        }
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

impl FromStr for Namespace {
    type Err = NamespaceError;

    /// Reads the dotted form.
    fn from_str(dotted: &str) -> Result<Self, NamespaceError> {
        if dotted.is_empty() {
            return Err(NamespaceError::Empty);
        }
        Self::new(dotted.split('.'))
    }
}

impl TryFrom<Vec<String>> for Namespace {
    type Error = NamespaceError;

    fn try_from(labels: Vec<String>) -> Result<Self, NamespaceError> {
        Self::new(labels)
    }
}

impl From<Namespace> for Vec<String> {
    fn from(namespace: Namespace) -> Self {
        namespace.0.to_vec()
    }
}

impl Borrow<[String]> for Namespace {
    fn borrow(&self) -> &[String] {
        &self.0
    }
}

/// The beginning of a namespace; the default one is empty, under which is everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Prefix(Arc<[String]>);

impl Prefix {
    /// The prefix of these labels, which obey the rules of [`Namespace`] but may be none.
    pub fn new<L: Into<String>>(
        labels: impl IntoIterator<Item = L>,
    ) -> Result<Self, NamespaceError> {
        Ok(Self(checked(labels)?))
    }

    /// The labels, first one outermost.
    pub fn labels(&self) -> &[String] {
        &self.0
    }
}

impl From<Namespace> for Prefix {
    fn from(namespace: Namespace) -> Self {
        Self(namespace.0)
    }
}

impl TryFrom<Vec<String>> for Prefix {
    type Error = NamespaceError;

    fn try_from(labels: Vec<String>) -> Result<Self, NamespaceError> {
        Self::new(labels)
    }
}

impl From<Prefix> for Vec<String> {
    fn from(prefix: Prefix) -> Self {
        prefix.0.to_vec()
    }
}

/// Labels to compare a namespace with, where `*` stands for any one label.
///
/// The default pattern has no labels and fits every namespace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pattern(Vec<String>);

impl Pattern {
    /// The pattern of these labels.
    pub fn new<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Self {
        Self(labels.into_iter().map(Into::into).collect())
    }

    /// Whether the namespace begins with labels that fit.
    pub fn fits_start(&self, namespace: &Namespace) -> bool {
        let labels = namespace.labels();
        self.0.len() <= labels.len() && self.0.iter().zip(labels).all(fits)
    }

    /// Whether the namespace ends with labels that fit.
    pub fn fits_end(&self, namespace: &Namespace) -> bool {
        let labels = namespace.labels();
        self.0.len() <= labels.len() && self.0.iter().rev().zip(labels.iter().rev()).all(fits)
    }

    /// The labels before the first `*`: whatever fits at the start begins with exactly these.
    pub fn literal_head(&self) -> &[String] {
        let literal = self.0.iter().take_while(|label| *label != ANY).count();
        self.0.get(..literal).unwrap_or_default()
    }
}

/// Why labels are not a namespace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, superstep_coded::Coded)]
#[non_exhaustive]
pub enum NamespaceError {
    /// There are no labels.
    #[error("the namespace has no labels")]
    #[coded("SS3001", InvalidInput, hint = "give at least one label")]
    Empty,
    /// A label is the empty string.
    #[error("label {position} of the namespace is empty")]
    #[coded("SS3002", InvalidInput, hint = "leave the label out, or name it")]
    EmptyLabel {
        /// Which label, counted from 1.
        position: usize,
    },
    /// A label contains a dot.
    #[error("label {position} of the namespace, {label:?}, contains a dot")]
    #[coded(
        "SS3003",
        InvalidInput,
        hint = "make two labels of it, or use another character"
    )]
    Dot {
        /// Which label, counted from 1.
        position: usize,
        /// The label.
        label: String,
    },
    /// A label contains a NUL character.
    #[error("label {position} of the namespace, {label:?}, contains a NUL character")]
    #[coded(
        "SS3004",
        InvalidInput,
        hint = "remove the NUL character, or encode the label"
    )]
    Nul {
        /// Which label, counted from 1.
        position: usize,
        /// The label.
        label: String,
    },
    /// The first label is one of [`RESERVED_ROOTS`].
    #[error("the first label of the namespace, {label:?}, is reserved")]
    #[coded("SS3005", InvalidInput, hint = "put another label in front")]
    Reserved {
        /// The label.
        label: String,
    },
}

const ANY: &str = "*";

fn fits((pattern, label): (&String, &String)) -> bool {
    pattern == ANY || pattern == label
}

fn checked<L: Into<String>>(
    labels: impl IntoIterator<Item = L>,
) -> Result<Arc<[String]>, NamespaceError> {
    let labels: Vec<String> = labels.into_iter().map(Into::into).collect();
    for (position, label) in (1..).zip(&labels) {
        check(position, label)?;
    }
    match labels.first() {
        Some(root) if RESERVED_ROOTS.contains(&root.as_str()) => Err(NamespaceError::Reserved {
            label: root.clone(),
        }),
        _ => Ok(labels.into()),
    }
}

fn check(position: usize, label: &str) -> Result<(), NamespaceError> {
    let label_owned = || label.to_owned();
    if label.is_empty() {
        return Err(NamespaceError::EmptyLabel { position });
    }
    if label.contains('.') {
        return Err(NamespaceError::Dot {
            position,
            label: label_owned(),
        });
    }
    if label.contains('\0') {
        return Err(NamespaceError::Nul {
            position,
            label: label_owned(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(dotted: &str) -> Namespace {
        dotted.parse().unwrap()
    }

    #[test]
    fn a_refusal_says_what_is_wrong() {
        let refused = |labels: &[&str]| Namespace::new(labels.iter().copied()).unwrap_err();
        assert_eq!(refused(&[]), NamespaceError::Empty);
        assert_eq!(
            refused(&["a", "", "c"]),
            NamespaceError::EmptyLabel { position: 2 }
        );
        assert_eq!(refused(&["a.b"]).code(), "SS3003");
        assert_eq!(refused(&["a", "\0"]).code(), "SS3004");
        assert_eq!(
            refused(&["langgraph", "x"]).to_string(),
            "the first label of the namespace, \"langgraph\", is reserved"
        );
        assert_eq!(refused(&["superstep"]).code(), "SS3005");
    }

    #[test]
    fn a_reserved_word_is_fine_below_the_root() {
        assert_eq!(ns("x.superstep").labels(), ["x", "superstep"]);
    }

    #[test]
    fn the_dotted_form_reads_back() {
        let namespace = Namespace::new(["é", "日本", "*", "a b"]).unwrap();
        assert_eq!(namespace.to_string().parse(), Ok(namespace));
        assert_eq!("".parse::<Namespace>(), Err(NamespaceError::Empty));
        assert!("a..b".parse::<Namespace>().is_err());
    }

    #[test]
    fn deserialising_validates() {
        assert!(serde_json::from_str::<Namespace>(r#"["a","b"]"#).is_ok());
        assert!(serde_json::from_str::<Namespace>(r#"["a.b"]"#).is_err());
        assert!(serde_json::from_str::<Namespace>("[]").is_err());
        assert!(serde_json::from_str::<Prefix>("[]").is_ok());
        assert!(serde_json::from_str::<Prefix>(r#"["langgraph"]"#).is_err());
    }

    #[test]
    fn a_prefix_is_made_of_whole_labels() {
        assert!(ns("a.b").is_under(&Prefix::new(["a"]).unwrap()));
        assert!(!ns("ab").is_under(&Prefix::new(["a"]).unwrap()));
        assert!(!ns("a").is_under(&Prefix::new(["a", "b"]).unwrap()));
        assert!(ns("a").is_under(&Prefix::default()));
    }

    #[test]
    fn a_star_stands_for_one_label() {
        assert!(Pattern::new(["*", "b"]).fits_start(&ns("a.b.c")));
        assert!(!Pattern::new(["*", "b"]).fits_start(&ns("a.c.b")));
        assert!(Pattern::new(["b", "*"]).fits_end(&ns("a.b.c")));
        assert!(!Pattern::new(["a", "*"]).fits_end(&ns("a.b.c")));
        assert!(!Pattern::new(["*", "*"]).fits_start(&ns("a")));
        assert!(!Pattern::new(["*", "*"]).fits_end(&ns("a")));
        assert_eq!(Pattern::new(["a", "*", "c"]).literal_head(), ["a"]);
    }

    #[test]
    fn truncating_keeps_the_outer_labels() {
        let two = NonZeroUsize::new(2).unwrap();
        assert_eq!(ns("a.b.c").truncated(two), ns("a.b"));
        assert_eq!(ns("a").truncated(two), ns("a"));
    }
}
