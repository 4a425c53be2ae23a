//! A graph that comes as JSON: from a file, a database, a tool that draws graphs.
//!
//! A `GraphSpec` says which nodes there are and how they are connected; a `Registry` says what their kinds
//! can do. `shout` is a kind of this program, `ask` and `set` are there from the start. What is wrong with the
//! data is told all at once, with its place. This prints
//!
//! ```text
//! wrong: [SS4031] nodes[0].kind: there is no kind of node `shuot`; there are ask, pass, set, shout
//! wrong: [SS4031] routes[0].kind: there is no router `chanel`; there are channel
//! asked: publish it?
//! > yes
//! RAIN IS WET!, published: true
//! ```

use std::error::Error;

use serde_json::json;
use superstep::{
    Backends, MemorySaver, RunOptions, Value,
    dynamic::{DynCtx, GraphSpec, Halt, Registry, input},
};

const SPEC: &str = r#"{
    "name": "publish",
    "channels": [{"name": "text"}, {"name": "answer"}, {"name": "published"}],
    "nodes": [
        {"name": "loud", "kind": "shout", "config": {"end": "!"}},
        {"name": "approve", "kind": "ask", "config": {"question": "publish it?", "into": "answer"}},
        {"name": "publish", "kind": "set", "config": {"values": {"published": true}}}
    ],
    "edges": [
        {"from": "__start__", "to": "loud"},
        {"from": "loud", "to": "approve"}
    ],
    "routes": [{
        "from": "approve", "kind": "channel", "config": {"channel": "answer"},
        "map": {"yes": "publish", "no": "__end__"}
    }]
}"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = Registry::new().node("shout", |config| {
        let end = config["end"].as_str().ok_or("`end` is a text")?.to_owned();
        Ok(move |ctx: DynCtx| {
            let end = end.clone();
            async move {
                let text: String = ctx.read("text")?;
                Ok::<_, Halt>(json!({ "text": text.to_uppercase() + &end }))
            }
        })
    });
    let backends = Backends::on(MemorySaver::new());

    let misspelt = SPEC
        .replace("shout", "shuot")
        .replace("\"kind\": \"channel\"", "\"kind\": \"chanel\"");
    let Err(wrong) = GraphSpec::read(&misspelt)?.build(&registry, backends.clone()) else {
        return Err("kinds that nobody knows should be refused".into());
    };
    for mistake in &wrong.0 {
        println!("wrong: {mistake}");
    }

    let graph = GraphSpec::read(SPEC)?.build(&registry, backends)?;
    let options = RunOptions::on("t");
    let outcome = graph
        .invoke(json!({ "text": "rain is wet" }), &options)
        .await?;
    for ask in &outcome.asks {
        println!("asked: {}\n> yes", ask.value.as_str().unwrap_or_default());
    }
    let outcome = graph.invoke(input::resume("yes"), &options).await?;
    let state = outcome.output.unwrap_or_default();
    let text = state.get("text").and_then(Value::as_str);
    let published = state.get("published").and_then(Value::as_bool);
    let published = published.unwrap_or_default();
    println!("{}, published: {published}", text.unwrap_or_default());
    match published {
        true => Ok(()),
        false => Err("what was approved should be published".into()),
    }
}
