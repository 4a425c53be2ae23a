//! A model that was chosen: everything needed to open it.

use std::path::PathBuf;

use superstep_text::Redactor;

use super::{calls::CallSettings, environment::Environment, key::Key};
use crate::{
    config::Origin,
    did_you_mean,
    error::{ErrorKind, ModelError},
    model::Model,
    model_id::ModelId,
    spec::{Api, CassetteMode, CassetteSpec, Known, Spec, host, is_loopback},
};

/// A model that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The model. Its name is absent if the server is to be asked which one it has.
    pub spec: Spec,
    /// What is spoken with it, if it is reached over HTTP.
    pub api: Option<Api>,
    /// Its address, if it is reached over HTTP.
    pub base: Option<String>,
    /// Where its key is.
    pub key: Key,
    /// Why it was chosen.
    pub origin: Origin,
    /// The recording it names, and the model that is recorded.
    pub cassette: Option<(CassetteSpec, Option<Box<Choice>>)>,
    /// The file it names: a script, or weights.
    pub file: Option<PathBuf>,
    /// How it is called.
    pub calls: CallSettings,
}

/// The name in full, where somebody wrote only that of a model: providers name their models alike.
fn named_without_provider(spec: &Spec) -> Option<String> {
    const FAMILIES: [(&str, &str); 12] = [
        ("gpt-", "openai"),
        ("chatgpt-", "openai"),
        ("o1", "openai"),
        ("o3", "openai"),
        ("o4", "openai"),
        ("claude-", "anthropic"),
        ("gemini-", "gemini"),
        ("mistral-", "mistral"),
        ("grok-", "xai"),
        ("deepseek-", "deepseek"),
        ("default", "local"),
        ("tiny", "local"),
    ];
    let whole = spec.to_string();
    // Names of Ollama have a size behind a colon.
    if spec.name.is_some() && spec.base.is_none() {
        let is_size =
            |text: &str| text.ends_with('b') && text.starts_with(|c: char| c.is_ascii_digit());
        return spec
            .name
            .as_deref()
            .filter(|name| is_size(name))
            .map(|_| format!("ollama:{whole}"));
    }
    let family = FAMILIES.iter().find(|(start, _)| whole.starts_with(start));
    family.map(|(_, provider)| format!("{provider}:{whole}"))
}

impl Environment {
    /// The model of a name that was written at `origin`. Fails if this program cannot open it, or must not.
    pub fn choice(&self, name: &str, origin: Origin) -> Result<Choice, ModelError> {
        let spec: Spec = name
            .parse()
            .map_err(|error: ModelError| match error.kind() {
                ErrorKind::Settings { why } => ModelError::settings(format!("{origin}: {why}")),
                _ => error,
            })?;
        Choice::of(spec, origin, self)
    }
}

impl Choice {
    /// Fills in what a name leaves open. Fails if this program cannot open it, or must not.
    pub(super) fn of(
        spec: Spec,
        origin: Origin,
        environment: &Environment,
    ) -> Result<Self, ModelError> {
        let names = environment.providers.iter().map(String::as_str);
        if !environment.providers.contains(&spec.provider) {
            let hint = did_you_mean::hint(&spec.provider, names);
            let provider = &spec.provider;
            let why = match provider.as_str() {
                "local" => "this program was built without the local model".into(),
                name if Known::named(name).is_some() => {
                    "this program was built without the feature `remote`".into()
                }
                _ => match named_without_provider(&spec) {
                    Some(meant) => {
                        format!("`{provider}` is no provider; did you mean `{meant}`?")
                    }
                    None if !hint.is_empty() => {
                        format!("there is no provider `{provider}`{hint}")
                    }
                    None => {
                        let all: Vec<&str> =
                            environment.providers.iter().map(String::as_str).collect();
                        let all = all.join(", ");
                        format!("there is no provider `{provider}`; there are {all}")
                    }
                },
            };
            return Err(ModelError::settings(format!("`{spec}` ({origin}): {why}")));
        }
        let known = Known::named(&spec.provider);
        let settings = environment.config.provider(&spec.provider);
        let set = settings.and_then(|settings| settings.base_url.as_ref());
        let base = match &spec.base {
            Some(base) => Some(base.clone()),
            None => base_of_env(known, environment)?,
        };
        let base = base.or_else(|| set.map(|setting| setting.value.clone()));
        let base = base.or_else(|| known.map(|known| known.base.to_owned()));
        let usual = known.and_then(|known| environment.vars.get(known.model_env?));
        let usual = usual.cloned();
        let set = settings.and_then(|settings| settings.model.as_ref());
        let usual = usual.or_else(|| set.map(|setting| setting.value.clone()));
        let usual = usual.or_else(|| {
            let own = known.filter(|known| Some(known.base) == base.as_deref());
            own.and_then(|known| known.model).map(str::to_owned)
        });
        let cassette = match spec.cassette()? {
            None => None,
            Some(mut cassette) => {
                cassette.file = origin.path(&cassette.file.to_string_lossy())?;
                let of = match &cassette.mode {
                    CassetteMode::Replay => None,
                    CassetteMode::Record(model) | CassetteMode::Auto(model) => {
                        let model = Self::of(model.clone(), origin.clone(), environment)?;
                        Some(Box::new(model))
                    }
                };
                Some((cassette, of))
            }
        };
        let file = match (spec.provider.as_str(), spec.name.as_deref()) {
            ("script", Some(name)) => Some(origin.path(name)?),
            ("local", None | Some("default")) => environment.weights.get("default").cloned(),
            ("local", Some("tiny")) => environment.weights.get("tiny").cloned(),
            ("local", Some(path)) => Some(origin.path(path)?),
            _ => None,
        };
        let choice = Self {
            api: known.map(|known| known.api),
            key: key(&spec, &origin, known, environment),
            calls: CallSettings::of(&environment.config, &spec.provider),
            base,
            cassette,
            file,
            spec: Spec {
                name: spec.name.or(usual),
                ..spec
            },
            origin,
        };
        match (&environment.offline, choice.leaves()) {
            (Some(_), Some(host)) => Err(ErrorKind::Offline { host }.into()),
            _ => Ok(choice),
        }
    }

