//! A thread and a memory in a file: one process asks and ends, another answers days later.
//!
//! This program runs itself twice, as two processes that share nothing but a file. The first plans
//! a trip and ends at a question. The second opens the file, reads the question from the thread and
//! answers it; the thread continues where it stood. What it learns on the way, a wish of the traveller,
//! goes into the store of the same file, where the next trip finds it. This prints
//!
//! ```text
//! first process
//!   it waits: Book { city: "Rome" }
//! second process
//!   the thread has a question: Book { city: "Rome" }
//!   Trip { who: "Ada", city: "Rome", log: ["known wishes: []", "booked: window seat"] }
//!   the next trip begins
//!   Trip { who: "Ada", city: "Oslo", log: ["known wishes: [window seat]"] }
//! ```

use std::{
    env,
    error::Error,
    fs,
    path::Path,
    process::{self, Command},
};

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    Store,
    prelude::*,
    sqlite::Database,
    store::{Namespace, PutOptions, Search},
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Trip {
    who: String,
    city: String,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Plan,
    Book,
}

/// The answer is a wish, such as where to sit.
#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = String)]
struct Book {
    city: String,
}

async fn plan(trip: Snap<Trip>, memory: Store) -> Result<TripUpdate, NodeError> {
    let search = Search {
        prefix: wishes(&trip.who)?.into(),
        ..Search::default()
    };
    let found = memory.search(search).await?;
    let known = found.iter().filter_map(|it| it.item.value.as_str());
    let known = known.collect::<Vec<_>>().join(", ");
    Ok(Trip::update().log([format!("known wishes: [{known}]")]))
}

async fn book(trip: Snap<Trip>, memory: Store, ctx: Ctx) -> Result<TripUpdate, NodeError> {
    let city = trip.city.clone();
    let wish = ctx.ask(Book { city })?;
    let place = wishes(&trip.who)?;
    memory
        .put(&place, &trip.city, json!(wish), PutOptions::default())
        .await?;
    Ok(Trip::update().log([format!("booked: {wish}")]))
}

/// Where the wishes of a person are.
fn wishes(who: &str) -> Result<Namespace, NodeError> {
    Ok(Namespace::new(["people", who, "wishes"])?)
}

/// The graph, on a file that holds its threads and its memory.
fn open(file: &Path) -> Result<Graph<Trip, Node>, Box<dyn Error>> {
    let database = Database::open(file)?;
    let graph = Graph::<Trip, Node>::builder()
        .saver(database.saver())
        .store(database.store())
        .node(Node::Plan, plan)
        .node(Node::Book, book)
        .start(Node::Plan)
        .edge(Node::Plan, Node::Book)
        .finish(Node::Book);
    Ok(graph.build()?)
}

async fn first(file: &Path) -> Result<(), Box<dyn Error>> {
    let graph = open(file)?;
    let rome = Trip::update().who("Ada").city("Rome");
    let outcome = graph.run("trip 1", rome).await?;
    let ask = outcome.asks().first().ok_or("it asks before it books")?;
    println!("  it waits: {:?}", ask.question::<Book>()?);
    Ok(())
}

async fn second(file: &Path) -> Result<(), Box<dyn Error>> {
    let graph = open(file)?;
    let waiting = graph.state("trip 1").await?;
    let ask = waiting.asks.first().ok_or("the question is in the file")?;
    println!("  the thread has a question: {:?}", ask.question::<Book>()?);
    let answer = ask.answer::<Book>(&"window seat".to_owned())?;
    let done = graph.answer("trip 1", [answer]).await?;
    println!("  {:?}", done.state());

    println!("  the next trip begins");
    let oslo = Trip::update().who("Ada").city("Oslo");
    let next = graph.run("trip 2", oslo).await?;
    println!("  {:?}", next.state());

    let first = ["known wishes: []", "booked: window seat"];
    if done.state().log != first || next.state().log != ["known wishes: [window seat]"] {
        return Err("the thread should have gone on, and its wish be known".into());
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["first", file] => first(file.as_ref()).await,
        ["second", file] => second(file.as_ref()).await,
        _ => in_two_processes(),
    }
}

fn in_two_processes() -> Result<(), Box<dyn Error>> {
    let folder = env::temp_dir().join(format!("superstep-trips-{}", process::id()));
    fs::create_dir(&folder)?;
    let file = folder.join("trips.db");
    let mut ran = Ok(());
    for part in ["first", "second"] {
        println!("{part} process");
        let status = Command::new(env::current_exe()?)
            .arg(part)
            .arg(&file)
            .status()?;
        if !status.success() {
            ran = Err(format!("the {part} process failed").into());
            break;
        }
    }
    fs::remove_dir_all(folder)?;
    ran
}
