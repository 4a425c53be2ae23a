//! OAuth tokens: refresh and storage.
//!
//! A [`Token`] has the form that other programs write and read. [`Keys`] holds one, renews it
//! shortly before it ends or when the service refuses it, and writes what changed back to its
//! file: with the owner's rights alone, and whole or not at all.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use superstep::{
    Secret,
    fs::{Rights, Staged, read_text},
    http::Client,
};
use tokio::sync::Mutex;

use super::{fault::clean, http};
use crate::MailError;

/// A token is renewed when it has less than this left.
const EARLY: Duration = Duration::from_secs(120);

/// What a person is told who has to permit it again.
const AGAIN: &str = "log in again";

const PLACE: &str = "Google";

/// A permission, as it is stored.
#[derive(Clone, Debug)]
pub struct Token {
    /// What opens the account for about an hour.
    pub access: Option<Secret>,
    /// What gives another one.
    pub refresh: Option<Secret>,
    /// Where it gives it.
    pub token_uri: String,
    /// Which application was permitted.
    pub client_id: String,
    /// What the application shows to be it.
    pub client_secret: Secret,
    /// What it may do.
    pub scopes: Vec<String>,
    /// When the access ends; unknown is as good as over.
    pub expiry: Option<Timestamp>,
}

/// The form of the file.
#[derive(Deserialize, Serialize)]
struct Stored {
    #[serde(default)]
    token: Option<String>,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default = "token_uri")]
    token_uri: String,
    client_id: String,
    client_secret: String,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(default)]
    expiry: Option<String>,
}

fn token_uri() -> String {
    "https://oauth2.googleapis.com/token".into()
}

impl Token {
    /// Reads the form it is stored in.
    pub fn read(text: &str) -> Result<Self, MailError> {
        // The text is full of secrets: an error says where it is wrong, not what is there.
        let stored: Stored = serde_json::from_str(text).map_err(|error| MailError::Malformed {
            what: "the token".into(),
            why: format!("line {}, column {}", error.line(), error.column()),
        })?;
        Ok(Self {
            access: stored.token.map(Secret::from),
            refresh: stored.refresh_token.map(Secret::from),
            token_uri: stored.token_uri,
            client_id: stored.client_id,
            client_secret: stored.client_secret.into(),
            scopes: stored.scopes,
            expiry: stored.expiry.as_deref().and_then(time),
        })
    }

    /// The form it is stored in; it has all secrets in it.
    pub fn text(&self) -> Secret {
        let exposed = |secret: &Option<Secret>| secret.as_ref().map(|it| it.expose().to_owned());
        let stored = Stored {
            token: exposed(&self.access),
            refresh_token: exposed(&self.refresh),
            token_uri: self.token_uri.clone(),
            client_id: self.client_id.clone(),
            client_secret: self.client_secret.expose().to_owned(),
            scopes: self.scopes.clone(),
            expiry: self.expiry.map(|expiry| expiry.to_string()),
        };
        serde_json::to_string(&stored).unwrap_or_default().into()
    }

    fn usable(&self, now: Timestamp) -> Option<&Secret> {
        let ends = self.expiry?;
        let early = ends.checked_sub(EARLY).ok()?;
        self.access.as_ref().filter(|_| now < early)
    }
}

/// A time as several programs write it: with a zone, or in UTC without one.
fn time(text: &str) -> Option<Timestamp> {
    let zoned = text.parse::<Timestamp>();
    zoned.or_else(|_| format!("{text}Z").parse()).ok()
}

/// Holds a permission and keeps it fresh.
#[derive(Debug)]
pub struct Keys {
    token: Mutex<Token>,
    file: Option<PathBuf>,
}

/// A file with a permission is not larger than that.
const MOST: u64 = 64 << 10;

impl Keys {
    /// A permission that is not stored.
    pub fn new(token: Token) -> Self {
        Self {
            token: Mutex::new(token),
            file: None,
        }
    }

    /// The permission in a file, to which it is written back.
    pub fn open(file: &Path) -> Result<Self, MailError> {
        let text = read_text(file, MOST).map_err(|error| MailError::Auth {
            place: PLACE.into(),
            why: format!("{} cannot be read ({error}); {AGAIN}", file.display()),
        })?;
        Ok(Self {
            token: Mutex::new(Token::read(&text)?),
            file: Some(file.to_owned()),
        })
    }