    /// The host that content goes to, if it leaves this machine.
    pub fn leaves(&self) -> Option<String> {
        if let Some((_, Some(recorded))) = &self.cassette {
            return recorded.leaves();
        }
        let base = self.base.as_deref()?;
        (!is_loopback(base)).then(|| match host(base) {
            Some(host) => host.to_owned(),
            // It may hold a password.
            None => Redactor::standard().text(base).into_owned(),
        })
    }

    /// The line that says which model answers, for people.
    pub fn banner(&self, model: &dyn Model) -> String {
        let id = model.id();
        let from = &self.origin;
        match (self.spec.provider.as_str(), &self.cassette) {
            ("script", _) => format!("model: {id} · scripted · {from}"),
            (_, Some((cassette, None))) => {
                let file = cassette.file.display();
                format!("model: {id} · replayed from {file} · {from}")
            }
            (_, Some((cassette, Some(of)))) => {
                let file = cassette.file.display();
                format!("model: {id} · recorded to {file} · {} · {from}", of.place())
            }
            ("local", _) => {
                let ModelId { name, .. } = id;
                format!(
                    "model: embedded {name} · CPU · small model, check its work (set \
                     ANTHROPIC_API_KEY or OPENAI_API_KEY for a stronger one) · {from}"
                )
            }
            _ => format!("model: {id} · {} · {from}", self.place()),
        }
    }

    fn place(&self) -> String {
        match (self.leaves(), &self.base) {
            (Some(host), _) => host,
            (None, Some(base)) => format!("{base}, this machine"),
            (None, None) => "this machine".into(),
        }
    }
}

/// The address in the variable of a provider, if it is set.
fn base_of_env(
    known: Option<&Known>,
    environment: &Environment,
) -> Result<Option<String>, ModelError> {
    let variable = known.and_then(|known| known.base_env);
    let said = variable.and_then(|name| Some((name, environment.vars.get(name)?)));
    match said {
        Some((_, base)) if host(base).is_some() => Ok(Some(base.trim_end_matches('/').to_owned())),
        Some((name, base)) if !base.is_empty() => {
            let base = Redactor::standard().text(base);
            Err(ModelError::settings(format!(
                "${name}: `{base}` is no address"
            )))
        }
        _ => Ok(None),
    }
}

/// Where the key is. A project may name a model, but an address of its choosing gets no key of the
/// user's.
fn key(spec: &Spec, origin: &Origin, known: Option<&Known>, environment: &Environment) -> Key {
    if origin.is_project() && spec.base.is_some() {
        return Key::None;
    }
    let settings = environment.config.provider(&spec.provider);
    if let Some(settings) = settings {
        if let Some(name) = &settings.key_env {
            return Key::Env(name.value.clone());
        }
        if let Some(file) = &settings.key_file {
            return Key::File {
                path: file.value.clone(),
                origin: file.origin.clone(),
            };
        }
        if let Some(command) = &settings.key_cmd {
            return Key::Command {
                line: command.value.clone(),
                origin: command.origin.clone(),
            };
        }
    }
    match known.and_then(|known| known.key_env) {
        Some(name) if environment.keys.contains(name) => Key::Env(name.to_owned()),
        _ => Key::None,
    }
}
