//! Every kind of channel at a glance.
//!
//! A channel decides what becomes of the writes of a step. Here the input comes first, then the
//! nodes `a` and `b` write in the same step, then `c` writes once more. The columns show the state
//! after each of the three; `-` is a channel without a value. This prints
//!
//! ```text
//!        kind                                 input      a and b         c
//! last   the last value; one write a step     -          -               9
//! sum    Add: numbers add, lists concatenate  1          13              9
//! list   Append: each write is an element     [1]        [1,5,7]         [1,5,7]
//! max    Max                                  1          7               7
//! min    Min                                  1          1               1
//! set    Union: elements not there yet        [1]        [1,5,7]         [1,5,7]
//! map    Merge: objects, key by key           {"n":1}    {"n":7}         {"n":7}
//! chat   Messages: replaced by id             say 1      say 7, say 5    say 7, say 5
//! own    Custom: here a product               1          35              35
//! brief  Ephemeral: for the next step only    1          7               -
//! topic  Topic: all writes of one step        [1]        [5,7]           -
//! log    Log: all writes ever                 [1]        [1,5,7]         [1,5,7,9]
//! any    Any: cleared by a step without it    1          7               -
//! live   Untracked: never stored              1          7               7
//! ```

use std::error::Error;

use serde_json::{Value as Json, json};
use superstep::{
    Failure, Modes, RunOptions, Value,
    dynamic::{
        ChannelKind, ChannelSpec, DynCtx, DynGraphBuilder, DynReducer, EventKind, Guard, Halt,
        START,
    },
};
use superstep_core::message::Unknown;

const CHANNELS: [(&str, &str); 14] = [
    ("last", "the last value; one write a step"),
    ("sum", "Add: numbers add, lists concatenate"),
    ("list", "Append: each write is an element"),
    ("max", "Max"),
    ("min", "Min"),
    ("set", "Union: elements not there yet"),
    ("map", "Merge: objects, key by key"),
    ("chat", "Messages: replaced by id"),
    ("own", "Custom: here a product"),
    ("brief", "Ephemeral: for the next step only"),
    ("topic", "Topic: all writes of one step"),
    ("log", "Log: all writes ever"),
    ("any", "Any: cleared by a step without it"),
    ("live", "Untracked: never stored"),
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let product = DynReducer::custom(|old, new| match (old.as_i64(), new.as_i64()) {
        (Some(old), Some(new)) => Ok((old * new).into()),
        _ => Err(Failure::new("TypeError", "a product needs two numbers").permanent()),
    });
    let nothing = Vec::<Value>::new;
    let graph = DynGraphBuilder::new()
        .last_value("last")
        .reduce("sum", DynReducer::Add, 0)
        .reduce("list", DynReducer::Append, nothing())
        .reduce("max", DynReducer::Max, 0)
        .reduce("min", DynReducer::Min, 100)
        .reduce("set", DynReducer::Union, nothing())
        .reduce("map", DynReducer::Merge, json!({}))
        .reduce("chat", DynReducer::Messages(Unknown::Refuse), nothing())
        .reduce("own", product, 1)
        .channel(kind("brief", ChannelKind::Ephemeral(Guard::Any)))
        .channel(kind("topic", ChannelKind::Topic))
        .channel(kind("log", ChannelKind::Log))
        .channel(kind("any", ChannelKind::Any))
        .channel(kind("live", ChannelKind::Untracked(Guard::Any)))
        .node("a", async |_: DynCtx| Ok::<_, Halt>(writes(5, "second")))
        .node("b", async |_: DynCtx| Ok::<_, Halt>(writes(7, "first")))
        .node("c", c)
        .edge(START, "a")
        .edge(START, "b")
        .join(["a", "b"], "c")
        .build()?;

    let options = RunOptions {
        modes: Modes::VALUES,
        ..RunOptions::default()
    };
    let mut stream = graph.stream(writes(1, "first"), &options);
    let mut states = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Values { values, .. } = event.kind {
            states.push(values);
        }
    }
    stream.outcome().await?;

    println!("{:5}  {:36} {:10} {:15} c", "", "kind", "input", "a and b");
    for (name, about) in CHANNELS {
        let cells: Vec<String> = states.iter().map(|state| cell(state.get(name))).collect();
        let [input, both, last] = cells.as_slice() else {
            return Err(format!("three states were expected, not {}", states.len()).into());
        };
        println!("{name:5}  {about:36} {input:10} {both:15} {last}");
    }
    let end = states.last().ok_or("there is a last state")?;
    if end.get("sum") != Some(&9.into()) || end.get("topic").is_some() {
        return Err("the sum should be overwritten, and the topic empty".into());
    }
    Ok(())
}

/// The same writes for all; `last` is left out, for two writes of it in one step are an error.
fn writes(n: i64, message: &str) -> Json {
    json!({
        "sum": n, "list": n, "max": n, "min": n, "set": [1, n], "map": { "n": n }, "own": n,
        "chat": { "type": "human", "id": message, "content": format!("say {n}") },
        "brief": n, "topic": n, "log": n, "any": n, "live": n,
    })
}

/// An overwrite passes the reducer by.
async fn c(_: DynCtx) -> Result<Value, Halt> {
    Ok(Value::map([
        ("last", Value::from(9)),
        ("sum", Value::from(9).overwriting()),
        ("log", Value::from(9)),
    ]))
}

fn kind(name: &str, kind: ChannelKind) -> ChannelSpec {
    ChannelSpec {
        name: name.into(),
        kind,
        private: false,
    }
}

/// A value in few characters; of messages only what they say.
fn cell(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    let messages = value.as_list().unwrap_or_default();
    let said: Vec<&str> = messages
        .iter()
        .filter_map(|one| one.get("content")?.as_str())
        .collect();
    if said.is_empty() {
        value.to_string()
    } else {
        said.join(", ")
    }
}
