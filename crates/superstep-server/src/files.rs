//! `/files`: documents for runs, and their results.
//!
//! A file is kept in the storage under the hash of its bytes, so every process that shares the storage has it, and
//! no name that a client gives becomes a path.

mod rights;

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State},
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};
use serde_json::{Value as Json, json};
use superstep::store::{Blobs, ContentHash, UPLOADS};

use crate::{
    app::App,
    owners::visitor::Visitor,
    records::file::FileRecord,
    refusal::{Refusal, answer},
    request::{page::Page, payload::Payload, query::Params},
    time,
};

/// The longest name of a file.
const LONGEST: usize = 255;

const SORTABLE: &[&str] = &["bytes", "created_at", "file_id", "name"];

/// `POST /files?name=report.xlsx`: the body is the file.
pub(crate) async fn upload(
    State(app): State<Arc<App>>,
    caller: Visitor,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let blobs = app.blobs()?;
    let name = name(&params, "file")?;
    let most = app.file_limit;
    let upload = axum::body::to_bytes(request.into_body(), most).await;
    let upload = upload.map_err(|_| {
        let why = format!("the file cannot be read, or has more than {most} bytes");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why)
    })?;
    let record = FileRecord {
        name,
        bytes: u64::try_from(upload.len()).unwrap_or(u64::MAX),
        created: time::now(),
    };
    let content = Vec::from(upload);
    let hash = blobs.put(UPLOADS, content.clone()).await?;
    // The record comes last: a file without one is not served.
    app.files.make(&caller, &hash, &record).await?;
    // Somebody else may have removed the same file since it was put.
    blobs.put(UPLOADS, content).await?;
    Ok(answer(&shown(&hash.to_string(), &record)))
}

/// The name of a file, as the caller calls it.
fn name(params: &Params, otherwise: &str) -> Result<String, Refusal> {
    let name = params.get("name").unwrap_or(otherwise);
    let is_odd = |c: char| c.is_control() || matches!(c, '/' | '\\' | '"');
    if name.is_empty() || name.len() > LONGEST || name.contains(is_odd) {
        let why = "`name` must be the name of a file, without a folder";
        return Err(Refusal::invalid(why));
    }
    Ok(name.to_owned())
}

/// `GET /files/{file}`: the bytes of a file that was uploaded, or that a graph made. What a graph made has no name
/// but the one that `?name=` gives it.
pub(crate) async fn download(
    State(app): State<Arc<App>>,
    caller: Visitor,
    Path(id): Path<String>,
    params: Params,
) -> Result<Response, Refusal> {
    let blobs = app.blobs()?;
    let hash = hash(&id)?;
    let (space, called) = match (app.files.find(&caller, &hash).await?, &app.results_space) {
        (Some(record), _) => (UPLOADS, record.name),
        (None, Some(space)) => {
            let called = name(&params, "result")?;
            if !app.may_read(&caller, &id).await? {
                return Err(no_file());
            }
            (space.as_str(), called)
        }
        (None, None) => return Err(no_file()),
    };
    let Some(bytes) = blobs.get(space, hash).await? else {
        return Err(no_file());
    };
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    // Whatever it is, a browser neither shows nor runs it.
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(
        "x-content-type-options",
        HeaderValue::from_static("nosniff"),
    );
    let plain: String = called
        .chars()
        .filter(|c| c.is_ascii_graphic() || *c == ' ')
        .collect();
    let name = HeaderValue::from_str(&format!("attachment; filename=\"{plain}\""));
    let name = name.unwrap_or_else(|_| HeaderValue::from_static("attachment"));
    headers.insert(CONTENT_DISPOSITION, name);
    Ok(response)
}

/// `DELETE /files/{file}`
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    caller: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let blobs = app.blobs()?;
    let hash = hash(&id)?;
    if app.files.find(&caller, &hash).await?.is_none() {
        // What a graph made for an owner may be others' too: its bytes stay.
        let result = key(&caller, &id);
        if app.results.find(&result).await?.is_none() {
            return Err(no_file());
        }
        app.results.forget(&result).await?;
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    app.files.forget(&caller, &hash).await?;
    // Others may have uploaded it too, before or just now.
    if !app.files.has_any(&hash).await?
        && let Some(content) = blobs.get(UPLOADS, hash).await?
    {
        blobs.remove(UPLOADS, hash).await?;
        if app.files.has_any(&hash).await? {
            blobs.put(UPLOADS, content).await?;
        }
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `POST /files/search`
pub(crate) async fn search(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    app.blobs()?;
    let page = Page::of(&mut body, SORTABLE)?;
    let own = app.files.of(&caller).await?;
    let rows = own.iter().map(|(hash, record)| shown(hash, record));
    Ok(page.answer(rows.collect()))
}

fn shown(hash: &str, record: &FileRecord) -> Json {
    json!({
        "file_id": hash,
        "sha256": hash,
        "name": record.name,
        "bytes": record.bytes,
        "created_at": time::text(record.created),
    })
}

impl App {
    fn blobs(&self) -> Result<&Arc<dyn Blobs>, Refusal> {
        let none = || Refusal::missing("the server keeps no files: its storage has no `blobs`");
        self.blobs.as_ref().ok_or_else(none)
    }
}

fn hash(id: &str) -> Result<ContentHash, Refusal> {
    let wrong = |_| Refusal::invalid("Invalid file ID: must be a SHA-256 in lowercase hex");
    id.parse().map_err(wrong)
}

/// Under what a result is recorded: its hash, and whose it is.
pub(crate) fn key(caller: &Visitor, id: &str) -> String {
    match caller.name() {
        Some(owner) => format!("{id}.{owner}"),
        None => id.to_owned(),
    }
}

fn no_file() -> Refusal {
    Refusal::missing("File not found")
}
