//! Model specifications: `provider:name`, `provider@address:name`, or the provider alone.
//!
//! ```text
//! anthropic:claude-sonnet-4-5
//! openai@http://127.0.0.1:8080/v1:qwen3:8b     everything behind the address is the name
//! ollama:qwen3:8b
//! local:default   local:tiny   local:./weights.gguf
//! script:reply.jsonl
//! cassette:tape.jsonl   cassette:tape.jsonl?record=openai:gpt-5-mini   …?auto=…
//! ```

mod address;
mod provider;

use std::{fmt, path::PathBuf, str::FromStr};

pub use address::{host, is_loopback};
pub use provider::{Api, KNOWN, Known, USUAL_MODELS_AS_OF};

use superstep_text::Redactor;

use crate::error::ModelError;

/// A model by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// Whose: `openai`, `anthropic`, `local`, `script`, ...
    pub provider: String,
    /// Its address, where that is not the provider's own.
    pub base: Option<String>,
    /// Its name there; the provider's usual one if absent. A file for scripts and recordings.
    pub name: Option<String>,
}

/// A recording by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CassetteSpec {
    /// The file.
    pub file: PathBuf,
    /// What is done with it.
    pub mode: CassetteMode,
}

/// What is done with a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CassetteMode {
    /// It is played.
    Replay,
    /// It is made of this model.
    Record(Spec),
    /// It is played, and made of this model where it has no reply.
    Auto(Spec),
}

impl Spec {
    /// A model of a provider.
    pub fn new(provider: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            base: None,
            name: Some(name.into()),
        }
    }

    /// The files it names: a script, weights, a recording and those of the model it is of.
    pub(crate) fn files(&self) -> Vec<String> {
        if let Ok(Some(cassette)) = self.cassette() {
            let mut files = vec![cassette.file.to_string_lossy().into_owned()];
            if let CassetteMode::Record(of) | CassetteMode::Auto(of) = &cassette.mode {
                files.extend(of.files());
            }
            return files;
        }
        match (self.provider.as_str(), &self.name) {
            ("local", Some(tier)) if matches!(tier.as_str(), "default" | "tiny") => Vec::new(),
            ("script" | "local", Some(file)) => vec![file.clone()],
            _ => Vec::new(),
        }
    }

    /// The recording it names, if its provider is `cassette`.
    pub fn cassette(&self) -> Result<Option<CassetteSpec>, ModelError> {
        if self.provider != "cassette" {
            return Ok(None);
        }
        let Some(name) = &self.name else {
            return Err(ModelError::settings(
                "`cassette` needs a file: `cassette:FILE`",
            ));
        };
        let of = |text: &str| -> Result<Spec, ModelError> {
            let spec: Spec = text.parse()?;
            if spec.provider == "cassette" {
                return Err(ModelError::settings(format!(
                    "`{self}`: a recording of a recording"
                )));
            }
            Ok(spec)
        };
        let (file, mode) = match name.split_once('?') {
            None => (name.as_str(), CassetteMode::Replay),
            Some((file, option)) => match option.split_once('=') {
                Some(("record", model)) => (file, CassetteMode::Record(of(model)?)),
                Some(("auto", model)) => (file, CassetteMode::Auto(of(model)?)),
                _ => {
                    let why = "a recording takes `?record=MODEL` or `?auto=MODEL`";
                    return Err(ModelError::settings(format!("`{self}`: {why}")));
                }
            },
        };
        Ok(Some(CassetteSpec {
            file: file.into(),
            mode,
        }))
    }
}

impl FromStr for Spec {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        let text = text.trim();
        let bad = |why: &str| {
            let shown = Redactor::standard().text(text);
            ModelError::settings(format!("`{shown}` names no model: {why}"))
        };
        let end = text.find([':', '@']).unwrap_or(text.len());
        let (provider, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        let is_word =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        if provider.is_empty() || !provider.chars().all(is_word) {
            return Err(bad("it is `provider:name`"));
        }
        let (base, name) = match rest.strip_prefix('@') {
            None => (None, rest),
            Some(rest) if has_login(rest) => {
                return Err(bad(
                    "an address has no user and no password; keys are named in the settings",
                ));
            }
            Some(rest) => {
                let (base, name) = split_address(rest).ok_or_else(|| {
                    bad("behind `@` stands an address such as `http://127.0.0.1:8080/v1`")
                })?;
                (Some(base.trim_end_matches('/').to_owned()), name)
            }
        };
        let name = match name.strip_prefix(':') {
            None => None,
            Some("") => return Err(bad("the name is empty")),
            Some(name) => Some(name.to_owned()),
        };
        let spec = Self {
            provider: provider.to_owned(),
            base,
            name,
        };
        if matches!(provider, "script" | "cassette") && spec.name.is_none() {
            return Err(bad("a file must follow"));
        }
        spec.cassette()?;
        Ok(spec)
    }
}

