//! An approved effect happens once, even when the process dies around it.
//!
//! An answer by id is stored before the task acts on it. `ctx.once` stores that an effect starts,
//! does it, and stores its result. So when the process dies before the payment, the next one finds
//! the approval and pays; when it dies after, `once` returns the stored receipt.
//!
//! If the process dies while the payment is on its way, nobody can know whether it arrived. That is
//! an error to be settled by a person, never a silent second try. The same holds for an error of
//! the payment itself, a timeout for example: only `EffectError::not_done` says that it did not
//! happen. This prints
//!
//! ```text
//! the process dies: BeforeThePayment
//!   the answer is "approved"
//!   crash
//!   the answer is "approved"
//!   the bank transfers 90
//!   the receipt is here: receipt 1
//!   done: {"amount":90,"receipt":"receipt 1"}
//!   payments the bank saw: [90]
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

use serde_json::{Value as Json, json};
use superstep::{
    Backends, BuildErrors, EffectError, MemorySaver, RunOptions,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, Halt, START, input},
};
use tokio::sync::{Mutex, Notify};

/// Where the first process dies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Dies {
    BeforeThePayment,
    AfterThePayment,
    WithinThePayment,
    Never,
}

/// What lives outside: the bank, the disk, and the moment of the crash.
#[derive(Clone, Default)]
struct World {
    payments: Arc<Mutex<Vec<i64>>>,
    saver: MemorySaver,
    crash: Arc<Notify>,
}

impl World {
    fn connect(&self) -> std::io::Result<()> {
        Ok(())
    }

    async fn dies_if(&self, now: bool) {
        if now {
            self.crash.notify_one();
            pending::<()>().await;
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    for dies in [
        Dies::BeforeThePayment,
        Dies::AfterThePayment,
        Dies::WithinThePayment,
    ] {
        println!("the process dies: {dies:?}");
        let world = World::default();
        let options = RunOptions::on("invoice 12");

        let graph = process(&world, dies)?;
        let asked = graph.invoke(json!({ "amount": 90 }), &options).await?;
        let ask = asked.asks.first().ok_or("it asks before it pays")?;
        let approved = input::answers([(ask.id, "approved".into())]);
        tokio::select! {
            _ = graph.invoke(approved, &options) => return Err("no crash".into()),
            () = world.crash.notified() => println!("  crash"),
        }
        drop(graph);

        let graph = process(&world, Dies::Never)?;
        let result = graph.invoke(input::go_on(), &options).await;
        match &result {
            Ok(outcome) => println!("  done: {}", outcome.output.clone().unwrap_or_default()),
            Err(error) => println!("  {error:?}"),
        }
        let payments = world.payments.lock().await;
        println!("  payments the bank saw: {payments:?}");
        if payments.len() != 1 || result.is_err() != (dies == Dies::WithinThePayment) {
            return Err("the bank should have seen one payment".into());
        }
    }
    Ok(())
}

fn process(world: &World, dies: Dies) -> Result<DynGraph, BuildErrors> {
    let backends = Backends::on(world.saver.clone());
    let world = world.clone();
    DynGraphBuilder::new()
        .last_value("amount")
        .last_value("receipt")
        .node("pay", move |ctx: DynCtx| pay(ctx, world.clone(), dies))
        .edge(START, "pay")
        .backends(backends)
        .build()
}

async fn pay(ctx: DynCtx, world: World, dies: Dies) -> Result<Json, Halt> {
    let amount: i64 = ctx.read("amount")?;
    let answer = ctx.ask(json!({ "pay?": amount }))?;
    println!("  the answer is {answer}");
    world.dies_if(dies == Dies::BeforeThePayment).await;
    let transfer = || async {
        // Nothing has left this process yet, so another attempt may try again.
        world.connect().map_err(EffectError::not_done)?;
        println!("  the bank transfers {amount}");
        world.payments.lock().await.push(amount);
        world.dies_if(dies == Dies::WithinThePayment).await;
        Ok("receipt 1".to_owned())
    };
    let receipt = ctx.once("transfer", transfer).await?;
    println!("  the receipt is here: {receipt}");
    world.dies_if(dies == Dies::AfterThePayment).await;
    Ok(json!({ "receipt": receipt }))
}
