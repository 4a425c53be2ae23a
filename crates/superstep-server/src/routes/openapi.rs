//! `GET /openapi.json`: the routes as OpenAPI 3.1, made of the table that the router is made of.

mod bodies;

use std::sync::Arc;

use axum::{extract::State, http::Method, response::Response};
use serde_json::{Map, Value as Json, json};

use super::{access::Access, info::RouteInfo};
use crate::{app::App, refusal::answer};

/// `GET /openapi.json`
pub(crate) async fn get(State(app): State<Arc<App>>) -> Response {
    answer(&app.openapi)
}

/// What describes these routes.
pub(crate) fn document(routes: &[RouteInfo]) -> Json {
    let mut paths: Map<String, Json> = Map::new();
    for route in routes {
        let path = route.path.replace("{*", "{");
        let methods = paths.entry(path).or_insert_with(|| json!({}));
        if let Json::Object(methods) = methods {
            let method = route.method.as_str().to_ascii_lowercase();
            methods.insert(method, operation(route));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "superstep",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Graphs over HTTP, for clients of the LangGraph server API.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "key": { "type": "apiKey", "in": "header", "name": "x-api-key" },
            },
            "schemas": {
                "Refusal": {
                    "type": "object",
                    "properties": { "detail": { "type": "string" } },
                    "required": ["detail"],
                },
            },
        },
    })
}

fn operation(route: &RouteInfo) -> Json {
    let names = route.path.split('/').filter_map(|part| {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        Some(name.trim_start_matches('*'))
    });
    let parameters: Vec<Json> = names
        .map(|name| {
            json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
        })
        .collect();
    let refusal = json!({
        "description": "Why not",
        "content": {
            "application/json": { "schema": { "$ref": "#/components/schemas/Refusal" } },
        },
    });
    let mut operation = json!({
        "operationId": name(route),
        "tags": [route.path.split('/').nth(1).unwrap_or_default()],
        "parameters": parameters,
        "responses": { "2XX": { "description": "Done" }, "4XX": refusal },
        "security": match route.access {
            Access::Open => json!([]),
            Access::Token | Access::Whole => json!([{ "bearer": [] }, { "key": [] }]),
        },
    });
    let schema = bodies::body(route.method.as_str(), route.path);
    if let (Some(schema), Json::Object(fields)) = (schema, &mut operation) {
        let body = json!({ "content": { "application/json": { "schema": schema } } });
        fields.insert("requestBody".to_owned(), body);
    }
    if let ((&Method::POST, "/files"), Json::Object(fields)) =
        ((&route.method, route.path), &mut operation)
    {
        let body = json!({ "content": { "application/octet-stream": {} } });
        fields.insert("requestBody".to_owned(), body);
    }
    operation
}

/// A name that no other operation has.
fn name(route: &RouteInfo) -> String {
    let letters = route.path.chars().map(|c| match c {
        'a'..='z' | '0'..='9' => c,
        _ => '_',
    });
    let path: String = letters.collect();
    let method = route.method.as_str().to_ascii_lowercase();
    format!("{method}_{}", path.trim_matches('_'))
}
