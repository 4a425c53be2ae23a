//! Logins: an authorization page that says yes, and the endpoint that gives tokens.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use superstep_loopback::Request;

use crate::wire::Answer;

const CLIENT: &str = "client-1.apps.example";
const CLIENT_SECRET: &str = "client-secret-1";
const SCOPES: &str =
    "https://www.googleapis.com/auth/gmail.modify https://www.googleapis.com/auth/calendar";

/// What opens the account.
pub(crate) struct Tokens {
    access: Vec<String>,
    refresh: Vec<String>,
    /// Codes that wait to be exchanged, with their challenge and where they were sent.
    codes: BTreeMap<String, (String, String)>,
    next: u64,
}

/// The secrets of an application, as the console gives them.
pub(crate) fn application(address: &str) -> Json {
    json!({"installed": {
        "client_id": CLIENT, "client_secret": CLIENT_SECRET, "project_id": "fake",
        "auth_uri": format!("{address}/o/oauth2/v2/auth"), "token_uri": format!("{address}/token"),
        "redirect_uris": ["http://localhost"],
    }})
}

impl Tokens {
    pub(crate) fn new() -> Self {
        Self {
            access: vec!["access-token-0".into()],
            refresh: vec!["refresh-token-0".into()],
            codes: BTreeMap::new(),
            next: 1,
        }
    }

    pub(crate) fn file(&self, address: &str) -> Json {
        json!({
            "token": self.access.last(), "refresh_token": self.refresh.last(),
            "token_uri": format!("{address}/token"), "client_id": CLIENT,
            "client_secret": CLIENT_SECRET,
            "scopes": SCOPES.split(' ').collect::<Vec<_>>(),
            "expiry": "2099-01-01T00:00:00Z",
        })
    }

    pub(crate) fn opens(&self, request: &Request) -> bool {
        let given = request.header("authorization").unwrap_or_default();
        let given = given.strip_prefix("Bearer ").unwrap_or_default();
        self.access.iter().any(|known| known == given)
    }

    pub(crate) fn expire(&mut self) {
        self.access.clear();
    }

    pub(crate) fn revoke(&mut self) {
        self.access.clear();
        self.refresh.clear();
    }

    pub(crate) fn permit(&mut self) {
        let refresh = format!("refresh-token-{}", self.next);
        self.refresh.push(refresh);
        self.given(None);
    }

    /// The page on which a person agrees: it agrees at once.
    pub(crate) fn authorize(&mut self, request: &Request) -> Answer {
        let ask = |name: &str| request.query_value(name).unwrap_or_default();
        let back = ask("redirect_uri");
        let is_loopback = back.starts_with("http://127.0.0.1:");
        if ask("client_id") != CLIENT || ask("response_type") != "code" || !is_loopback {
            return Answer::refused(400, "invalid_request", "Error 400: invalid_request");
        }
        if ask("code_challenge_method") != "S256" {
            return Answer::refused(400, "invalid_request", "S256 is required");
        }
        let code = format!("4/code-{}", self.next);
        self.next += 1;
        let kept = (ask("code_challenge"), back.clone());
        self.codes.insert(code.clone(), kept);
        Answer::redirect(format!(
            "{back}?state={}&code={code}&scope=all",
            ask("state")
        ))
    }

    /// Gives tokens for a code or for a refresh token.
    pub(crate) fn exchange(&mut self, request: &Request) -> Answer {
        let form: BTreeMap<String, String> = request.form().into_iter().collect();
        let field = |name: &str| form.get(name).map_or("", String::as_str);
        if field("client_id") != CLIENT || field("client_secret") != CLIENT_SECRET {
            return refused(401, "invalid_client", "The OAuth client was not found.");
        }
        match field("grant_type") {
            "refresh_token" => {
                let is_known = self.refresh.iter().any(|it| it == field("refresh_token"));
                if !is_known {
                    return refused(400, "invalid_grant", "Token has been expired or revoked.");
                }
                Answer::ok(&self.given(None))
            }
            "authorization_code" => {
                let Some((challenge, back)) = self.codes.remove(field("code")) else {
                    return refused(400, "invalid_grant", "Malformed auth code.");
                };
                let verifier = Sha256::digest(field("code_verifier").as_bytes());
                let is_same = URL_SAFE_NO_PAD.encode(verifier) == challenge;
                if !is_same || back != field("redirect_uri") {
                    return refused(400, "invalid_grant", "Invalid code verifier.");
                }
                let refresh = format!("refresh-token-{}", self.next);
                self.refresh.push(refresh.clone());
                Answer::ok(&self.given(Some(refresh)))
            }
            _ => refused(400, "unsupported_grant_type", "Invalid grant_type"),
        }
    }

    fn given(&mut self, refresh: Option<String>) -> Json {
        let token = format!("access-token-{}", self.next);
        self.next += 1;
        self.access.push(token.clone());
        let mut given = json!({
            "access_token": token, "expires_in": 3599, "scope": SCOPES, "token_type": "Bearer",
        });
        if let (Json::Object(fields), Some(refresh)) = (&mut given, refresh) {
            fields.insert("refresh_token".into(), refresh.into());
        }
        given
    }
}

fn refused(status: u16, error: &str, why: &str) -> Answer {
    Answer::status(status, &json!({"error": error, "error_description": why}))
}
