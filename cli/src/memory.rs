//! `superstep memory`: what agents remember over threads, listed and searched.
//!
//! A search by meaning embeds what is under the prefix in this process's memory and throws it away
//! after: what agents wrote stays as it is, whatever embedder they use.

use std::{collections::HashMap, sync::Arc};

use serde_json::json;
use superstep::{
    MemoryStore,
    store::{
        Embedder, Namespace, Op, Prefix, Put, PutOptions, Search, SearchHit, Store, StoreError,
        TtlOnRead,
    },
    text::single_line,
};

use crate::{
    app::App,
    args::{MemoryCommand, MemoryPlace, MemorySearch},
    consent::is_agreed,
    database, embedder,
    error::Error,
    output::{Form, Output, count, faint, plain, shown, strong},
    units,
    wrap::cut,
};

/// How many items are read at a time.
const PAGE: usize = 200;

/// How many items are embedded for one search.
const MOST: usize = 5_000;

pub(crate) async fn run(command: MemoryCommand, app: &mut App<'_>) -> Result<(), Error> {
    if let MemoryCommand::Delete(place) = &command {
        return delete(place, app).await;
    }
    let store = database::read_only(app.global)?;
    let store = store.store.ok_or(Error::NoSaver)?;
    match command {
        MemoryCommand::List { under } => {
            let mut shown = 0;
            loop {
                let page = page(&*store, prefix(under.as_deref())?, shown).await?;
                page.iter().try_for_each(|found| show(found, app.output))?;
                shown += page.len();
                if page.len() < PAGE {
                    break;
                }
            }
            app.output.say(&[faint(count(shown, "item"))]);
            Ok(())
        }
        MemoryCommand::Search(search) => {
            let found = found(&*store, &search, app).await?;
            found.iter().try_for_each(|found| show(found, app.output))?;
            app.output
                .say(&[faint(format!("{} found", count(found.len(), "item")))]);
            Ok(())
        }
        MemoryCommand::Delete(_) => Ok(()),
    }
}

/// Deletes an item without reading it: it may be damaged.
async fn delete(place: &MemoryPlace, app: &mut App<'_>) -> Result<(), Error> {
    let store = database::writable(app.global)?;
    let store = store.store.ok_or(Error::NoSaver)?;
    let namespace: Namespace = place.namespace.parse().map_err(StoreError::from)?;
    let address = format!("{}/{}", shown(&namespace), shown(&place.key));
    // What cannot be read is there.
    let found = store.get(&namespace, &place.key, TtlOnRead::Keep).await;
    if matches!(found, Ok(None)) {
        return Err(Error::Missing {
            what: format!("there is no item {address}"),
            hint: "see `superstep memory list` and `superstep db check`",
        });
    }
    is_agreed(&format!("delete the item {address}"), app).await?;
    store.delete(&namespace, &place.key).await?;
    if app.output.form == Form::Json {
        return app
            .output
            .json(&json!({"deleted": {"namespace": namespace, "key": place.key}}));
    }
    app.output.say(&[plain(format!("deleted {address}"))]);
    Ok(())
}

async fn found(
    store: &dyn Store,
    asked: &MemorySearch,
    app: &App<'_>,
) -> Result<Vec<SearchHit>, Error> {
    let under = prefix(asked.under.as_deref())?;
    let search = Search {
        prefix: under.clone(),
        query: Some(asked.query.clone()),
        limit: asked.limit,
        ttl: TtlOnRead::Keep,
        ..Search::default()
    };
    let Some(name) = &asked.embedder else {
        return Ok(store.search(search).await?);
    };
    let embedder = embedder::open(name, app).await?;
    let (copy, originals) = embedded(store, under, embedder).await?;
    let mut found = copy.search(search).await?;
    for found in &mut found {
        let address = (found.item.namespace.to_string(), found.item.key.clone());
        if let Some(original) = originals.get(&address) {
            found.item = original.item.clone();
        }
    }
    Ok(found)
}

/// A copy of what is under a prefix, with vectors.
async fn embedded(
    store: &dyn Store,
    under: Prefix,
    embedder: Arc<dyn Embedder>,
) -> Result<(MemoryStore, HashMap<(String, String), SearchHit>), Error> {
    let copy = MemoryStore::new().with_embedder(embedder);
    let mut originals = HashMap::new();
    loop {
        let page = page(store, under.clone(), originals.len()).await?;
        let full = page.len() == PAGE;
        let puts = page.iter().map(|found| {
            Op::Put(Put {
                namespace: found.item.namespace.clone(),
                key: found.item.key.clone(),
                value: found.item.value.clone(),
                options: PutOptions::default(),
            })
        });
        copy.batch(puts.collect()).await?;
        let addressed = page.into_iter().map(|found| {
            let address = (found.item.namespace.to_string(), found.item.key.clone());
            (address, found)
        });
        originals.extend(addressed);
        if !full {
            return Ok((copy, originals));
        }
        if originals.len() >= MOST {
            return Err(Error::Usage(format!(
                "there are more than {MOST} items to read; narrow the search with --under"
            )));
        }
    }
}

async fn page(store: &dyn Store, prefix: Prefix, offset: usize) -> Result<Vec<SearchHit>, Error> {
    let search = Search {
        prefix,
        limit: PAGE,
        offset,
        ttl: TtlOnRead::Keep,
        ..Search::default()
    };
    Ok(store.search(search).await?)
}

fn prefix(under: Option<&str>) -> Result<Prefix, Error> {
    let labels = under.unwrap_or_default().split('.');
    let labels = labels.filter(|label| !label.is_empty());
    Ok(Prefix::new(labels).map_err(superstep::store::StoreError::from)?)
}

/// Gives the times of an item the form of all times; what they were, in milliseconds, is under `_ms`.
fn times(json: &mut serde_json::Value) {
    let Some(fields) = json.as_object_mut() else {
        return;
    };
    for name in ["created", "updated"] {
        let at = format!("{name}_at");
        if let Some(millis) = fields.get(&at).and_then(serde_json::Value::as_u64) {
            fields.insert(at, units::iso_of_millis(millis));
            fields.insert(format!("{name}_ms"), millis.into());
        }
    }
}

fn show(found: &SearchHit, output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        let mut json = serde_json::to_value(found).unwrap_or_default();
        times(&mut json);
        return output.json(&json);
    }
    let score = found.score.map(|score| format!("{score:.2}  "));
    let value = match &found.item.value {
        serde_json::Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let line = [
        faint(score.unwrap_or_default()),
        strong(format!("{}/{}", found.item.namespace, found.item.key)),
        plain(format!("  {}", single_line(&value))),
    ];
    match output.columns() {
        Some(columns) => output.data(&cut(&line, columns)),
        None => output.data(&line),
    }
}
