//! A call and its reply: what may be called, and with what, comes from the catalogue.

use serde_json::{Value as Json, json};
use superstep_atris::{
    Catalogue,
    catalogue::{Kind, Operation, ParameterIn, Shape},
};

use crate::{lists::Data, orders::ordered, request::ApiRequest, sample::sample, world::World};

/// A call as it comes over the wire.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The method.
    pub method: String,
    /// The segments of the path, decoded.
    pub path: Vec<String>,
    /// The fields of the query, decoded.
    pub query: Vec<(String, String)>,
}

/// A reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Json,
    /// Where a redirect leads.
    pub location: Option<String>,
}

/// How calls are treated.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    /// Whether unknown parameters and calls without `app_name` and `api_key` are refused.
    pub strict: bool,
    /// The hosts that the list names.
    pub hosts: Vec<String>,
    /// Whether the call has the token of the one user who is signed in.
    pub signed_in: bool,
}

/// The token of the one user who is signed in.
pub const TOKEN: &str = "fake-audius-token";

/// The reply to a call: a function of the world and the call alone.
pub fn respond(world: &World, manner: &Manner, call: &Call) -> Reply {
    let path: Vec<&str> = call.path.iter().map(String::as_str).collect();
    let parts = match path.as_slice() {
        [] => return plain(200, json!({"data": manner.hosts})),
        ["health_check"] => return plain(200, json!({"data": {"healthy": true}})),
        ["v1", parts @ ..] => parts,
        _ => return refused(404, "there is no such path"),
    };
    let Ok(catalogue) = Catalogue::get() else {
        return refused(500, "there is no catalogue");
    };
    let Some((operation, mut values)) = find(catalogue, &call.method, parts) else {
        return refused(404, "there is no such path");
    };
    let given = |name: &str| {
        call.query
            .iter()
            .any(|(known, value)| known == name && !value.is_empty())
    };
    if manner.strict && !given("app_name") && !given("api_key") {
        return refused(400, "app_name or api_key is missing");
    }
    if !operation.is_read() && !manner.signed_in {
        return refused(401, "not signed in");
    }
    for (name, value) in &call.query {
        let own = ["app_name", "api_key"].contains(&name.as_str());
        match operation.parameter(name) {
            Some(parameter) if parameter.place == ParameterIn::Query => {
                if let Err(why) = check(parameter, value) {
                    return refused(400, &format!("{name} {why}"));
                }
                values.push((name.clone(), value.clone()));
            }
            _ if own || !manner.strict => {}
            _ => return refused(400, &format!("unknown parameter {name}")),
        }
    }
    for parameter in operation.parameters.iter().filter(|it| it.required) {
        if !values.iter().any(|(name, _)| *name == parameter.name) {
            return refused(400, &format!("{} is required", parameter.name));
        }
    }
    if operation.is_private() && !manner.signed_in {
        return refused(401, "not signed in");
    }
    let asked = ApiRequest { operation, values };
    if !operation.is_read() {
        return written(world, catalogue, &asked);
    }
    if operation.is_file() || operation.id == "streamTrack" && asked.text("no_redirect") != "true" {
        return Reply {
            status: 302,
            body: Json::Null,
            location: Some("https://content.audius.co/file".into()),
        };
    }
    let data = match world.data(&asked) {
        Data::One(data) => data,
        Data::Many(items) => asked.page(ordered(items, &asked)).into(),
        Data::Missing => return refused(404, "not found"),
        Data::Unknown => {
            let model = operation.response.as_deref().unwrap_or_default();
            match catalogue.models().data_of(model) {
                Some(shape) => sample(catalogue.models(), shape, &operation.id, 0),
                // Some replies are the record itself.
                None => {
                    let shape = Shape::Model(model.to_owned());
                    return plain(200, sample(catalogue.models(), &shape, &operation.id, 0));
                }
            }
        }
    };
    plain(
        200,
        json!({"data": data, "version": {"service": "fake", "version": "1"}}),
    )
}

/// The reply to a call that changes something. The world stays as it is: replies follow from the seed alone.
fn written(world: &World, catalogue: &Catalogue, asked: &ApiRequest<'_>) -> Reply {
    if !world.has_all(asked) {
        return refused(404, "not found");
    }
    let model = asked.operation.response.as_deref().unwrap_or_default();
    let shape = Shape::Model(model.to_owned());
    plain(
        200,
        sample(catalogue.models(), &shape, &asked.operation.id, 0),
    )
}

/// The operation of a path: one whose parts are all written out wins over one with names in it.
fn find<'a>(
    catalogue: &'a Catalogue,
    method: &str,
    parts: &[&str],
) -> Option<(&'a Operation, Vec<(String, String)>)> {
    let mut found: Vec<(&Operation, Vec<(String, String)>)> = Vec::new();
    for operation in catalogue.operations() {
        let own: Vec<&str> = operation
            .path
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        if operation.method.name() != method || own.len() != parts.len() {
            continue;
        }
        let mut values = Vec::new();
        let fits = own.iter().zip(parts).all(|(own, part)| {
            match own.strip_prefix('{').and_then(|own| own.strip_suffix('}')) {
                Some(name) => {
                    values.push((name.to_owned(), (*part).to_owned()));
                    !part.is_empty()
                }
                None => own == part,
            }
        });
        if fits {
            found.push((operation, values));
        }
    }
    found.sort_by_key(|(_, values)| values.len());
    found.into_iter().next()
}

fn check(parameter: &superstep_atris::catalogue::Parameter, value: &str) -> Result<(), String> {
    let list = matches!(parameter.kind, Kind::Texts | Kind::Numbers);
    let value: Json = match (parameter.kind, value.parse::<u64>()) {
        (Kind::Number | Kind::Numbers, Ok(number)) => number.into(),
        _ => value.into(),
    };
    let value = if list { json!([value]) } else { value };
    parameter.check(&value).map(drop)
}

fn plain(status: u16, body: Json) -> Reply {
    Reply {
        status,
        body,
        location: None,
    }
}

fn refused(status: u16, why: &str) -> Reply {
    plain(status, json!({"code": status, "error": why}))
}
