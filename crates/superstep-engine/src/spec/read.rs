//! Reading a [`GraphSpec`] from JSON: part by part, so that a mistake has a place, and all of them are found.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use super::{GraphSpec, NodeEntry, SpecError, SpecErrorKind, SpecErrors};

/// Lists of parts that are read one by one.
const LISTS: [&str; 4] = ["channels", "nodes", "edges", "routes"];

impl GraphSpec {
    /// Reads a spec from the text of a JSON object.
    pub fn read(text: &str) -> Result<Self, SpecErrors> {
        match serde_json::from_str(text) {
            Ok(json) => Self::from_json(json),
            Err(error) => Err(SpecErrors(vec![form(String::new(), &error)])),
        }
    }

    /// Reads a spec from JSON.
    pub fn from_json(json: Json) -> Result<Self, SpecErrors> {
        let mut errors = Vec::new();
        let spec = graph(json, "", &mut errors);
        match spec.filter(|_| errors.is_empty()) {
            Some(spec) => Ok(spec),
            None => Err(SpecErrors(errors)),
        }
    }
}

fn form(at: String, why: &dyn std::fmt::Display) -> SpecError {
    SpecError {
        at,
        kind: SpecErrorKind::Form(why.to_string()),
    }
}

/// A path below another.
pub(super) fn below(at: &str, part: &str) -> String {
    match at {
        "" => part.to_owned(),
        at => format!("{at}.{part}"),
    }
}

fn graph(json: Json, at: &str, errors: &mut Vec<SpecError>) -> Option<GraphSpec> {
    let Json::Object(mut parts) = json else {
        errors.push(form(at.to_owned(), &"a graph is an object"));
        return None;
    };
    let mut lists: Map<String, Json> = Map::new();
    for name in LISTS {
        if let Some(list) = parts.remove(name) {
            lists.insert(name.to_owned(), list);
            // Their own mistakes are found below.
            parts.insert(name.to_owned(), Json::Array(Vec::new()));
        }
    }
    let mut spec: Option<GraphSpec> = part(Json::Object(parts), at, errors);
    let mut list = |name: &str| lists.remove(name);
    let channels = entries(list("channels"), &below(at, "channels"), errors, part);
    let edges = entries(list("edges"), &below(at, "edges"), errors, part);
    let routes = entries(list("routes"), &below(at, "routes"), errors, part);
    let nodes = entries(
        list("nodes"),
        &below(at, "nodes"),
        errors,
        |json, at, errors| {
            let Json::Object(mut fields) = json else {
                errors.push(form(at.to_owned(), &"a node is an object"));
                return None;
            };
            let inner = fields.remove("graph").filter(|inner| !inner.is_null());
            let inner = inner.map(|inner| graph(inner, &below(at, "graph"), errors));
            let mut node: NodeEntry = part(Json::Object(fields), at, errors)?;
            node.graph = match inner {
                Some(inner) => Some(Box::new(inner?)),
                None => None,
            };
            Some(node)
        },
    );
    if let Some(spec) = &mut spec {
        (spec.channels, spec.nodes) = (channels, nodes);
        (spec.edges, spec.routes) = (edges, routes);
    }
    spec
}

fn part<T: DeserializeOwned>(json: Json, at: &str, errors: &mut Vec<SpecError>) -> Option<T> {
    match serde_json::from_value(json) {
        Ok(part) => Some(part),
        Err(error) => {
            errors.push(form(at.to_owned(), &error));
            None
        }
    }
}

fn entries<T>(
    list: Option<Json>,
    at: &str,
    errors: &mut Vec<SpecError>,
    read: impl Fn(Json, &str, &mut Vec<SpecError>) -> Option<T>,
) -> Vec<T> {
    let list = match list {
        None => return Vec::new(),
        Some(Json::Array(list)) => list,
        Some(_) => {
            errors.push(form(at.to_owned(), &"this is a list"));
            return Vec::new();
        }
    };
    let mut entries = Vec::with_capacity(list.len());
    for (n, entry) in list.into_iter().enumerate() {
        entries.extend(read(entry, &format!("{at}[{n}]"), errors));
    }
    entries
}
