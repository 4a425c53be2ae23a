//! What a typed run tells while it goes: events that are matched without strings.
//!
//! Reading the stream drives the run. Nodes are variants, states and updates have their types, and
//! own data (`Custom`) is taken as what it was. `modes` picks the kinds of events; all are shown
//! by default. This prints
//!
//! ```text
//! state    Poem { topic: "rain", lines: [] }
//! started  Think
//! percent  50
//! percent  100
//! update   Think wrote {"topic":"rain in May"}
//! ended    Think, well
//! state    Poem { topic: "rain in May", lines: [] }
//! started  Write
//! message  Write says "Oh "
//! message  Write says "rain "
//! message  Write says "in "
//! message  Write says "May!"
//! update   Write wrote {"lines":["Oh rain in May!"]}
//! ended    Write, well
//! state    Poem { topic: "rain in May", lines: ["Oh rain in May!"] }
//! of another run, progress alone: 2 events
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use superstep::{Event, Modes, prelude::*};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Poem {
    topic: String,
    #[reduce(Append)]
    lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Think,
    Write,
}

/// Own data of a node: how far it is.
#[derive(Clone, Serialize, Deserialize)]
struct Progress {
    percent: u8,
}

#[derive(Clone, Serialize, Deserialize)]
struct Piece {
    content: String,
}

#[node(Poem, Node)]
async fn think(poem: Snap<Poem>, ctx: Ctx) -> PoemUpdate {
    for percent in [50, 100] {
        ctx.emit(Progress { percent }).await;
    }
    Poem::update().topic(format!("{} in May", poem.topic))
}

/// Passes words on as a model would give them.
#[node(Poem, Node)]
async fn write(poem: Snap<Poem>, ctx: Ctx) -> Result<PoemUpdate, NodeError> {
    let line = format!("Oh {}!", poem.topic);
    for word in line.split_inclusive(' ') {
        let content = word.to_owned();
        ctx.emit_message(&Piece { content }).await?;
    }
    Ok(Poem::update().lines([line]))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::<Poem, Node>::builder()
        .node(Node::Think, think)
        .node(Node::Write, write)
        .start(Node::Think)
        .edge(Node::Think, Node::Write)
        .finish(Node::Write)
        .build()?;

    let mut stream = graph.stream("t", Poem::update().topic("rain"));
    let mut heard = String::new();
    while let Some(event) = stream.next().await {
        match event {
            Event::State(poem) => println!("state    {poem:?}"),
            Event::TaskStarted { node, .. } => println!("started  {node:?}"),
            Event::Custom(data) => println!("percent  {}", data.take::<Progress>()?.percent),
            Event::Message { node, message } => {
                let piece = message.take::<Piece>()?.content;
                println!("message  {node:?} says {piece:?}");
                heard.push_str(&piece);
            }
            Event::Update { node, update, .. } => println!("update   {node:?} wrote {update:?}"),
            Event::TaskEnded { node, error, .. } => {
                let how = if error.is_none() { "well" } else { "badly" };
                println!("ended    {node:?}, {how}");
            }
            _ => {}
        }
    }
    let poem = stream.outcome().await?.done().ok_or("the run is done")?;

    let quiet = graph.with_options(|options| options.modes = Modes::CUSTOM);
    let mut stream = quiet.stream("t", Poem::update().topic("snow"));
    let mut events = 0;
    while stream.next().await.is_some() {
        events += 1;
    }
    println!("of another run, progress alone: {events} events");

    if events != 2 || poem.lines != [heard] {
        return Err("the words together should be the line".into());
    }
    Ok(())
}
