//! `GET /docs`: the routes as a page, made of their description. Nothing is loaded from elsewhere.

use std::{fmt::Write as _, sync::Arc};

use axum::{
    extract::State,
    http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use serde_json::Value as Json;

use crate::app::App;

/// The page runs nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'";

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
    color-scheme:light dark}h2{margin-top:2rem}dt{font-family:ui-monospace,monospace;overflow-wrap:anywhere}\
    dd{margin:0 0 .5rem 1.5rem;overflow-wrap:anywhere}";

/// `GET /docs`
pub(super) async fn get(State(app): State<Arc<App>>) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
    ];
    (headers, page(&app.openapi)).into_response()
}

/// The page. All words in it are of the program, none of a request.
fn page(description: &Json) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>Routes</title><style>{STYLE}</style><main><h1>Routes</h1>\
         <p>As OpenAPI: <a href=\"openapi.json\">/openapi.json</a>. The pages: <a href=\"ui\">/ui</a>.</p>"
    );
    let mut last = String::new();
    let paths = description.get("paths").and_then(Json::as_object);
    for (path, methods) in paths.into_iter().flatten() {
        let part = path.split('/').nth(1).unwrap_or_default();
        if last != part || last.is_empty() {
            let _infallible = write!(page, "<h2>/{part}</h2>");
            last = part.to_owned();
        }
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let method = method.to_ascii_uppercase();
            let _infallible = write!(page, "<dl><dt>{method} {path}</dt>");
            let fields =
                operation.pointer("/requestBody/content/application~1json/schema/properties");
            let fields = fields.and_then(Json::as_object);
            let names: Vec<&str> = fields
                .into_iter()
                .flatten()
                .map(|(name, _)| &**name)
                .collect();
            if !names.is_empty() {
                let _infallible = write!(page, "<dd>{}</dd>", names.join(", "));
            }
            page.push_str("</dl>");
        }
    }
    page.push_str("</main></html>");
    page
}
