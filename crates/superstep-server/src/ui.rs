//! The pages of the server: static files that are part of the binary, under `/ui/` and, for browsers,
//! at `/`.
//!
//! They are plain ES modules without a build step; a new file needs a row in `FILES`. The pages call
//! the same API as every other client, so they need no rights of their own: whoever may read nothing
//! sees pages without data.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{
            ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
        },
    },
    response::{IntoResponse, Response},
};

use crate::{app::App, refusal::Refusal, system};

/// A file of the pages: its path below `/ui/`, its type and its bytes.
struct File {
    path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

macro_rules! files {
    ($($path:literal $kind:expr),* $(,)?) => {
        &[$(File {
            path: $path,
            kind: $kind,
            bytes: include_bytes!(concat!("../ui/", $path)),
        }),*]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

const FILES: &[File] = files![
    "activity.js" SCRIPT,
    "adapter.js" SCRIPT,
    "api.js" SCRIPT,
    "app.js" SCRIPT,
    "approval.js" SCRIPT,
    "asking.js" SCRIPT,
    "blocks.js" SCRIPT,
    "branch.js" SCRIPT,
    "branches.js" SCRIPT,
    "chart.js" SCRIPT,
    "citations.js" SCRIPT,
    "composer.js" SCRIPT,
    "conversation.js" SCRIPT,
    "diagram.js" SCRIPT,
    "diff.js" SCRIPT,
    "documents.js" SCRIPT,
    "dom.js" SCRIPT,
    "drafts.js" SCRIPT,
    "effect.js" SCRIPT,
    "files.js" SCRIPT,
    "following.js" SCRIPT,
    "form.js" SCRIPT,
    "graph.js" SCRIPT,
    "grid.js" SCRIPT,
    "heading.js" SCRIPT,
    "home.js" SCRIPT,
    "human.js" SCRIPT,
    "icon.svg" PICTURE,
    "inbox.js" SCRIPT,
    "index.html" HTML,
    "inline.js" SCRIPT,
    "json.js" SCRIPT,
    "keys.js" SCRIPT,
    "layout.js" SCRIPT,
    "markdown.js" SCRIPT,
    "memory.js" SCRIPT,
    "message.js" SCRIPT,
    "new.js" SCRIPT,
    "number_format.js" SCRIPT,
    "outcome.js" SCRIPT,
    "pages.js" SCRIPT,
    "proposed.js" SCRIPT,
    "rail.js" SCRIPT,
    "reader.js" SCRIPT,
    "runs.js" SCRIPT,
    "schedules.js" SCRIPT,
    "screens.css" STYLE,
    "settings.js" SCRIPT,
    "sse.js" SCRIPT,
    "start.js" SCRIPT,
    "status.js" SCRIPT,
    "steps.js" SCRIPT,
    "style.css" STYLE,
    "surface.js" SCRIPT,
    "table.js" SCRIPT,
    "talk.css" STYLE,
    "threads.js" SCRIPT,
    "time.js" SCRIPT,
    "trace.js" SCRIPT,
    "turn.js" SCRIPT,
    "undo.js" SCRIPT,
    "watch.js" SCRIPT,
    "workbook.js" SCRIPT,
    "xlsx.js" SCRIPT,
    "zip.js" SCRIPT,
];

/// The pages load their own files and call their own server, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// `GET /`: the first page for browsers, and a sign of health for all others.
pub(crate) async fn root(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    match accepts.is_some_and(|accept| accept.contains("text/html")) {
        true => file("index.html", &headers),
        false => system::ok(State(app)).await,
    }
}

/// `GET /ui`: the first page.
pub(crate) async fn index(headers: HeaderMap) -> Result<Response, Refusal> {
    file("index.html", &headers)
}

/// `GET /ui/{path}`: a file of the pages.
pub(crate) async fn get(Path(path): Path<String>, headers: HeaderMap) -> Result<Response, Refusal> {
    file(&path, &headers)
}

fn file(path: &str, headers: &HeaderMap) -> Result<Response, Refusal> {
    let found = FILES.iter().find(|file| file.path == path);
    let File { kind, bytes, .. } = found.ok_or_else(|| Refusal::missing("Not Found"))?;
    // Browsers ask each time, and get the bytes again only after an update of the server.
    let tag = format!("\"{:016x}\"", fingerprint(bytes));
    let is_known = headers
        .get(IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => (*bytes).into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(
        ETAG,
        HeaderValue::from_str(&tag).unwrap_or_else(|_| HeaderValue::from_static("\"\"")),
    );
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// FNV-1a: tells versions of a file apart.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
