//! `/files`: documents for runs, and their results.
//!
//! A file is kept under the hash of its bytes in one folder, so no name that a client gives becomes a
//! path. Who uploads one gets its path on the server, for graphs that take paths.

mod rights;

use std::{path::PathBuf, sync::Arc};

use axum::{
    extract::{Path, Request, State},
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};
use superstep::{
    fs::{Rights, Staged, read_regular},
    text::hex,
};

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
    let folder = app.folder()?.clone();
    let name = name(&params, "file")?;
    let most = app.file_limit;
    let upload = axum::body::to_bytes(request.into_body(), most).await;
    let upload = upload.map_err(|_| {
        let why = format!("the file cannot be read, or has more than {most} bytes");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why)
    })?;
    let id = hex(&Sha256::digest(&upload));
    let record = FileRecord {
        name,
        bytes: u64::try_from(upload.len()).unwrap_or(u64::MAX),
        created: time::now(),
    };
    let place = folder.join(&id);
    let target = place.clone();
    let written = tokio::task::spawn_blocking(move || {
        superstep::fs::private_dir(&folder)?;
        Staged::new(&target, &upload, Rights::Private)?.replace()
    });
    let failed = |why: String| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, why);
    let written = written.await.map_err(|error| failed(error.to_string()))?;
    written.map_err(|error| failed(format!("the file cannot be kept: {error}")))?;
    // The record comes last: a file without one is not served.
    app.files.make(&key(&caller, &id), &record).await?;
    Ok(answer(&shown(&caller, &id, &record, &place)))
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
    let (place, called) = match (app.find_file(&caller, &id).await, &app.results_folder) {
        (Ok((place, record)), _) => (place, record.name),
        (Err(_), Some(folder)) if is_hash(&id) => {
            let called = name(&params, "result")?;
            if !app.may_read(&caller, &id).await? {
                return Err(no_file());
            }
            (folder.join(&id), called)
        }
        (Err(refusal), _) => return Err(refusal),
    };
    let most = u64::try_from(app.file_limit).unwrap_or(u64::MAX);
    let read = tokio::task::spawn_blocking(move || read_regular(&place, most)).await;
    let Ok(Ok(bytes)) = read else {
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
    let (place, _) = match app.find_file(&caller, &id).await {
        Ok(found) => found,
        Err(refusal) => {
            // What a graph made for an owner may be others' too: its bytes stay.
            let result = key(&caller, &id);
            if app.results.find(&result).await?.is_none() {
                return Err(refusal);
            }
            app.results.forget(&result).await?;
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
    };
    app.files.forget(&key(&caller, &id)).await?;
    let all = app.files.all().await?;
    if all.iter().any(|(key, _)| hash_of(key) == id) {
        // Somebody else has uploaded it too.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    // Without its record it is not served, whether its bytes go now or not.
    let _kept = tokio::task::spawn_blocking(move || std::fs::remove_file(place)).await;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `POST /files/search`
pub(crate) async fn search(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let folder = app.folder()?;
    let page = Page::of(&mut body, SORTABLE)?;
    let all = app.files.all().await?;
    let own = all
        .iter()
        .filter(|(key, _)| *key == self::key(&caller, hash_of(key)));
    let rows = own.map(|(key, record)| {
        let id = hash_of(key);
        shown(&caller, id, record, &folder.join(id))
    });
    Ok(page.answer(rows.collect()))
}

fn shown(caller: &Visitor, id: &str, record: &FileRecord, place: &std::path::Path) -> Json {
    // The folder holds what others uploaded, too.
    let path = caller.owner().is_none().then(|| place.to_string_lossy());
    json!({
        "file_id": id,
        "sha256": id,
        "name": record.name,
        "bytes": record.bytes,
        "path": path,
        "created_at": time::text(record.created),
    })
}

impl App {
    fn folder(&self) -> Result<&PathBuf, Refusal> {
        let none = || Refusal::missing("the server keeps no files: its settings name no folder");
        self.files_folder.as_ref().ok_or_else(none)
    }

    async fn find_file(
        &self,
        caller: &Visitor,
        id: &str,
    ) -> Result<(PathBuf, FileRecord), Refusal> {
        let folder = self.folder()?;
        if !is_hash(id) {
            return Err(Refusal::invalid(
                "Invalid file ID: must be a SHA-256 in hex",
            ));
        }
        let record = self
            .files
            .find(&key(caller, id))
            .await?
            .ok_or_else(no_file)?;
        Ok((folder.join(id), record))
    }
}

/// Under what the file of a caller is recorded: its hash, and whose it is.
pub(crate) fn key(caller: &Visitor, id: &str) -> String {
    match caller.owner() {
        Some(owner) => format!("{id}.{owner}"),
        None => id.to_owned(),
    }
}

fn hash_of(key: &str) -> &str {
    key.split('.').next().unwrap_or(key)
}

pub(crate) fn is_hash(id: &str) -> bool {
    id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn no_file() -> Refusal {
    Refusal::missing("File not found")
}
