//! An approved effect happens once, even when the process dies around it.
//!
//! `ctx.once` writes down that an effect starts, does it, and writes down its result. Here a
//! payment is approved and made; then the process dies before the node ends. A new process goes on:
//! the approval is still there, and `once` returns the stored receipt instead of paying again.
//!
//! If the process dies while the payment is on its way, nobody can know whether it arrived. That is
//! an error to be settled by a person, never a silent second try. This prints
//!
//! ```text
//! the process dies: AfterThePayment
//!   the answer is "approved"
//!   the bank transfers 90
//!   the receipt is here: receipt 1
//!   crash
//!   the answer is "approved"
//!   the receipt is here: receipt 1
//!   done: {"amount":90,"receipt":"receipt 1"}
//!   payments the bank saw: [90]
//! the process dies: WithinThePayment
//!   the answer is "approved"
//!   the bank transfers 90
//!   crash
//!   the answer is "approved"
//!   [SS1202] effect `transfer` was started before and its outcome is unknown (node `pay`, step 1, thread `invoice 12`)
//!   hint: find out whether the effect happened, then settle it
//!   payments the bank saw: [90]
//! ```

use std::{error::Error, future::pending, sync::Arc};

use serde_json::json;
use superstep_core::{Value, command::START, plan::BuildErrors, run::Halt};
use superstep_engine::{
    Backends, Ctx, Graph, GraphBuilder, RunOptions, input, memory::MemorySaver,
};
use tokio::sync::{Mutex, Notify};

/// Where the first process dies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Dies {
    AfterThePayment,
    WithinThePayment,
    Never,
}

/// What lives outside: the bank, the disk, and the moment of the crash.
#[derive(Clone, Default)]
struct World {
    payments: Arc<Mutex<Vec<Value>>>,
    saver: Arc<MemorySaver>,
    crash: Arc<Notify>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    for dies in [Dies::AfterThePayment, Dies::WithinThePayment] {
        println!("the process dies: {dies:?}");
        let world = World::default();
        let options = RunOptions::on("invoice 12");

        let graph = process(&world, dies)?;
        graph
            .invoke(Value::from(json!({ "amount": 90 })), &options)
            .await?;
        tokio::select! {
            _ = graph.invoke(input::resume("approved"), &options) => return Err("no crash".into()),
            () = world.crash.notified() => println!("  crash"),
        }
        drop(graph);

        let graph = process(&world, Dies::Never)?;
        let result = graph.invoke(input::go_on(), &options).await;
        match &result {
            Ok(outcome) => println!("  done: {}", outcome.output.clone().unwrap_or_default()),
            Err(error) => {
                println!("  {error}");
                println!("  hint: {}", error.hint().unwrap_or("none"));
            }
        }
        let payments = world.payments.lock().await;
        println!("  payments the bank saw: {payments:?}");
        if payments.len() != 1 || result.is_ok() != (dies == Dies::AfterThePayment) {
            return Err("the bank should have seen one payment".into());
        }
    }
    Ok(())
}

fn process(world: &World, dies: Dies) -> Result<Graph, BuildErrors> {
    let saver = Some(world.saver.clone() as Arc<_>);
    let world = world.clone();
    GraphBuilder::new()
        .last("amount")
        .last("receipt")
        .node("pay", move |ctx: Ctx| pay(ctx, world.clone(), dies))
        .edge(START, "pay")
        .backends(Backends {
            saver,
            ..Backends::default()
        })
        .build()
}

async fn pay(ctx: Ctx, world: World, dies: Dies) -> Result<Value, Halt> {
    let amount = ctx.get("amount");
    let answer = ctx.ask(json!({ "pay?": amount }))?;
    println!("  the answer is {answer}");
    let transfer = || async {
        println!("  the bank transfers {amount}");
        world.payments.lock().await.push(amount);
        if dies == Dies::WithinThePayment {
            world.crash.notify_one();
            pending::<()>().await;
        }
        Ok("receipt 1".to_owned())
    };
    let receipt = ctx.once("transfer", transfer).await?;
    println!("  the receipt is here: {receipt}");
    if dies == Dies::AfterThePayment {
        world.crash.notify_one();
        pending::<()>().await;
    }
    Ok(json!({ "receipt": receipt }).into())
}