/// Whether the host of an address stands behind a user. A name of a model may have an `@`, too, but no host or path after
/// it.
fn has_login(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else {
        return false;
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let Some((_, behind)) = authority.rsplit_once('@') else {
        return false;
    };
    let host = behind.split(':').next().unwrap_or_default();
    let is_name = host.contains('.') && host.contains(|c: char| c.is_ascii_alphabetic());
    is_name || host == "localhost" || authority.len() < rest.len()
}

/// The address a text begins with, and what is behind it. A colon and digits after the host are its
/// port; the next colon ends the address.
fn split_address(text: &str) -> Option<(&str, &str)> {
    let start = text.find("://")? + 3;
    let authority = text.get(start..)?;
    let host = match authority.strip_prefix('[') {
        Some(_) => authority.find(']')? + 1,
        None => authority.find([':', '/']).unwrap_or(authority.len()),
    };
    let mut end = start + host;
    if let Some(port) = text.get(end..)?.strip_prefix(':') {
        let digits = port
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(port.len());
        let ends = port.get(digits..)?;
        if digits > 0 && (ends.is_empty() || ends.starts_with([':', '/'])) {
            end += 1 + digits;
        }
    }
    let path = text.get(end..)?;
    if path.starts_with('/') {
        end += path.find(':').unwrap_or(path.len());
    }
    let (base, name) = text.split_at_checked(end)?;
    address::host(base).map(|_| (base, name))
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.provider)?;
        if let Some(base) = &self.base {
            write!(f, "@{base}")?;
        }
        if let Some(name) = &self.name {
            write!(f, ":{name}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_back() {
        for (text, provider, base, name) in [
            ("anthropic", "anthropic", None, None),
            ("openai:gpt-5-mini", "openai", None, Some("gpt-5-mini")),
            ("ollama:qwen3:8b", "ollama", None, Some("qwen3:8b")),
            (
                "openai@http://127.0.0.1:8080/v1:qwen3:8b",
                "openai",
                Some("http://127.0.0.1:8080/v1"),
                Some("qwen3:8b"),
            ),
            (
                "openai@http://127.0.0.1:8080:m",
                "openai",
                Some("http://127.0.0.1:8080"),
                Some("m"),
            ),
            (
                "openai@http://127.0.0.1:8080",
                "openai",
                Some("http://127.0.0.1:8080"),
                None,
            ),
            (
                "openai@https://x.example:m",
                "openai",
                Some("https://x.example"),
                Some("m"),
            ),
            (
                "anthropic@http://[::1]:9/v1:m",
                "anthropic",
                Some("http://[::1]:9/v1"),
                Some("m"),
            ),
            (
                "openai@https://x.example:m@20260101",
                "openai",
                Some("https://x.example"),
                Some("m@20260101"),
            ),
            ("local:./a b.gguf", "local", None, Some("./a b.gguf")),
        ] {
            let spec: Spec = text.parse().unwrap();
            let seen = (&*spec.provider, spec.base.as_deref(), spec.name.as_deref());
            assert_eq!(seen, (provider, base, name));
            assert_eq!(spec.to_string(), text);
        }
    }

    #[test]
    fn names_that_make_no_sense_are_refused() {
        for text in [
            "",
            ":x",
            "openai:",
            "Open AI:x",
            "openai@nowhere:x",
            "openai@http://user@host/v1:x",
            "openai@https://bob:hunter2@gw.example/v1:x",
            "openai@https://bob:hunter2@gw.example:x",
            "openai@https://bob:hunter2@localhost:8080",
            "script",
            "cassette",
            "cassette:a?play=x",
            "cassette:a?record=",
            "cassette:a?record=cassette:b",
        ] {
            let error = text.parse::<Spec>().unwrap_err();
            assert_eq!(error.code(), "SS5019", "{text}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_recording_names_its_model() {
        let spec: Spec = "cassette:t.jsonl?record=openai@http://127.0.0.1:1/v1:m"
            .parse()
            .unwrap();
        let cassette = spec.cassette().unwrap().unwrap();
        assert_eq!(cassette.file, PathBuf::from("t.jsonl"));
        let model = "openai@http://127.0.0.1:1/v1:m".parse().unwrap();
        assert_eq!(cassette.mode, CassetteMode::Record(model));
    }
}
