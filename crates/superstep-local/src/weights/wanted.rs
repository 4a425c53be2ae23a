//! References to weights, and their syntax.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::catalogue::Entry;
use super::error::WeightsError;

/// Which weights are wanted.
///
/// ```
/// use superstep_local::weights::{TINY, Weights};
///
/// assert_eq!("tiny".parse::<Weights>()?, Weights::Entry(&TINY));
/// let own: Weights = "./own.gguf".parse()?;
/// assert!(matches!(own, Weights::Path(_)));
/// let hub: Weights = "hf:owner/repo/model.gguf@v1".parse()?;
/// assert_eq!(hub.to_string(), "hf:owner/repo/model.gguf@v1");
/// # Ok::<(), superstep_local::weights::WeightsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weights {
    /// An entry of the catalogue.
    Entry(&'static Entry),
    /// A file of the user's own, used where it is and as it is.
    Path(PathBuf),
    /// A file of the model hub that the catalogue does not have.
    Hub(HubFile),
}

/// A file of the model hub.
///
/// Its hash is recorded when it is first pulled, and every later pull must give the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubFile {
    /// Owner and repository, with `/` between.
    pub repo: String,
    /// The path inside the repository.
    pub file: String,
    /// A branch, a tag or, best, a commit.
    pub revision: String,
}

/// The revision if none is given.
const NEWEST: &str = "main";

impl FromStr for Weights {
    type Err = WeightsError;

    fn from_str(name: &str) -> Result<Self, WeightsError> {
        if let Some(entry) = Entry::named(name) {
            return Ok(Self::Entry(entry));
        }
        if let Some(file) = name.strip_prefix("hf:") {
            return HubFile::parse(file)
                .map(Self::Hub)
                .map_err(|reason| WeightsError::Name {
                    name: name.to_owned(),
                    reason,
                });
        }
        let is_path = name.contains(['/', '\\']) || name.ends_with(".gguf");
        if is_path {
            return Ok(Self::Path(name.into()));
        }
        Err(WeightsError::Name {
            name: name.to_owned(),
            reason: "the catalogue does not have it, and it is no path",
        })
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(entry) => f.write_str(entry.name),
            Self::Path(path) => path.display().fmt(f),
            Self::Hub(file) => file.fmt(f),
        }
    }
}

impl fmt::Display for HubFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hf:{}/{}@{}", self.repo, self.file, self.revision)
    }
}

impl HubFile {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let (path, revision) = text.rsplit_once('@').unwrap_or((text, NEWEST));
        let mut parts = path.splitn(3, '/');
        let (Some(owner), Some(repo), Some(file)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err("it must have an owner, a repository and a file");
        };
        for part in path.split('/').chain(revision.split('/')) {
            if part.is_empty() || part == "." || part == ".." {
                return Err("a part of it is empty or made of dots");
            }
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.+ ".contains(c);
            if !part.chars().all(is_plain) {
                return Err("it has a character that names on the hub do not have");
            }
        }
        Ok(Self {
            repo: format!("{owner}/{repo}"),
            file: file.to_owned(),
            revision: revision.to_owned(),
        })
    }

    /// What follows the last dot of its name, if it looks like that.
    pub(super) fn extension(&self) -> &str {
        let after = self.file.rsplit_once('.').map(|(_, after)| after);
        let is_plain = |text: &&str| {
            (1..=12).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
        };
        after.filter(is_plain).unwrap_or("bin")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_hub_may_lie_in_folders_and_has_a_revision() {
        let Weights::Hub(file) = "hf:o/r/a/b.gguf".parse().unwrap() else {
            panic!("not of the hub");
        };
        assert_eq!(file.repo, "o/r");
        assert_eq!(file.file, "a/b.gguf");
        assert_eq!(file.revision, "main");
        assert_eq!(file.extension(), "gguf");
        let Weights::Hub(file) = "hf:o/r/b@refs/pr/1".parse().unwrap() else {
            panic!("not of the hub");
        };
        assert_eq!(file.revision, "refs/pr/1");
        assert_eq!(file.extension(), "bin");
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in [
            "large", "", "hf:o/r", "hf:o/r/", "hf:o//f", "hf:o/r/../f", "hf:o/r/f?x=1",
            "hf:o/r/f#x", "hf:u:p@h/r/f", "hf:o/r/f@", "hf:o/r/f@..",
        ] {
            let error = name.parse::<Weights>().unwrap_err();
            assert_eq!(error.code(), "SS3414", "{name}");
        }
    }
}
