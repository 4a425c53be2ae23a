//! Host of node programs, on the engine.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use serde_json::{Map, Value as Json, json};
use superstep_core::{
    error::{Error, Failure},
    run::Halt,
    value::Value,
};
use superstep_engine::{CallTask, DynCtx, DynGraph, ctx::Calling};
use superstep_store::{
    Filter, ListNamespaces, Namespace, Pattern, Prefix, PutOptions, Search, Store, TtlOnRead,
};

use crate::{
    convert,
    errors::to_stop,
    expr::{Env, Externals},
    external_state::ExternalState,
    program::{self, Ended, Host, LlmCall, Reply, Stop},
    value::Val,
};

/// What programs of a graph may call.
#[derive(Clone, Default)]
pub struct Callables {
    /// Graphs by name.
    pub graphs: BTreeMap<String, DynGraph>,
    /// Tasks by name.
    pub tasks: BTreeMap<String, CallTask>,
}

/// A program's host on a running task.
pub struct TaskHost {
    ctx: DynCtx,
    external: ExternalState,
    callables: Arc<Callables>,
    calls: HashMap<u64, Calling>,
    engine_error: Option<Error>,
}

impl TaskHost {
    /// A host for one run of a program.
    pub fn new(ctx: DynCtx, external: ExternalState, callables: Arc<Callables>) -> Self {
        Self {
            ctx,
            external,
            callables,
            calls: HashMap::new(),
            engine_error: None,
        }
    }

    /// Runs a program; what it could not catch comes back as the engine's own.
    pub async fn run(mut self, stmts: &[Json], env: Env) -> Result<Ended, Halt> {
        program::run(stmts, env, &mut self)
            .await
            .map_err(|stop| self.as_halt(stop))
    }

    fn as_halt(&mut self, stop: Stop) -> Halt {
        match stop {
            Stop::Raised { kind, message } => raised(&kind, message).into(),
            Stop::Engine { kind, message, .. } => match self.engine_error.take() {
                Some(error) => Halt::Error(error),
                None => raised(&kind, message).into(),
            },
            Stop::Bubble(inner) => match inner.downcast::<Halt>() {
                Ok(halt) => *halt,
                Err(inner) => match inner.downcast::<Error>() {
                    Ok(error) => Halt::Error(*error),
                    Err(_) => Failure::new("CaseBug", "an unknown bubble")
                        .permanent()
                        .into(),
                },
            },
            Stop::Bug(why) => Failure::new("CaseBug", why).permanent().into(),
        }
    }

    fn stop(&mut self, halt: Halt) -> Stop {
        if let Halt::Error(error) = &halt {
            self.engine_error = Some(error.clone());
        }
        to_stop(halt)
    }
}

/// A user's error of a case.
pub fn raised(kind: &str, message: String) -> Failure {
    let failure = Failure::new(kind, message);
    if crate::case::node::RetryOn::Default.covers(kind) {
        failure
    } else {
        failure.permanent()
    }
}

impl Externals for TaskHost {
    fn counter(&self, name: &str) -> i64 {
        self.external.counter(name)
    }
    fn flag(&self, name: &str) -> Json {
        self.external.flag(name)
    }
}

impl Host for TaskHost {
    fn count(&mut self, name: &str) -> i64 {
        self.external.count(name)
    }

