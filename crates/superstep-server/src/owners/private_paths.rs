//! Paths of the server that owners are not shown: errors of the storage name its file, and an owner has no use for that.

use std::{
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use axum::{
    body::{Body, BodyDataStream, Bytes},
    extract::{Request, State},
    http::header::{CONTENT_LENGTH, CONTENT_TYPE},
    middleware::Next,
    response::Response,
};
use futures_core::Stream;

use super::visitor::Visitor;

/// In place of a path.
const HIDDEN: &str = "[path]";

/// Paths that owners are not shown.
#[derive(Clone)]
pub(crate) struct PrivatePaths(Arc<[String]>);

impl PrivatePaths {
    /// These paths, as they are named and as the system names them.
    pub(crate) fn new<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut all = Vec::new();
        for path in paths {
            // A name without a folder is no path that could be told from a word.
            let given = Some(path.to_path_buf()).filter(|path| path.is_absolute());
            let names = given.into_iter().chain(path.canonicalize());
            all.extend(names.map(|path| path.display().to_string()));
        }
        // What is below another path goes first, as a whole.
        all.sort_by_key(|path| std::cmp::Reverse(path.len()));
        all.dedup();
        all.retain(|path| path.len() > 1);
        Self(all.into())
    }

    /// A text without them.
    pub(crate) fn hide(&self, text: &str) -> Option<String> {
        let is_named = self.0.iter().any(|path| text.contains(&**path));
        let replace = |text: String, path: &String| text.replace(&**path, HIDDEN);
        is_named.then(|| self.0.iter().fold(text.to_owned(), replace))
    }

    fn hidden(&self, part: Bytes) -> Bytes {
        let text = std::str::from_utf8(&part).ok();
        match text.and_then(|text| self.hide(text)) {
            Some(text) => text.into(),
            None => part,
        }
    }
}

/// Takes private paths out of what an owner is answered, event by event. Files of owners are passed as they are.
pub(crate) async fn hide_paths(
    State(paths): State<PrivatePaths>,
    caller: Visitor,
    request: Request,
    next: Next,
) -> Response {
    let response = next.run(request).await;
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_text = kind.starts_with("application/json") || kind.starts_with("text/event-stream");
    if !is_text || !caller.is_owner() || paths.0.is_empty() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.remove(CONTENT_LENGTH);
    let body = Without {
        body: body.into_data_stream(),
        paths,
    };
    Response::from_parts(parts, Body::from_stream(body))
}

/// A body without private paths.
struct Without {
    body: BodyDataStream,
    paths: PrivatePaths,
}

impl Stream for Without {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let part = ready!(Pin::new(&mut self.body).poll_next(cx));
        Poll::Ready(part.map(|part| part.map(|part| self.paths.hidden(part))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_hidden_wherever_it_is_named() {
        let paths = ["/srv/data", "/srv/data/a.db", "relative-and-missing", "/"];
        let paths = PrivatePaths::new(paths.map(Path::new));
        let said = paths.hide("cannot open /srv/data/a.db: see /srv/data/b and /srv/other");
        let wanted = "cannot open [path]: see [path]/b and /srv/other";
        assert_eq!(said.as_deref(), Some(wanted));
        assert_eq!(paths.hide("POST /runs"), None);
    }
}
