//! `/store`: the long-term store, without what the server itself keeps there.

mod item_editor;

use std::{num::NonZeroUsize, sync::Arc, time::Duration};

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use superstep::store::{
    Expected, Filter, Index, IndexPath, Item, ListNamespaces, Namespace, Pattern, Prefix,
    PutOptions, Search, SearchHit, StoreError, TtlOnRead,
};

use crate::{
    app::{App, store_edit::StoreEdit},
    owners::visitor::Visitor,
    refusal::{Refusal, answer},
    request::payload::Payload,
    time,
};

/// How much is read at once where some of it is left out.
const BATCH: usize = 1000;

/// `PUT /store/items`
pub(crate) async fn put(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let (namespace, key) = place(&app, &mut body)?;
    let Some(value) = body.field::<Json>("value")? else {
        return Err(Refusal::invalid("`value` is missing"));
    };
    let seen: Option<Json> = body.field("expected")?;
    if let Some(looked) = app.editor(&caller, &namespace, &key)? {
        let edit = StoreEdit {
            namespace: looked.namespace,
            key,
            value,
            seen,
        };
        looked.editor.put(looked.store, edit).await?;
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let Json::Object(value) = value else {
        return Err(Refusal::invalid("`value` must be an object"));
    };
    let index = match body.field::<Json>("index")? {
        None | Some(Json::Bool(true)) => Index::Default,
        Some(Json::Bool(false)) => Index::Off,
        Some(paths) => {
            let paths = serde_json::from_value::<Vec<String>>(paths);
            let paths = paths.map_err(|error| Refusal::invalid(format!("`index`: {error}")))?;
            let paths = paths.iter().map(|path| path.parse::<IndexPath>());
            Index::Fields(paths.collect::<Result<_, StoreError>>()?)
        }
    };
    let minutes: Option<f64> = body.field("ttl")?;
    let ttl = minutes.map(|minutes| Duration::try_from_secs_f64(minutes * 60.0));
    let wrong = |error| Refusal::invalid(format!("`ttl`: {error}"));
    let options = PutOptions {
        ttl: ttl.transpose().map_err(wrong)?,
        index,
        expected: seen.map_or(Expected::Anything, Expected::Value),
    };
    let store = app.store_of(&caller)?;
    store
        .put(&namespace, &key, Json::Object(value), options)
        .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Which item a query names.
#[derive(Debug, Deserialize)]
pub(crate) struct Named {
    namespace: Option<String>,
    key: Option<String>,
    refresh_ttl: Option<String>,
}

/// `GET /store/items`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    caller: Visitor,
    Query(named): Query<Named>,
) -> Result<Response, Refusal> {
    let namespace = named.namespace.unwrap_or_default();
    let labels = namespace.split('.').filter(|_| !namespace.is_empty());
    let namespace = open(&app, labels.map(str::to_owned).collect())?;
    let key = named
        .key
        .ok_or_else(|| Refusal::invalid("`key` is missing"))?;
    let refreshes = !matches!(named.refresh_ttl.as_deref(), Some("false" | "False" | "0"));
    let found = app
        .store_of(&caller)?
        .get(&namespace, &key, ttl(refreshes))
        .await?;
    Ok(answer(&found.map_or(Json::Null, item)))
}

/// `DELETE /store/items`
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let (namespace, key) = place(&app, &mut body)?;
    if let Some(looked) = app.editor(&caller, &namespace, &key)? {
        looked.editor.check_delete(&looked.namespace, &key)?;
    }
    app.store_of(&caller)?.delete(&namespace, &key).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `POST /store/items/search`
pub(crate) async fn search(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let labels: Vec<String> = body.field("namespace_prefix")?.unwrap_or_default();
    let prefix = Prefix::new(labels).map_err(StoreError::from)?;
    let filter: Option<Json> = body.field("filter")?;
    let filter = filter.map(|filter| Filter::from_json(&filter)).transpose();
    let query: Option<String> = body.field("query")?;
    let (limit, offset) = part(&mut body, 10)?;
    let refreshes = body.field("refresh_ttl")?.unwrap_or(true);
    let mut wanted = Search {
        prefix,
        filter: filter.map_err(StoreError::from)?.unwrap_or_default(),
        query,
        limit,
        offset,
        ttl: ttl(refreshes),
    };
    let store = app.store_of(&caller)?;
    let found = match app.hidden.may_be_below(&wanted.prefix) {
        false => store.search(wanted).await?,
        true => {
            // What is left out does not count.
            (wanted.limit, wanted.ttl) = (BATCH, TtlOnRead::Keep);
            let mut all: Vec<SearchHit> = Vec::new();
            wanted.offset = 0;
            loop {
                let batch = store.search(wanted.clone()).await?;
                wanted.offset += batch.len();
                let is_last = batch.len() < BATCH;
                all.extend(
                    batch
                        .into_iter()
                        .filter(|found| !app.hidden.has(&found.item.namespace)),
                );
                if is_last || all.len() >= offset.saturating_add(limit) {
                    break;
                }
            }
            all.into_iter().skip(offset).take(limit).collect()
        }
    };
    let show = |found: SearchHit| {
        let mut shown = item(found.item);
        if let Json::Object(fields) = &mut shown {
            fields.insert("score".to_owned(), found.score.into());
        }
        shown
    };
    let items: Vec<Json> = found.into_iter().map(show).collect();
    Ok(answer(&json!({ "items": items })))
}

/// `POST /store/namespaces`
pub(crate) async fn namespaces(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let labels = |labels: Option<Vec<String>>| Pattern::new(labels.unwrap_or_default());
    let prefix = labels(body.field("prefix")?);
    let suffix = labels(body.field("suffix")?);
    let depth: Option<NonZeroUsize> = body.field("max_depth")?;
    let (limit, offset) = part(&mut body, 100)?;
    let store = app.store_of(&caller)?;
    let mut wanted = ListNamespaces {
        prefix,
        suffix,
        max_depth: None,
        limit: BATCH,
        offset: 0,
    };
    // They are cut here, where those that are left out are still known.
    let mut all: Vec<Namespace> = Vec::new();
    loop {
        let batch = store.list_namespaces(wanted.clone()).await?;
        wanted.offset += batch.len();
        let is_last = batch.len() < BATCH;
        let open = batch
            .into_iter()
            .filter(|namespace| !app.hidden.has(namespace));
        all.extend(open.map(|namespace| match depth {
            Some(depth) => namespace.truncated(depth),
            None => namespace,
        }));
        if is_last {
            break;
        }
    }
    all.dedup();
    let shown: Vec<Namespace> = all.into_iter().skip(offset).take(limit).collect();
    Ok(answer(&json!({ "namespaces": shown })))
}

fn place(app: &App, body: &mut Payload) -> Result<(Namespace, String), Refusal> {
    let namespace = open(app, body.field("namespace")?.unwrap_or_default())?;
    let key = body.field("key")?;
    Ok((
        namespace,
        key.ok_or_else(|| Refusal::invalid("`key` is missing"))?,
    ))
}

/// A namespace that clients may use.
fn open(app: &App, labels: Vec<String>) -> Result<Namespace, Refusal> {
    if labels.is_empty() {
        let why = "Namespace cannot be empty.";
        return Err(Refusal::new(StatusCode::BAD_REQUEST, why));
    }
    let namespace = Namespace::new(labels).map_err(StoreError::from)?;
    if app.hidden.has(&namespace) {
        let why = format!("the server keeps {namespace} to itself: use `/threads`");
        return Err(Refusal::new(StatusCode::FORBIDDEN, why));
    }
    Ok(namespace)
}

fn part(body: &mut Payload, limit: usize) -> Result<(usize, usize), Refusal> {
    let limit = body.field("limit")?.unwrap_or(limit);
    if !(1..=BATCH).contains(&limit) {
        return Err(Refusal::invalid(format!("`limit` must be 1 to {BATCH}")));
    }
    Ok((limit, body.field("offset")?.unwrap_or(0)))
}

fn ttl(refreshes: bool) -> TtlOnRead {
    match refreshes {
        true => TtlOnRead::Refresh,
        false => TtlOnRead::Keep,
    }
}

fn item(item: Item) -> Json {
    json!({
        "namespace": item.namespace,
        "key": item.key,
        "value": item.value,
        "created_at": time::text(item.created_at.saturating_mul(1000)),
        "updated_at": time::text(item.updated_at.saturating_mul(1000)),
    })
}