    fn interrupt(&mut self, value: Json, schema: Option<Json>) -> Reply<'_, Val> {
        let answer = self.ctx.ask_with(value.into(), schema.map(Value::from));
        let answer = answer
            .map(|answer| convert::to_val(&answer))
            .map_err(|halt| self.stop(halt));
        Box::pin(std::future::ready(answer))
    }

    fn emit(&mut self, data: Json) -> Reply<'_, ()> {
        Box::pin(async move {
            self.ctx.emit(data).await;
            Ok(())
        })
    }

    fn sleep(&mut self, ms: u64) -> Reply<'_, ()> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            Ok(())
        })
    }

    fn store<'a>(&'a mut self, verb: &'a str, fields: Map<String, Json>) -> Reply<'a, Val> {
        Box::pin(async move {
            let Some(store) = self.ctx.store() else {
                return Err(Stop::Bug("the case has no store".into()));
            };
            store_do(&**store, verb, &fields)
                .await
                .map(Val::from)
                .map_err(Stop::Bug)
        })
    }

    fn call<'a>(&'a mut self, graph: &'a str, input: Val) -> Reply<'a, Val> {
        Box::pin(async move {
            let Some(graph) = self.callables.graphs.get(graph).cloned() else {
                return Err(Stop::Bug(format!("no graph `{graph}` to call")));
            };
            match self.ctx.run_graph(&graph, convert::to_value(&input)).await {
                Ok(output) => Ok(output.as_ref().map_or(Val::Null, convert::to_val)),
                Err(halt) => Err(self.stop(halt)),
            }
        })
    }

    fn start_task<'a>(&'a mut self, name: &'a str, args: Vec<Val>) -> Reply<'a, u64> {
        let Some(task) = self.callables.tasks.get(name) else {
            return Box::pin(std::future::ready(Err(Stop::Bug(format!(
                "no task `{name}`"
            )))));
        };
        let calling = self
            .ctx
            .call(task, args.iter().map(convert::to_value).collect());
        let id = self.calls.len() as u64;
        self.calls.insert(id, calling);
        Box::pin(std::future::ready(Ok(id)))
    }

    fn await_task(&mut self, id: u64) -> Reply<'_, Val> {
        Box::pin(async move {
            let Some(calling) = self.calls.get_mut(&id) else {
                return Err(Stop::Bug("an unknown future".into()));
            };
            match calling.await {
                Ok(value) => Ok(convert::to_val(&value)),
                Err(halt) => Err(self.stop(halt)),
            }
        })
    }

    fn llm(&mut self, call: LlmCall) -> Reply<'_, Val> {
        Box::pin(async move {
            for chunk in &call.chunks {
                let piece = json!({ "type": "ai_chunk", "content": chunk, "id": call.id });
                self.ctx.emit_message(piece.into()).await;
            }
            let content = call.chunks.concat();
            let mut message = json!({ "type": "ai", "content": content, "id": call.id });
            if let (false, Some(map)) = (call.tool_calls.is_empty(), message.as_object_mut()) {
                map.insert("tool_calls".into(), Json::Array(call.tool_calls));
            }
            Ok(Val::from(message))
        })
    }

    fn drain<'a>(&'a mut self, reason: &'a str) -> Reply<'a, ()> {
        self.ctx.drain(reason);
        Box::pin(std::future::ready(Ok(())))
    }

    fn heartbeat(&mut self) -> Reply<'_, ()> {
        self.ctx.heartbeat();
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A store verb with its fields.
pub async fn store_do(
    store: &dyn Store,
    verb: &str,
    fields: &Map<String, Json>,
) -> Result<Json, String> {
    let labels = |name: &str| -> Vec<String> {
        let list = fields.get(name).and_then(Json::as_array);
        list.into_iter()
            .flatten()
            .filter_map(|l| l.as_str().map(str::to_owned))
            .collect()
    };
    let namespace = || Namespace::new(labels("ns")).map_err(|error| error.to_string());
    let key = fields.get("key").and_then(Json::as_str).unwrap_or_default();
    let number = |name: &str| {
        fields
            .get(name)
            .and_then(Json::as_u64)
            .and_then(|n| usize::try_from(n).ok())
    };
    let text = |error: superstep_store::StoreError| error.to_string();
    match verb {
        "put" => {
            let value = fields.get("value").cloned().unwrap_or_default();
            let put = store.put(&namespace()?, key, value, PutOptions::default());
            put.await.map(|()| Json::Null).map_err(text)
        }
        "get" => {
            let item = store
                .get(&namespace()?, key, TtlOnRead::default())
                .await
                .map_err(text)?;
            Ok(item.map_or(Json::Null, |item| item.value))
        }
        "delete" => store
            .delete(&namespace()?, key)
            .await
            .map(|()| Json::Null)
            .map_err(text),
        "search" => {
            let prefix = Prefix::new(labels("ns")).map_err(|error| error.to_string())?;
            let mut search = Search {
                prefix,
                ..Search::default()
            };
            if let Some(filter) = fields.get("filter") {
                search.filter = Filter::from_json(filter).map_err(|error| error.to_string())?;
            }
            search.limit = number("limit").unwrap_or(search.limit);
            search.offset = number("offset").unwrap_or(search.offset);
            let found = store.search(search).await.map_err(text)?;
            let items = found.into_iter().map(|found| {
                let ns = found.item.namespace.labels();
                json!({ "ns": ns, "key": found.item.key, "value": found.item.value })
            });
            Ok(items.collect())
        }
        "namespaces" => {
            let (prefix, suffix) = (
                Pattern::new(labels("prefix")),
                Pattern::new(labels("suffix")),
            );
            let mut list = ListNamespaces {
                prefix,
                suffix,
                ..ListNamespaces::default()
            };
            list.max_depth = number("max_depth").and_then(std::num::NonZeroUsize::new);
            list.limit = number("limit").unwrap_or(list.limit);
            list.offset = number("offset").unwrap_or(list.offset);
            let found = store.list_namespaces(list).await.map_err(text)?;
            Ok(found.iter().map(|ns| Json::from(ns.labels())).collect())
        }
        other => Err(format!("no store verb `{other}`")),
    }
}
