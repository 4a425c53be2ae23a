//! OAuth login: a person consents in a browser, and the answer comes to a loopback address.
//!
//! The flow of installed applications with PKCE: the browser is sent to Google with a challenge
//! and a state that nobody can guess, and back to a port of this machine that takes one answer
//! and only for a while. Nothing is printed: whoever begins a [`Login`] shows its address.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rustls::crypto::SecureRandom;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use superstep::{Secret, http::Url};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::{
    fault::clean,
    http,
    token::{self, Token},
};
use crate::MailError;

/// What the assistant must be permitted: to read, send and mark mail, and the calendar.
pub const SCOPES: [&str; 2] = [
    "https://www.googleapis.com/auth/gmail.modify",
    "https://www.googleapis.com/auth/calendar",
];

/// The most bytes of the request that brings the answer.
const MAX_REQUEST: usize = 16 << 10;

/// How long one connection may take to say what it wants.
const WAIT_LIMIT: Duration = Duration::from_secs(5);

const PLACE: &str = "Google";

/// An application that may ask for permission, as the console of Google makes it.
#[derive(Clone, Debug)]
pub struct App {
    /// Its name.
    pub client_id: String,
    /// What it shows to be it; no secret in an installed program, but not for errors either.
    pub client_secret: Secret,
    /// Where a person permits it.
    pub auth_uri: String,
    /// Where it gets tokens.
    pub token_uri: String,
}

impl App {
    /// Reads the file that the console gives.
    pub fn read(text: &str) -> Result<Self, MailError> {
        #[derive(Deserialize)]
        struct File {
            installed: Installed,
        }
        #[derive(Deserialize)]
        struct Installed {
            client_id: String,
            client_secret: String,
            auth_uri: String,
            token_uri: String,
        }
        let file: File = serde_json::from_str(text).map_err(|error| MailError::Malformed {
            what: "the secrets of the application".into(),
            why: format!(
                "line {}, column {}: wanted is the file of an application of the kind \"desktop\"",
                error.line(),
                error.column()
            ),
        })?;
        Ok(Self {
            client_id: file.installed.client_id,
            client_secret: file.installed.client_secret.into(),
            auth_uri: file.installed.auth_uri,
            token_uri: file.installed.token_uri,
        })
    }

    /// The same from the variable `GMAIL_SECRET`.
    pub fn from_env() -> Result<Self, MailError> {
        let text = std::env::var("GMAIL_SECRET").map_err(|_| MailError::Auth {
            place: PLACE.into(),
            why: "GMAIL_SECRET is not set".into(),
        })?;
        Self::read(&text)
    }
}

/// A login that waits for a person.
#[derive(Debug)]
pub struct Login {
    app: App,
    listener: TcpListener,
    url: Url,
    back: String,
    state: Secret,
    verifier: Secret,
}

impl Login {
    /// Begins a login; [`Login::url`] is what the person opens.
    pub async fn begin(app: App, scopes: &[&str]) -> Result<Self, MailError> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.map_err(|error| local(&error))?;
        let at = listener.local_addr().map_err(|error| local(&error))?;
        let back = format!("http://{at}");
        let (state, verifier) = (random()?, random()?);
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose().as_bytes()));
        let mut url = http::base(PLACE, &app.auth_uri)?;
        url.query_pairs_mut()
            .append_pair("client_id", &app.client_id)
            .append_pair("redirect_uri", &back)
            .append_pair("response_type", "code")
            .append_pair("scope", &scopes.join(" "))
            .append_pair("state", state.expose())
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256")
            // Without these there would be nothing to renew the access with.
            .append_pair("access_type", "offline")
            .append_pair("prompt", "consent");
        Ok(Self {
            app,
            listener,
            url,
            back,
            state,
            verifier,
        })
    }

    /// What the person opens in a browser.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Waits for the person, for so long, and gives what was permitted.
    pub async fn finish(self, limit: Duration) -> Result<Token, MailError> {
        let code = tokio::time::timeout(limit, self.answer()).await;
        let code = code.map_err(|_| refused("nobody permitted it in time; log in again"))??;
        let client = http::client()?;
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", code.expose()),
            ("redirect_uri", &self.back),
            ("client_id", &self.app.client_id),
            ("client_secret", self.app.client_secret.expose()),
            ("code_verifier", self.verifier.expose()),
        ];
        let (status, body) = http::form(&client, PLACE, &self.app.token_uri, &fields).await?;
        let given = token::given(status, &body)?;
        let mut token = Token {
            access: None,
            refresh: None,
            token_uri: self.app.token_uri,
            client_id: self.app.client_id,
            client_secret: self.app.client_secret,
            scopes: Vec::new(),
            expiry: None,
        };
        given.take(&mut token);
        if token.refresh.is_none() {
            return Err(refused(
                "it gave nothing to renew the access with; log in again",
            ));
        }
        Ok(token)
    }

    /// The code that the browser brings. Browsers ask for icons too, which is no answer.
    async fn answer(&self) -> Result<Secret, MailError> {
        loop {
            let accepted = self.listener.accept().await;
            let (mut stream, _) = accepted.map_err(|error| local(&error))?;
            let path = tokio::time::timeout(WAIT_LIMIT, path(&mut stream)).await;
            let Ok(Some(path)) = path else {
                continue;
            };
            let Some(query) = path.strip_prefix("/?") else {
                say(&mut stream, "404 Not Found", "There is nothing here.").await;
                continue;
            };
            let code = self.code(query);
            match &code {
                Ok(_) => say(&mut stream, "200 OK", "Done. You can close this page.").await,
                Err(_) => say(&mut stream, "400 Bad Request", "The login failed.").await,
            }
            return code;
        }
    }

    fn code(&self, query: &str) -> Result<Secret, MailError> {
        let mut url = self.url.clone();
        url.set_query(Some(query));
        let field = |name: &str| {
            let mut pairs = url.query_pairs();
            pairs
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.into_owned())
        };
        if field("state").as_deref() != Some(self.state.expose()) {
            return Err(refused(
                "the answer does not belong to this login; log in again",
            ));
        }
        if let Some(error) = field("error") {
            return Err(refused(&format!(
                "the permission was not given: {}",
                clean(&error)
            )));
        }
        let code = field("code").filter(|code| !code.is_empty());
        code.map(Secret::from)
            .ok_or_else(|| refused("the answer has no code; log in again"))
    }
}

/// The path of a request, and the rest of it read.
async fn path(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|four| four == b"\r\n\r\n") {
        if bytes.len() > MAX_REQUEST || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut words = text.lines().next()?.split(' ');
    (words.next()? == "GET").then_some(())?;
    words.next().map(str::to_owned)
}

async fn say(stream: &mut TcpStream, status: &str, text: &str) {
    let page = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{text}",
        text.len()
    );
    // Whether the person sees the page changes nothing.
    stream.write_all(page.as_bytes()).await.ok();
    stream.shutdown().await.ok();
}

fn random() -> Result<Secret, MailError> {
    let mut bytes = [0; 32];
    let source: &dyn SecureRandom = rustls::crypto::ring::default_provider().secure_random;
    source
        .fill(&mut bytes)
        .map_err(|_| refused("this machine gives no random numbers"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes).into())
}

fn refused(why: &str) -> MailError {
    MailError::Auth {
        place: PLACE.into(),
        why: why.to_owned(),
    }
}

fn local(error: &std::io::Error) -> MailError {
    MailError::Unreachable {
        place: "a port of this machine".into(),
        why: error.to_string(),
    }
}
