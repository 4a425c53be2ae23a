//! The project's file: found from below, read once, and in force only with the consent that it needs.

use std::{
    fs::{File, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};
use superstep_text::hex;

use super::{ConfigFile, MAX_BYTES, PROJECT_FILE, Reason, Scope, consent, file};
use crate::{
    error::{ErrorKind, ModelError},
    spec::Spec,
};

/// The project's file, whether it is in force or not.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectFile {
    /// Where it was found.
    pub path: PathBuf,
    /// The same path with all links followed: what a consent is bound to.
    pub canonical: PathBuf,
    /// The same path with the links of its folder followed, but not its own: what is ignored stays
    /// ignored if a link takes its place.
    pub place: PathBuf,
    /// The SHA-256 of its content, in hexadecimal: what a consent is bound to as well.
    pub digest: String,
    /// Why it needs a consent; it needs none if this is empty.
    pub reasons: Vec<Reason>,
    /// Whether it has the consent.
    pub trust: Trust,
    /// What it says; absent if it cannot be read.
    pub settings: Option<ConfigFile>,
    /// Why it cannot be read.
    pub fault: Option<ErrorKind>,
}

/// Whether a project's file has the consent that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It needs none.
    NotNeeded,
    /// It has it.
    Given,
    /// Nobody decided.
    Missing,
    /// It was trusted, and was changed since.
    Changed,
    /// The user does not want it to be used.
    Ignored,
}

/// What the user decided about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is trusted as long as its content has this digest.
    Trusted {
        /// The SHA-256 of the content.
        digest: String,
    },
    /// It is not used, whatever is in it.
    Ignored,
}

impl Trust {
    /// Whether what the file says counts.
    pub fn is_in_force(self) -> bool {
        matches!(self, Self::NotNeeded | Self::Given)
    }
}

