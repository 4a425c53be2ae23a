//! Where a provider's key is. The key itself is read when it is needed, and not kept.

use std::{fmt, path::PathBuf, process::Command};

use crate::{
    Secret,
    config::Origin,
    error::{ErrorKind, ModelError},
};

/// Where a key is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Key {
    /// There is none, or none is to be sent.
    #[default]
    None,
    /// In a variable.
    Env(String),
    /// In a file that only its owner can read.
    File {
        /// Which.
        path: PathBuf,
        /// Where that was set.
        origin: Origin,
    },
    /// What a command prints.
    Command {
        /// The command, for the shell.
        line: String,
        /// Where that was set.
        origin: Origin,
    },
}

/// A file with a key is not larger than that.
const MOST: u64 = 64 << 10;

impl Key {
    /// Reads the key.
    pub fn read(&self, provider: &str) -> Result<Option<Secret>, ModelError> {
        let refused = |message: String| -> ModelError {
            ErrorKind::Auth {
                provider: provider.to_owned(),
                message,
            }
            .into()
        };
        let text = match self {
            Self::None => return Ok(None),
            Self::Env(name) => {
                std::env::var(name).map_err(|_| refused(format!("there is no key in ${name}")))?
            }
            Self::File { path, origin } => {
                let because =
                    |why: String| refused(format!("{} ({origin}): {why}", path.display()));
                let about = std::fs::metadata(path).map_err(|error| because(error.to_string()))?;
                // A pipe would be waited for.
                if !about.is_file() {
                    return Err(because("it is not a regular file".into()));
                }
                if about.len() > MOST {
                    return Err(because(format!("it has more than {MOST} bytes")));
                }
                private(&about).map_err(because)?;
                std::fs::read_to_string(path).map_err(|error| because(error.to_string()))?
            }
            Self::Command { line, origin } => {
                let because = |why: String| refused(format!("`key_cmd` at {origin} {why}"));
                let ran = Command::new("sh")
                    .args(["-c", line])
                    .stdin(std::process::Stdio::null())
                    .output()
                    .map_err(|error| because(format!("did not run: {error}")))?;
                // What it printed may hold the key, so it is not reported.
                if !ran.status.success() {
                    return Err(because(format!("failed: {}", ran.status)));
                }
                String::from_utf8(ran.stdout).map_err(|_| because("printed no text".into()))?
            }
        };
        match text.trim() {
            "" => Err(refused(format!("the key from {self} is empty"))),
            key => Ok(Some(Secret::new(key))),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("no key"),
            Self::Env(name) => write!(f, "${name}"),
            Self::File { path, .. } => write!(f, "{}", path.display()),
            Self::Command { origin, .. } => write!(f, "the command at {origin}"),
        }
    }
}

#[cfg(unix)]
fn private(about: &std::fs::Metadata) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = about.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(format!(
            "others can read it (mode {mode:03o}); `chmod 600` it"
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
fn private(_: &std::fs::Metadata) -> Result<(), String> {
    Ok(())
}
