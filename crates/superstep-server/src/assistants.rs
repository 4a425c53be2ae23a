//! `/assistants`: made, read, changed in versions, removed and found.

mod drawing;
mod lookup;

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use superstep::draw::Drawing;

use crate::{
    app::App,
    owners::visitor::Visitor,
    records::assistant::{Assistant, Version, assistant_id},
    refusal::{Refusal, answer},
    request::{matching::has_all, page::Page, payload::Payload},
};

const SORTABLE: &[&str] = &[
    "assistant_id", "created_at", "graph_id", "name", "updated_at",
];

/// The longest name of an assistant, in characters.
const LONGEST_NAME: usize = 200;

/// `GET /assistants/{id}`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let (id, assistant) = app.assistant(&id).await?;
    Ok(answer(&app.assistant_shown(&id, &assistant)))
}

/// `POST /assistants`
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let Some(graph) = body.field::<String>("graph_id")? else {
        return Err(Refusal::invalid("`graph_id` is missing"));
    };
    let owner = caller.owner();
    let hosted = app.registry.graph_for(&graph, owner.as_deref())?;
    let id = match body.field::<String>("assistant_id")? {
        Some(id) => assistant_id(&id)?,
        None => app.new_id(),
    };
    let if_exists = body.word("if_exists", &["raise", "do_nothing"])?;
    let mut version = Version {
        name: hosted.name().to_owned(),
        ..Version::default()
    };
    app.check_settings(&caller, &body).await?;
    change(&mut version, &mut body)?;
    let there = app.assistant(&id).await.ok();
    let made = Assistant {
        owner,
        ..Assistant::new(&graph, version)
    };
    let there = match there {
        Some((_, there)) => Some(there),
        None if app.assistants.make(&id, &made).await? => None,
        None => app.assistants.find(&id).await?,
    };
    match (there, if_exists) {
        (None, _) => Ok(answer(&app.assistant_shown(&id, &made))),
        (Some(there), Some("do_nothing")) if caller.may_use(there.owner.as_deref()) => {
            Ok(answer(&app.assistant_shown(&id, &there)))
        }
        (Some(_), _) => {
            let why = format!("Assistant {id} already exists");
            Err(Refusal::new(StatusCode::CONFLICT, why))
        }
    }
}

/// `PATCH /assistants/{id}`: a new version, of what is given and of what was.
pub(crate) async fn patch(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    app.check_settings(&caller, &body).await?;
    let (id, assistant) = app.assistant(&id).await?;
    let graph = body.field::<String>("graph_id")?;
    let graph = graph.unwrap_or_else(|| assistant.graph_id.clone());
    app.registry.graph_for(&graph, caller.owner().as_deref())?;
    let mut version = assistant.now();
    change(&mut version, &mut body)?;
    app.assistants.make(&id, &assistant).await?;
    let add = |assistant: &mut Assistant| {
        let last = assistant.versions.iter().map(|it| it.version).max();
        let mut version = version.clone();
        version.version = last.unwrap_or(0) + 1;
        version.created = crate::time::now();
        (assistant.current, assistant.updated) = (version.version, version.created);
        assistant.graph_id.clone_from(&graph);
        assistant.versions.push(version);
    };
    let changed = app.assistants.change(&id, add).await?;
    let changed = changed.ok_or_else(|| Refusal::missing("Not Found"))?;
    Ok(answer(&app.assistant_shown(&id, &changed)))
}

/// Puts what a request gives into a version.
fn change(version: &mut Version, body: &mut Payload) -> Result<(), Refusal> {
    if let Some(name) = body.field::<String>("name")? {
        if name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
            let why = format!("`name` is one line of at most {LONGEST_NAME} characters");
            return Err(Refusal::invalid(why));
        }
        version.name = name;
    }
    if let Some(description) = body.field::<String>("description")? {
        version.description = Some(description);
    }
    version.metadata.extend(body.object("metadata")?);
    let config: Option<Map<String, Json>> = body.field("config")?;
    let context: Option<Map<String, Json>> = body.field("context")?;
    let configurable = config.as_ref().and_then(|it| it.get("configurable"));
    let configurable = configurable.and_then(Json::as_object).cloned();
    if let Some(config) = config {
        version.config = config;
    }
    // Clients know both places, and look into one of them.
    match (context, configurable) {
        (Some(context), None) => {
            let configurable = Json::Object(context.clone());
            version
                .config
                .insert("configurable".to_owned(), configurable);
            version.context = context;
        }
        (None, Some(configurable)) => version.context = configurable,
        (Some(context), Some(_)) => version.context = context,
        (None, None) => {}
    }
    Ok(())
}

