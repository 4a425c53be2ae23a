//! The key and the token are taken out of whatever a host says, also in the forms that a host may give them:
//! as addresses write them, in other letters, in base64.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use serde_json::Value as Json;
use superstep::{Secret, http::Url, text::Redactor};

use crate::{error::Error, settings::ClientSettings};

/// The shortest form that is looked for: shorter ones are found in ordinary text.
const SHORTEST: usize = 8;

/// Finds the key and the token.
pub(super) fn redactor(settings: &ClientSettings) -> Result<Redactor, Error> {
    let known = [
        ("the API key", &settings.api_key),
        ("the token", &settings.token),
    ];
    let mut redactor = Redactor::default();
    for (what, secret) in known {
        let Some(secret) = secret else { continue };
        let add = |redactor: Redactor, secret: &Secret| {
            let added = redactor.with_secret(secret);
            added.map_err(|error| Error::Settings {
                why: format!("{what}: {error}"),
            })
        };
        redactor = add(redactor, secret)?;
        for form in forms(secret.expose()) {
            redactor = add(redactor, &Secret::from(form))?;
        }
    }
    Ok(redactor)
}

/// Other forms of a secret, each once.
fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_lowercase(), secret.to_uppercase()];
    let written = Url::parse_with_params("http://localhost/", [("", secret)]);
    let written = written.ok();
    let written = written
        .as_ref()
        .and_then(|url| url.query()?.strip_prefix('='));
    forms.extend(written.map(str::to_owned));
    for text in [secret.to_owned(), secret.to_lowercase()] {
        for before in 0..3 {
            let bytes = [vec![0; before], text.clone().into_bytes()].concat();
            let own = own_digits(before, bytes.len());
            for whole in [
                STANDARD_NO_PAD.encode(&bytes),
                URL_SAFE_NO_PAD.encode(&bytes),
            ] {
                forms.extend(whole.get(own.clone()).map(str::to_owned));
            }
        }
    }
    forms.retain(|form| form.len() >= SHORTEST && form != secret);
    forms.sort();
    forms.dedup();
    forms
}

/// Which base64 digits depend on the bytes behind so many others alone, and not on what may follow.
fn own_digits(before: usize, bytes: usize) -> std::ops::Range<usize> {
    (before * 8).div_ceil(6)..bytes * 8 / 6
}

/// A reply without the key and the token, before any text of it is cut.
pub(super) fn without_secrets(value: Json, redactor: &Redactor) -> Json {
    match value {
        Json::String(text) => redactor.text(&text).into_owned().into(),
        Json::Array(items) => {
            let items = items.into_iter();
            items.map(|item| without_secrets(item, redactor)).collect()
        }
        Json::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| {
                let name = redactor.text(&name).into_owned();
                (name, without_secrets(value, redactor))
            });
            Json::Object(fields.collect())
        }
        plain => plain,
    }
}
