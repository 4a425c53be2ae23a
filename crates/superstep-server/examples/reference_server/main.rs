//! Small deterministic graphs for clients to be tried against: a chat with a tool, a review by a person, a
//! subgraph that asks, a slow loop, a failure, sends, two questions at once, the store, a context, and
//! chains that show what a step costs.
//!
//! ```text
//! cargo run --release -p superstep-server --example reference_server -- --port 2024
//! ```
//!
//! `--db FILE` keeps threads in a file; without it they go with the process. `--origin URL` lets pages of
//! an address call the server; those of `http://localhost:3000` may.

#![allow(
    clippy::indexing_slicing,
    reason = "a field that JSON does not have is null"
)]

mod chat;
mod flows;
mod schemas;

use std::{error::Error, sync::Arc};

use superstep::{Backends, MemorySaver, MemoryStore, sqlite::Database};
use superstep_server::Server;

/// What the command line says.
struct Args {
    port: u16,
    database: Option<String>,
    origins: Vec<String>,
}

fn args() -> Result<Args, Box<dyn Error>> {
    let mut args = Args {
        port: 2024,
        database: None,
        origins: vec!["http://localhost:3000".to_owned()],
    };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let value = given.next().ok_or(format!("{name} needs a value"))?;
        match &*name {
            "--port" => args.port = value.parse()?,
            "--db" => args.database = Some(value),
            "--origin" => args.origins.push(value),
            _ => return Err(format!("unknown option {name}: --port, --db, --origin").into()),
        }
    }
    Ok(args)
}

fn backends(database: Option<&str>) -> Result<Backends, Box<dyn Error>> {
    Ok(match database {
        Some(path) => {
            let database = Database::open(path)?;
            Backends {
                store: Some(Arc::new(database.store())),
                ..Backends::on(database.saver())
            }
        }
        None => Backends {
            store: Some(Arc::new(MemoryStore::default())),
            ..Backends::on(MemorySaver::default())
        },
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args = args()?;
    let mut server = Server::on(backends(args.database.as_deref())?);
    for origin in args.origins {
        server = server.origin(origin);
    }
    // They have no names of their own, so any of them may run on a thread of another.
    for (id, graph) in [
        ("agent", chat::agent()?),
        ("hitl", flows::hitl()?),
        ("nested", flows::nested()?),
        ("slow", flows::slow()?),
        ("fail", flows::fail()?),
        ("fanout", flows::fanout()?),
        ("twoasks", flows::twoasks()?),
        ("memory", flows::memory()?),
        ("ctx", flows::ctx()?),
        ("one", flows::chain(1)?),
        ("ten", flows::chain(10)?),
    ] {
        server = server.dynamic(id, &graph, schemas::of(id));
    }
    let server = server.bind(format!("127.0.0.1:{}", args.port)).await?;
    println!("http://{}", server.address());
    server.serve(std::future::pending()).await?;
    Ok(())
}