    /// The permission in the variable `GMAIL_TOKEN`, which is not written back.
    pub fn from_env() -> Result<Self, MailError> {
        let text = std::env::var("GMAIL_TOKEN").map_err(|_| MailError::Auth {
            place: PLACE.into(),
            why: format!("GMAIL_TOKEN is not set; {AGAIN}"),
        })?;
        Ok(Self::new(Token::read(&text)?))
    }

    /// Stores a permission in a file and holds it.
    pub fn store(token: Token, file: &Path) -> Result<Self, MailError> {
        write(&token, file)?;
        Ok(Self {
            token: Mutex::new(token),
            file: Some(file.to_owned()),
        })
    }

    /// What opens the account now.
    pub(super) async fn current(&self, client: &Client) -> Result<Secret, MailError> {
        let mut token = self.token.lock().await;
        if let Some(access) = token.usable(Timestamp::now()) {
            return Ok(access.clone());
        }
        self.renew(client, &mut token).await
    }

    /// Another one, for one that was refused. Whoever comes second gets what the first one got.
    pub(super) async fn renewed(
        &self,
        client: &Client,
        refused: &Secret,
    ) -> Result<Secret, MailError> {
        let mut token = self.token.lock().await;
        if let Some(access) = token.usable(Timestamp::now())
            && access.expose() != refused.expose()
        {
            return Ok(access.clone());
        }
        self.renew(client, &mut token).await
    }

    async fn renew(&self, client: &Client, token: &mut Token) -> Result<Secret, MailError> {
        let Some(refresh) = &token.refresh else {
            return Err(MailError::Auth {
                place: PLACE.into(),
                why: format!("the access has ended and nothing is there to renew it; {AGAIN}"),
            });
        };
        let fields = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.expose()),
            ("client_id", &token.client_id),
            ("client_secret", token.client_secret.expose()),
        ];
        let (status, body) = http::form(client, PLACE, &token.token_uri, &fields).await?;
        let given = given(status, &body)?;
        let is_replaced = given.refresh_token.is_some();
        let access = given.take(token);
        if let Some(file) = &self.file
            && let Err(error) = write(token, file)
            // A file that cannot be written is still good if it has what renews the access.
            && is_replaced
        {
            return Err(error);
        }
        Ok(access)
    }
}

/// What the endpoint gives.
#[derive(Deserialize)]
pub(super) struct TokenReply {
    access_token: String,
    #[serde(default)]
    expires_in: Option<i64>,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    scope: Option<String>,
}

impl TokenReply {
    /// Puts it into a token.
    pub(super) fn take(self, token: &mut Token) -> Secret {
        let access = Secret::from(self.access_token);
        token.access = Some(access.clone());
        let seconds = self.expires_in.unwrap_or(0).clamp(0, 1 << 31);
        let ends = Timestamp::now().as_second().saturating_add(seconds);
        token.expiry = Timestamp::from_second(ends).ok();
        if let Some(refresh) = self.refresh_token {
            token.refresh = Some(refresh.into());
        }
        if let Some(scope) = self.scope {
            token.scopes = scope.split_whitespace().map(str::to_owned).collect();
        }
        access
    }
}

/// Reads what the endpoint answered.
pub(super) fn given(status: u16, body: &[u8]) -> Result<TokenReply, MailError> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Refused {
        error: String,
        error_description: String,
    }
    let place = PLACE.to_owned();
    if status == 200 {
        return serde_json::from_slice(body).map_err(|_| MailError::Refused {
            place,
            why: "the token endpoint answered what cannot be understood".into(),
        });
    }
    let refusal: Refused = serde_json::from_slice(body).unwrap_or_default();
    let why = clean(&refusal.error_description);
    Err(match (status, refusal.error.as_str()) {
        (_, "invalid_grant") => MailError::Auth {
            place,
            why: format!("the permission has ended or was taken back ({why}); {AGAIN}"),
        },
        (429, _) => MailError::Busy {
            place,
            why: "too many tokens were asked for".into(),
            retry_after: None,
        },
        (500.., _) => MailError::Unreachable {
            place,
            why: format!("the token endpoint failed with status {status}"),
        },
        (_, error) => MailError::Auth {
            place,
            why: format!("the token endpoint refused: {} {why}", clean(error)),
        },
    })
}

/// Writes a token with the owner's rights alone, whole or not at all.
fn write(token: &Token, file: &Path) -> Result<(), MailError> {
    let failed = |error: std::io::Error| MailError::Refused {
        place: file.display().to_string(),
        why: format!("the token cannot be written: {error}"),
    };
    let text = token.text();
    let staged = Staged::new(file, text.expose().as_bytes(), Rights::Private);
    staged.and_then(Staged::replace).map_err(failed)
}
