//! The key and the token are taken out of whatever a host says, also in the forms that a host may give them:
//! as addresses write them, in other letters, in base64, in hexadecimal digits, with other characters between.

use std::sync::Arc;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use serde_json::Value as Json;
use superstep::{Secret, http::Url, text::Redactor};

use crate::{error::Error, settings::ClientSettings};

/// The shortest form that is looked for: shorter ones are found in ordinary text.
const SHORTEST: usize = 8;

/// How often an address may be written as part of another one.
const MOST_NESTED: usize = 5;

/// What stands for a text that hides the key or the token in a way that cannot be cut out of it.
const HIDDEN: &str = "[redacted]";

/// Takes the key and the token out of texts.
#[derive(Debug)]
pub(super) struct Secrets {
    pub(super) redactor: Arc<Redactor>,
    /// The letters and digits of what is looked for, in small letters.
    bare: Vec<Secret>,
}

impl Secrets {
    pub(super) fn of(settings: &ClientSettings) -> Result<Self, Error> {
        let known = [&settings.api_key, &settings.token];
        let known = known.into_iter().flatten();
        let mut found: Vec<String> = known
            .flat_map(|secret| {
                let secret = secret.expose();
                [forms(secret), hexadecimal(secret), vec![secret.to_owned()]].concat()
            })
            .map(|form| bare(&form))
            .filter(|form| form.len() >= SHORTEST)
            .collect();
        found.sort();
        found.dedup();
        Ok(Self {
            redactor: Arc::new(redactor(settings)?),
            bare: found.into_iter().map(Secret::from).collect(),
        })
    }

    /// A text without them. One that has them in pieces, or written in a way of its own, is dropped as a
    /// whole.
    pub(super) fn text(&self, text: &str) -> String {
        let cut = self.redactor.text(text);
        let mut rest = cut.to_string();
        for _ in 0..MOST_NESTED {
            let letters = bare(&rest);
            if self.bare.iter().any(|it| letters.contains(it.expose())) {
                return HIDDEN.to_owned();
            }
            match unescaped(&rest) {
                Some(inner) => rest = inner,
                None => return cut.into_owned(),
            }
        }
        // Nobody writes an address so deep who has nothing to hide.
        HIDDEN.to_owned()
    }
}

/// The letters and digits of a text, in small letters.
fn bare(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// A text without the escapes of addresses; nothing if it has none.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let mut is_escaped = false;
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                is_escaped = true;
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    is_escaped.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// A secret in hexadecimal digits, also as programs escape them.
fn hexadecimal(secret: &str) -> Vec<String> {
    let with = |before: &str| {
        let byte = |byte: u8| format!("{before}{byte:02x}");
        secret.bytes().map(byte).collect()
    };
    ["", "x", "0x", "u00"].map(with).to_vec()
}

/// Finds the key and the token.
fn redactor(settings: &ClientSettings) -> Result<Redactor, Error> {
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
pub(super) fn without_secrets(value: Json, secrets: &Secrets) -> Json {
    match value {
        Json::String(text) => secrets.text(&text).into(),
        Json::Array(items) => {
            let items = items.into_iter();
            items.map(|item| without_secrets(item, secrets)).collect()
        }
        Json::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| {
                let name = secrets.text(&name);
                (name, without_secrets(value, secrets))
            });
            Json::Object(fields.collect())
        }
        plain => plain,
    }
}