/// `DELETE /assistants/{id}`
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let (id, _) = app.assistant(&id).await?;
    if app.registry.of_assistant(&id).is_ok() {
        let why = "the assistant of a hosted graph stays as long as the graph";
        return Err(Refusal::new(StatusCode::FORBIDDEN, why));
    }
    app.assistants.forget(&id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `POST /assistants/{id}/versions`: newest first.
pub(crate) async fn versions(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let (id, assistant) = app.assistant(&id).await?;
    let metadata = Json::Object(body.object("metadata")?);
    let limit = body.field("limit")?.unwrap_or(10);
    let offset = body.field("offset")?.unwrap_or(0);
    let newest = assistant.versions.iter().rev();
    let rows = newest.map(|version| assistant.version_shown(&id, version));
    let rows = rows.filter(|row| {
        row.get("metadata")
            .is_some_and(|own| has_all(own, &metadata))
    });
    Ok(answer(&rows.skip(offset).take(limit).collect()))
}

/// `POST /assistants/{id}/latest`: the version that runs use from now on.
pub(crate) async fn latest(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let (id, assistant) = app.assistant(&id).await?;
    let Some(version) = body.field::<u64>("version")? else {
        return Err(Refusal::invalid("`version` is missing"));
    };
    if !assistant.versions.iter().any(|it| it.version == version) {
        return Err(Refusal::missing(format!("there is no version {version}")));
    }
    app.assistants.make(&id, &assistant).await?;
    let choose = |assistant: &mut Assistant| {
        (assistant.current, assistant.updated) = (version, crate::time::now());
    };
    let changed = app.assistants.change(&id, choose).await?;
    let changed = changed.ok_or_else(|| Refusal::missing("Not Found"))?;
    Ok(answer(&app.assistant_shown(&id, &changed)))
}

/// `POST /assistants/search`
pub(crate) async fn search(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let page = Page::of(&mut body, SORTABLE)?;
    Ok(page.answer(found(&app, &caller, &mut body).await?))
}

/// `POST /assistants/count`
pub(crate) async fn count(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    Ok(answer(&found(&app, &caller, &mut body).await?.len().into()))
}

/// `GET /assistants/{id}/schemas`
pub(crate) async fn schemas(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let (_, assistant) = app.assistant(&id).await?;
    let hosted = app.registry.graph(&assistant.graph_id)?;
    let schemas = &hosted.schemas;
    Ok(answer(&json!({
        "graph_id": hosted.id,
        "input_schema": schemas.input,
        "output_schema": schemas.state,
        "state_schema": schemas.state,
        "config_schema": schemas.context.clone().unwrap_or_else(|| json!({})),
        "context_schema": schemas.context,
    })))
}

/// How a graph is to be shown.
#[derive(Debug, Deserialize)]
pub(crate) struct GraphQuery {
    xray: Option<String>,
    recurse: Option<String>,
}

/// `GET /assistants/{id}/graph`, also by the id of the graph.
pub(crate) async fn graph(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(look): Query<GraphQuery>,
) -> Result<Response, Refusal> {
    let (_, assistant) = app.assistant_named(&id).await?;
    let hosted = app.registry.graph(&assistant.graph_id)?;
    let depth = match look.xray.as_deref() {
        None | Some("false" | "False") => 0,
        Some("true" | "True") => usize::MAX,
        Some(depth) => {
            let wrong = |_| Refusal::invalid("`xray` must be true, false or a number");
            depth.parse().map_err(wrong)?
        }
    };
    Ok(answer(&drawing::shown(&hosted.graph.drawing(), depth)))
}

/// `GET /assistants/{id}/subgraphs`
pub(crate) async fn subgraphs(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(look): Query<GraphQuery>,
) -> Result<Response, Refusal> {
    inner(&app, &id, None, &look).await
}

/// `GET /assistants/{id}/subgraphs/{namespace}`
pub(crate) async fn subgraph(
    State(app): State<Arc<App>>,
    Path((id, namespace)): Path<(String, String)>,
    Query(look): Query<GraphQuery>,
) -> Result<Response, Refusal> {
    inner(&app, &id, Some(&namespace), &look).await
}

async fn inner(
    app: &App,
    id: &str,
    namespace: Option<&str>,
    look: &GraphQuery,
) -> Result<Response, Refusal> {
    let (_, assistant) = app.assistant(id).await?;
    let hosted = app.registry.graph(&assistant.graph_id)?;
    let recurses = matches!(look.recurse.as_deref(), Some("true" | "True" | "1"));
    // What a graph inside takes is known of its parent only.
    let schemas = json!({
        "input_schema": null,
        "output_schema": null,
        "state_schema": null,
        "config_schema": null,
        "context_schema": null,
    });
    let mut found = Map::new();
    collect(
        &hosted.graph.drawing(),
        "",
        recurses || namespace.is_some(),
        &mut |path| {
            let is_wanted = match (namespace, recurses) {
                (None, _) => true,
                (Some(wanted), false) => path == wanted,
                (Some(wanted), true) => {
                    let below = path.strip_prefix(wanted);
                    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('|'))
                }
            };
            if is_wanted {
                found.insert(path.to_owned(), schemas.clone());
            }
        },
    );
    Ok(answer(&Json::Object(found)))
}

fn collect(drawing: &Drawing, above: &str, recurses: bool, each: &mut impl FnMut(&str)) {
    for node in &drawing.nodes {
        let Some(inside) = node.inside.as_deref() else {
            continue;
        };
        let path = match above {
            "" => node.name.to_string(),
            above => format!("{above}|{}", node.name),
        };
        each(&path);
        if recurses {
            collect(inside, &path, recurses, each);
        }
    }
}

async fn found(app: &App, caller: &Visitor, body: &mut Payload) -> Result<Vec<Json>, Refusal> {
    let graph: Option<String> = body.field("graph_id")?;
    let name: Option<String> = body.field("name")?;
    let name = name.unwrap_or_default().to_lowercase();
    let metadata = Json::Object(body.object("metadata")?);
    let text = |row: &Json, key: &str| row.get(key).and_then(Json::as_str).map(str::to_owned);
    let is_wanted = |row: &Json| graph.is_none() || text(row, "graph_id") == graph;
    let is_named = |row: &Json| {
        let own = text(row, "name").unwrap_or_default();
        own.to_lowercase().contains(&name)
    };
    let is_marked = |row: &Json| {
        row.get("metadata")
            .is_some_and(|own| has_all(own, &metadata))
    };
    let all = app.all_assistants(caller).await?;
    let rows = all
        .iter()
        .map(|(id, assistant)| app.assistant_shown(id, assistant));
    let wanted = rows.filter(|row| is_wanted(row) && is_named(row) && is_marked(row));
    Ok(wanted.collect())
}
