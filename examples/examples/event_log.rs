//! The event log of a thread: read it from any place, come back with a cursor, miss nothing.
//!
//! A run with `log` puts its events into its thread's log, stored together with the steps they are
//! about. A reader is not part of the run: here the first one goes away in the middle, the run
//! waits for an answer, another run continues, and the second reader, which got nothing but the
//! cursor as text, sees exactly the rest. Modes are filters over the one log. This prints
//!
//! ```text
//! the first reader
//!   1.1   a run starts
//!   1.2   {"log":[]}
//!   1.4   {"log":["drafted"]}
//! it comes back with cursor 1.4
//!   1.6   {"log":["drafted"]} and asks "send it?"
//!   1.7   the run waits for 1 answer
//!   2.1   a run starts
//!   2.2   {"log":["drafted"]}
//!   2.4   {"log":["drafted","sent"]}
//!   2.5   the run is done
//! updates alone, of both runs
//!   1.3   draft wrote {"log":["drafted"]}
//!   1.5   a question
//!   2.3   send wrote {"log":["sent"]}
//! ```

use std::error::Error;

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Cursor, Ending, LogItem, MemorySaver, Modes, RunOptions,
    dynamic::{DynCtx, DynFollow, DynGraphBuilder, DynReducer, EventKind, Halt, START, input},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = DynGraphBuilder::new()
        .reduce("log", DynReducer::Add, json!([]))
        .backends(Backends::on(MemorySaver::new()))
        .node("draft", draft)
        .node("send", send)
        .edge(START, "draft")
        .edge("draft", "send")
        .build()?;
    let options = RunOptions {
        log: Modes::VALUES.with(Modes::UPDATES),
        ..RunOptions::on("mail")
    };

    println!("the first reader");
    let mut reader = graph.follow("mail", None, Modes::VALUES);
    let read = async {
        for _ in 0..3 {
            let (cursor, item) = reader.next_ever().await?;
            show(cursor, item);
        }
        Ok::<_, superstep::Error>(())
    };
    let (outcome, read) = tokio::join!(graph.invoke(json!({ "log": [] }), &options), read);
    outcome?;
    read?;
    let ticket = reader.cursor().map(|cursor| cursor.to_string());
    drop(reader);

    graph.invoke(input::resume(json!("yes")), &options).await?;
    let ticket = ticket.ok_or("three entries were read")?;
    println!("it comes back with cursor {ticket}");
    let after: Cursor = ticket.parse()?;
    let rest = print_all(graph.follow("mail", Some(after), Modes::VALUES)).await?;

    println!("updates alone, of both runs");
    let mut updates = graph.follow("mail", None, Modes::UPDATES);
    while let Some((cursor, item)) = updates.next().await? {
        if matches!(item, LogItem::Event(_)) {
            show(cursor, item);
        }
    }
    if rest != 6 {
        return Err(format!("the rest is six entries, not {rest}").into());
    }
    Ok(())
}

async fn print_all(mut follow: DynFollow) -> Result<usize, superstep::Error> {
    let mut count = 0;
    while let Some((cursor, item)) = follow.next().await? {
        show(cursor, item);
        count += 1;
    }
    Ok(count)
}

fn show(cursor: Cursor, item: LogItem) {
    let text = match item {
        LogItem::Started { .. } => "a run starts".to_owned(),
        LogItem::Ended(Ending::Done) => "the run is done".to_owned(),
        LogItem::Ended(Ending::Waiting(asks)) => {
            format!("the run waits for {} answer", asks.len())
        }
        LogItem::Ended(other) => format!("the run ends: {other:?}"),
        LogItem::Event(event) => match event.kind {
            EventKind::Values { values, asks } => match asks.iter().flatten().next() {
                Some(ask) => format!("{values} and asks {}", ask.value),
                None => values.to_string(),
            },
            EventKind::Update { node, update, .. } => format!("{node} wrote {update}"),
            EventKind::Asked(_) => "a question".to_owned(),
            other => format!("{other:?}"),
        },
    };
    println!("  {cursor}   {text}");
}

async fn draft(_: DynCtx) -> Result<Json, Halt> {
    Ok(json!({ "log": ["drafted"] }))
}

async fn send(ctx: DynCtx) -> Result<Json, Halt> {
    ctx.ask(json!("send it?"))?;
    Ok(json!({ "log": ["sent"] }))
}
