//! What a server of the API carries: runs per second and how long they take, a long inbox, many readers of one run.
//!
//! It asks any server that hosts the graphs of the example `reference_server`, so two can be measured side by side:
//!
//! ```text
//! cargo run --release -p superstep-server --example reference_server -- --port 2024 --db /tmp/load.db
//! cargo run --release -p superstep-server --example load -- \
//!     --at superstep=http://127.0.0.1:2024 --pid superstep=PID --at other=http://127.0.0.1:2025 --pid other=PID
//! ```
//!
//! Every part takes turns between the servers, so that what else the machine does meets all of them. `--seconds` is how long each
//! row of runs takes, `--parked` how many threads wait in the inbox, `--readers` how many read along; 0 leaves a part out.

mod figures;
mod target;
mod work;

use std::{error::Error, time::Duration};

use target::Target;

/// What the command line says.
struct Args {
    targets: Vec<Target>,
    seconds: u64,
    parked: usize,
    readers: usize,
}

fn args() -> Result<Args, Box<dyn Error + Send + Sync>> {
    let mut args = Args {
        targets: Vec::new(),
        seconds: 10,
        parked: 10_000,
        readers: 1000,
    };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let value = given.next().ok_or(format!("{name} needs a value"))?;
        let pair = || {
            let parts = value.split_once('=');
            parts.ok_or(format!("{name} must be NAME=VALUE, not {value}"))
        };
        match &*name {
            "--at" => {
                let (name, address) = pair()?;
                args.targets.push(Target::new(name, address)?);
            }
            "--pid" => {
                let (of, pid) = pair()?;
                let found = args.targets.iter_mut().find(|target| target.name == of);
                found.ok_or(format!("--at {of}=… comes first"))?.pid = Some(pid.parse()?);
            }
            "--seconds" => args.seconds = value.parse()?,
            "--parked" => args.parked = value.parse()?,
            "--readers" => args.readers = value.parse()?,
            _ => {
                let all = "--at, --pid, --seconds, --parked, --readers";
                return Err(format!("unknown option {name}: {all}").into());
            }
        }
    }
    match args.targets.is_empty() {
        true => Err("--at NAME=http://HOST:PORT is missing".into()),
        false => Ok(args),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let args = args()?;
    for target in &args.targets {
        println!("{}: {} MiB at the beginning", target.name, target.memory());
    }
    if args.seconds > 0 {
        println!("\n| graph, clients | server | p50 | p99 | runs/s | MiB |");
        println!("|---|---|---|---|---|---|");
        for graph in ["one", "ten"] {
            for clients in [1, 16, 64] {
                for target in &args.targets {
                    let time = Duration::from_secs(args.seconds);
                    let (took, all) = work::runs(target, graph, clients, time).await?;
                    println!(
                        "| {graph}, {clients} | {} | {} | {} | {:.1} | {} |",
                        target.name,
                        took.at(50),
                        took.at(99),
                        took.per_second(all),
                        target.memory()
                    );
                }
            }
        }
    }
    if args.parked > 0 {
        println!("\n| inbox of {} | server | p50 | p99 | MiB |", args.parked);
        println!("|---|---|---|---|---|");
        for target in &args.targets {
            let parked = work::park(target, args.parked).await?;
            let (name, memory) = (&target.name, target.memory());
            println!("| parked, {parked:.1}/s | {name} | | | {memory} |");
            for (what, wanted) in work::LISTINGS {
                let took = work::list(target, wanted).await?;
                let (half, most) = (took.at(50), took.at(99));
                println!(
                    "| {what} | {name} | {half} | {most} | {} |",
                    target.memory()
                );
            }
        }
    }
    if args.readers > 0 {
        println!(
            "\n| {} readers of one run | server | first event p99 | all had all after | MiB |",
            args.readers
        );
        println!("|---|---|---|---|---|");
        for target in &args.targets {
            let read = work::readers(target, args.readers).await?;
            println!(
                "| {} events each, {} readers without some | {} | {} | {:.2} s | {} |",
                read.events,
                read.incomplete,
                target.name,
                read.first.at(99),
                read.all.as_secs_f64(),
                read.memory
            );
        }
    }
    Ok(())
}
