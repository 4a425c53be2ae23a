//! A thread moves from one saver to another while it waits for an answer.
//!
//! An order waits for a person on one machine. It is exported, written as JSON lines, read on
//! another machine with an empty saver, and answered there: it continues where it stood. A file that
//! was cut on the way is noticed, and nothing of it is imported. This prints
//!
//! ```text
//! here it waits: Ship { to: "Ada" }
//! its file has 7 lines; the first is
//!   {"format":"superstep thread","version":2,"layouts":1,"namespaces":1,"checkpoints":3}
//! a file that was cut
//!   [SS2103] line 5: the archive ends before its last line
//! there it is answered: Order { to: "Ada", log: ["packed", "shipped"] }
//! here it still waits: 1 question
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use superstep::{Archive, Fit, prelude::*};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Order {
    to: String,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Pack,
    Ship,
}

#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct Ship {
    to: String,
}

async fn pack() -> OrderUpdate {
    Order::update().log(["packed"])
}

async fn ship(order: Snap<Order>, ctx: Ctx) -> Result<OrderUpdate, NodeError> {
    let to = order.to.clone();
    let word = match ctx.ask(Ship { to })? {
        true => "shipped",
        false => "kept",
    };
    Ok(Order::update().log([word.to_owned()]))
}

/// The same graph on both machines, each with a saver of its own.
fn graph() -> Result<Graph<Order, Node>, BuildErrors> {
    Graph::<Order, Node>::builder()
        .saver(MemorySaver::new())
        .node(Node::Pack, pack)
        .node(Node::Ship, ship)
        .start(Node::Pack)
        .edge(Node::Pack, Node::Ship)
        .finish(Node::Ship)
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (here, there) = (graph()?, graph()?);

    let outcome = here.run("order 7", Order::update().to("Ada")).await?;
    let ask = outcome.asks().first().ok_or("it asks")?;
    println!("here it waits: {:?}", ask.question::<Ship>()?);

    let mut file = Vec::new();
    here.export_thread("order 7").await?.write(&mut file)?;
    let text = str::from_utf8(&file)?;
    println!("its file has {} lines; the first is", text.lines().count());
    println!("  {}", text.lines().next().ok_or("a line")?);

    println!("a file that was cut");
    let half = file.get(..file.len() / 2).unwrap_or_default();
    let error = Archive::read(half).err().ok_or("it is noticed")?;
    println!("  [{}] {error}", error.code());

    let archive = Archive::read(&*file)?;
    there.import_thread("order 7", archive).await?;
    let fit = there.check_thread("order 7").await?;
    let answer = ask.answer::<Ship>(&true)?;
    let done = there.answer("order 7", [answer]).await?;
    println!("there it is answered: {:?}", done.state());

    let waiting = here.state("order 7").await?.asks.len();
    println!("here it still waits: {waiting} question");

    if fit != Fit::Same || done.state().log != ["packed", "shipped"] || waiting != 1 {
        return Err("the thread should have gone on where it stood".into());
    }
    Ok(())
}
