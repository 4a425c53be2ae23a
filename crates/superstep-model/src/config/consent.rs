//! What a project's file asks for that needs the user's consent: everything by which content leaves the
//! process, or a file is written, or something of the project is run.
//!
//! Scripts and recordings that are only played need none, nor do prompts and plain values: they are
//! data of the project, and paths never lead out of its folder.

use serde_json::Value as Json;

use super::{ConfigFile, Origin, Setting};
use crate::spec::{CassetteMode, Known, Spec, host};

/// Why a project's file needs a consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The key; absent if it is about the file itself.
    pub key: Option<String>,
    /// The line of the key.
    pub line: Option<usize>,
    /// What the key does, or what is wrong with the file.
    pub what: String,
}

impl Reason {
    pub(super) fn of_file(what: impl Into<String>) -> Self {
        Self {
            key: None,
            line: None,
            what: what.into(),
        }
    }
}

/// What the content of a file asks for, in the order of its lines.
pub(super) fn reasons(file: &ConfigFile) -> Vec<Reason> {
    let mut all = Vec::new();
    for setting in file.model.iter().chain(file.models.values()) {
        // A name that makes no sense is an error where it is used.
        let named: Result<Spec, _> = setting.value.parse();
        let effect = named.ok().and_then(|spec| effect(&spec));
        all.extend(effect.map(|what| reason(setting, what)));
    }
    for setting in file.agents.values().flat_map(|agent| agent.values()) {
        let named = addresses(&setting.value);
        all.extend(
            named
                .iter()
                .map(|url| reason(setting, format!("names the address {url}"))),
        );
    }
    all.sort_by_key(|reason| reason.line);
    all
}

fn reason<T>(setting: &Setting<T>, what: String) -> Reason {
    let (key, line) = match &setting.origin {
        Origin::File { key, line, .. } => (Some(key.clone()), Some(*line)),
        _ => (None, None),
    };
    Reason { key, line, what }
}

/// What the use of a model does besides computing a reply from files that are only read.
fn effect(spec: &Spec) -> Option<String> {
    let cassette = spec.cassette().ok().flatten();
    if let Some(cassette) = cassette {
        let of = match &cassette.mode {
            CassetteMode::Replay => return None,
            CassetteMode::Record(of) | CassetteMode::Auto(of) => of,
        };
        let file = cassette.file.display();
        let more = effect(of).map(|what| format!(", and {what}"));
        return Some(format!(
            "writes what is asked and answered to {file}{}",
            more.unwrap_or_default()
        ));
    }
    if let Some(base) = &spec.base {
        return Some(format!("sends content to {base}"));
    }
    match (spec.provider.as_str(), spec.name.as_deref()) {
        ("script", _) | ("local", None | Some("default" | "tiny")) => None,
        ("local", Some(file)) => Some(format!("runs a model of the project, {file}")),
        (name, _) => {
            let known = Known::named(name).and_then(|known| host(known.base));
            Some(match known {
                Some(host) => {
                    format!("sends content to {name} ({host}), with your key if it has one")
                }
                None => format!("sends content to the provider {name}"),
            })
        }
    }
}

/// The texts of a value that are addresses. What a key of an agent means is not known here.
fn addresses(value: &Json) -> Vec<&str> {
    match value {
        Json::String(text) if text.contains("://") => vec![text],
        Json::Array(items) => items.iter().flat_map(addresses).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::{Config, Scope};

    fn asked(text: &str) -> Vec<(String, String)> {
        let file = Config::parse(Path::new("superstep.toml"), Scope::Project, text).unwrap();
        let message = |reason: Reason| (reason.key.unwrap_or_default(), reason.what);
        reasons(&file).into_iter().map(message).collect()
    }

    #[test]
    fn what_stays_in_the_process_needs_no_consent() {
        for text in [
            "",
            "offline = true",
            "model = \"script:s.jsonl\"",
            "model = \"local\"",
            "model = \"local:tiny\"",
            "model = \"cassette:t.jsonl\"",
            "[agents.archie]\nkeywords = [\"done\"]\n[agents.archie.prompts]\nfinal = \"f.md\"",
        ] {
            assert_eq!(asked(text), [], "{text}");
        }
    }

    #[test]
    fn what_leaves_the_process_is_named_with_its_key() {
        for (model, what) in [
            (
                "openai@http://127.0.0.1:1/v1:m",
                "sends content to http://127.0.0.1:1/v1",
            ),
            (
                "anthropic",
                "sends content to anthropic (api.anthropic.com), with your key if it has one",
            ),
            (
                "ollama:m",
                "sends content to ollama (127.0.0.1), with your key if it has one",
            ),
            ("mine:m", "sends content to the provider mine"),
            ("local:w.gguf", "runs a model of the project, w.gguf"),
            (
                "cassette:t?record=script:s",
                "writes what is asked and answered to t",
            ),
            (
                "cassette:t?auto=openai@https://x.example/v1:m",
                "writes what is asked and answered to t, and sends content to https://x.example/v1",
            ),
        ] {
            let expected = [("model".to_owned(), what.to_owned())];
            assert_eq!(asked(&format!("model = \"{model}\"")), expected);
            let expected = [("models.triage".to_owned(), what.to_owned())];
            let text = format!("[models]\ntriage = \"{model}\"");
            assert_eq!(asked(&text), expected);
        }
        let text = "[agents.mine.tools]\nservers = [\"https://x.example/mcp\", \"plain\"]";
        let what = "names the address https://x.example/mcp".to_owned();
        assert_eq!(
            asked(text),
            [("agents.mine.tools.servers".to_owned(), what)]
        );
    }
}