impl ProjectFile {
    /// The file of a folder: the one in it, or in the nearest folder above that has one.
    pub fn find(folder: &Path) -> Result<Option<Self>, ModelError> {
        for above in folder.ancestors() {
            let found = Self::read(&above.join(PROJECT_FILE))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The file at a path, if there is one, before anything is known of a consent.
    pub fn read(path: &Path) -> Result<Option<Self>, ModelError> {
        let failed =
            |error: io::Error| ModelError::settings(format!("{}: {error}", path.display()));
        let link = match std::fs::symlink_metadata(path) {
            Err(error) if is_absent(&error) => return Ok(None),
            found => found.map_err(failed)?,
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let place = folder.canonicalize().map_err(failed)?;
        let place = place.join(path.file_name().unwrap_or_default());
        let canonical = match path.canonicalize() {
            Err(error) if is_absent(&error) => return Ok(None),
            // A link that leads to itself.
            Err(_) => place.clone(),
            Ok(found) => found,
        };
        let mut reasons = Vec::new();
        if link.is_symlink() {
            let target = canonical.display();
            reasons.push(Reason::of_file(format!("it is a link to {target}")));
        }
        let folder = std::fs::metadata(folder).map_err(failed)?;
        let about = std::fs::metadata(path);
        if let Ok(about) = &about {
            reasons.extend(owners::reasons("it", "to it", about));
        }
        reasons.extend(owners::reasons("its folder", "to its folder", &folder));
        let is_own = reasons.is_empty();
        let mut found = Self {
            path: path.to_owned(),
            canonical,
            place,
            digest: String::new(),
            reasons,
            trust: Trust::Missing,
            settings: None,
            fault: None,
        };
        let bytes = about.and_then(|about| content(path, &about));
        let read = bytes.map_err(failed).and_then(|bytes| {
            found.digest = hex(&Sha256::digest(&bytes));
            let text = String::from_utf8(bytes).map_err(|error| failed(io::Error::other(error)))?;
            file::parse(path, Scope::Project, &text)
        });
        match read {
            Ok(settings) => {
                found.reasons.extend(consent::reasons(&settings));
                found.settings = Some(settings);
            }
            Err(error) => {
                // Commands that take nothing from somebody else's file continue.
                if !is_own {
                    found.reasons.push(Reason::of_file(match error.kind() {
                        ErrorKind::Settings { why } => why.clone(),
                        _ => error.to_string(),
                    }));
                }
                found.fault = Some(error.kind().clone());
            }
        }
        Ok(Some(found))
    }

    /// What a decision about a path is kept under: its SHA-256.
    pub fn id(path: &Path) -> String {
        hex(&Sha256::digest(path.as_os_str().as_encoded_bytes()))
    }

    /// The paths that its models name outside of its folder. No consent makes up for them.
    pub fn outside(&self) -> Vec<ModelError> {
        let settings = self.settings.iter();
        let models = settings.flat_map(|file| file.model.iter().chain(file.models.values()));
        let mut all = Vec::new();
        for setting in models {
            let named = setting.value.parse::<Spec>().map(|spec| spec.files());
            for written in named.unwrap_or_default() {
                all.extend(setting.path(&written).err());
            }
        }
        all
    }

    /// The file with what the user decided about it.
    #[must_use]
    pub fn decided(mut self, decision: Option<&Decision>) -> Self {
        self.trust = match decision {
            Some(Decision::Ignored) => Trust::Ignored,
            _ if self.reasons.is_empty() => Trust::NotNeeded,
            Some(Decision::Trusted { digest }) if *digest == self.digest => Trust::Given,
            Some(Decision::Trusted { .. }) => Trust::Changed,
            None => Trust::Missing,
        };
        self
    }

    /// What it says, once it is in force; the error if it makes no sense.
    pub fn in_force(&self) -> Result<Option<ConfigFile>, ModelError> {
        match &self.fault {
            Some(fault) => Err(fault.clone().into()),
            None => Ok(self.settings.clone()),
        }
    }

    /// The error of somebody who needs a key of the file, where it has no consent.
    pub(crate) fn untrusted(&self, needed: &str) -> ModelError {
        let mut reasons = self.reasons.iter();
        let own = reasons.find(|it| it.key.as_deref() == Some(needed));
        let why = match own.or(self.reasons.first()) {
            Some(Reason { key, line, what }) => match (key, line) {
                (Some(key), Some(line)) => format!("`{key}` (line {line}) {what}"),
                _ => format!("{what}, and it sets `{needed}`"),
            },
            None => format!("it sets `{needed}`"),
        };
        let why = match self.trust {
            Trust::Changed => format!("{why}; it was changed since you trusted it"),
            _ => why,
        };
        ErrorKind::Untrusted {
            file: self.path.display().to_string(),
            why,
        }
        .into()
    }
}

/// The bytes of a regular file that is not too large.
fn content(path: &Path, about: &Metadata) -> io::Result<Vec<u8>> {
    // A pipe would block.
    if !about.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    let mut limited = File::open(path)?.take(MAX_BYTES + 1);
    limited.read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_BYTES) {
        return Err(io::Error::other(format!("larger than {MAX_BYTES} bytes")));
    }
    Ok(bytes)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(unix)]
mod owners {
    use std::{fs::Metadata, os::unix::fs::MetadataExt};

    use super::Reason;

    /// Why a file or a folder is not the user's alone.
    pub(super) fn reasons(what: &str, to: &str, about: &Metadata) -> Vec<Reason> {
        let user = rustix::process::geteuid().as_raw();
        not_own(what, to, (about.uid(), about.mode()), user)
    }

    pub(super) fn not_own(
        what: &str,
        to: &str,
        (owner, mode): (u32, u32),
        user: u32,
    ) -> Vec<Reason> {
        let mut all = Vec::new();
        if owner != user {
            let why = format!("{what} belongs to another user (uid {owner})");
            all.push(Reason::of_file(why));
        }
        if mode & 0o022 != 0 {
            let why = format!("others can write {to} (mode {:o})", mode & 0o7777);
            all.push(Reason::of_file(why));
        }
        all
    }
}

#[cfg(not(unix))]
mod owners {
    use std::fs::Metadata;

    use super::Reason;

    pub(super) fn reasons(_: &str, _: &str, _: &Metadata) -> Vec<Reason> {
        Vec::new()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::owners::not_own;

    #[test]
    fn only_what_nobody_else_can_write_is_the_users_own() {
        let why = |owner, mode| {
            let all = not_own("it", "to it", (owner, mode), 1000);
            let message: Vec<String> = all.into_iter().map(|reason| reason.what).collect();
            message.join("; ")
        };
        for mode in [0o100_644, 0o100_600, 0o40_755] {
            assert_eq!(why(1000, mode), "");
        }
        assert_eq!(why(0, 0o100_644), "it belongs to another user (uid 0)");
        assert_eq!(
            why(1001, 0o100_600),
            "it belongs to another user (uid 1001)"
        );
        assert_eq!(why(1000, 0o100_664), "others can write to it (mode 664)");
        assert_eq!(why(1000, 0o100_602), "others can write to it (mode 602)");
        assert_eq!(
            why(0, 0o41_777),
            "it belongs to another user (uid 0); others can write to it (mode 1777)"
        );
    }
}
