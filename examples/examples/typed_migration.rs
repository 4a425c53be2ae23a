//! A thread that outlives its program: version 2 of a state opens what version 1 stored.
//!
//! An order waits for a person while the program is replaced. The new one has another field, `euros`
//! in place of `cents`. With a declared migration the thread continues where it stood; without one it
//! is refused with a code, never read wrongly, and nothing of it is lost. This prints
//!
//! ```text
//! version 1 runs until it asks
//!   Order { cents: 1250, paid: false }
//! version 2 without a migration
//!   [SS1201] no migration leads from version 1 to version 2 (thread `order 7`)
//!   hint: raise the version and declare how to get there: `#[state(version = 2, migrate(1 => state), migrate_update(1 => update))]`; the first returns all fields, the second those that an update has
//! version 2 with a migration
//!   Order { euros: 12.5, paid: false }, open questions: 1
//!   Order { euros: 12.5, paid: true }
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use superstep::{Handler, prelude::*};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Pay,
}

#[derive(Serialize, Ask)]
#[ask(answer = bool)]
struct MayPay;

mod v1 {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct Order {
        pub(super) cents: u64,
        pub(super) paid: bool,
    }
}

mod v2 {
    use serde_json::Value;

    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    #[state(version = 2, migrate(1 => to_euros))]
    pub(super) struct Order {
        pub(super) euros: f64,
        pub(super) paid: bool,
    }

    /// From the fields of version 1 to those of version 2.
    fn to_euros(mut fields: Value) -> Result<Value, String> {
        let order = fields.as_object_mut().ok_or("not an object")?;
        let cents = order.remove("cents").and_then(|cents| cents.as_f64());
        let euros = cents.ok_or("no cents")? / 100.0;
        order.insert("euros".to_owned(), euros.into());
        Ok(fields)
    }
}

mod v2_without_migration {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    #[state(version = 2)]
    pub(super) struct Order {
        pub(super) euros: f64,
        pub(super) paid: bool,
    }
}

/// The graph is the same for all versions: one node that pays.
fn graph<S: superstep::State, Args>(
    saver: &MemorySaver,
    pay: impl Handler<S, Node, Args>,
) -> Result<Graph<S, Node>, BuildErrors> {
    Graph::<S, Node>::builder()
        .saver(saver.clone())
        .node(Node::Pay, pay)
        .start(Node::Pay)
        .finish(Node::Pay)
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let saver = MemorySaver::new();

    println!("version 1 runs until it asks");
    let old = graph(&saver, |ctx: Ctx| async move {
        Ok::<_, NodeError>(v1::Order::update().paid(ctx.ask(MayPay)?))
    })?;
    let outcome = old.run("order 7", v1::Order::update().cents(1250)).await?;
    println!("  {:?}", outcome.state());
    drop(old);

    println!("version 2 without a migration");
    let new = graph::<v2_without_migration::Order, _>(&saver, || async {})?;
    let error = new.state("order 7").await.err().ok_or("it is refused")?;
    println!("  {error:?}");

    println!("version 2 with a migration");
    let new = graph(&saver, |ctx: Ctx| async move {
        Ok::<_, NodeError>(v2::Order::update().paid(ctx.ask(MayPay)?))
    })?;
    let found = new.state("order 7").await?;
    println!("  {:?}, open questions: {}", found.state, found.asks.len());
    let ask = found.asks.first().ok_or("the question is still open")?;
    let done = new
        .answer("order 7", [ask.answer::<MayPay>(&true)?])
        .await?;
    println!("  {:?}", done.state());

    if error.code() != "SS1201" || !done.state().paid || done.state().euros != 12.5 {
        return Err("the order should be refused first, then migrated and paid".into());
    }
    Ok(())
}
