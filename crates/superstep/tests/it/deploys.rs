//! An order that waits for days, in a program that is replaced meanwhile: what happened once does not happen again.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use superstep::{OpenAsk, RunStatus, dynamic::Worker, prelude::*};

use crate::plain::{PlainSaver, saver};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Note,
    Collect,
}

/// The webhook of the payment service answers this.
#[derive(Serialize, Ask)]
#[ask(answer = u32)]
struct Paid;

/// What the outside world has seen.
#[derive(Clone, Default)]
struct Outside {
    reminded: Arc<AtomicU32>,
    booked: Arc<AtomicU32>,
}

const DAY: Duration = Duration::from_secs(24 * 3600);

mod v1 {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    pub(super) struct Order {
        pub(super) euros: u32,
        #[reduce(Append)]
        pub(super) log: Vec<String>,
    }
}

mod v2 {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    #[state(version = 2, migrate(1 => to_cents), migrate_update(1 => to_cents))]
    pub(super) struct Order {
        pub(super) cents: u32,
        #[reduce(Append)]
        pub(super) log: Vec<String>,
    }

    pub(super) fn to_cents(mut data: Value) -> Result<Value, String> {
        let fields = data.as_object_mut().ok_or("no object")?;
        if let Some(euros) = fields.remove("euros").and_then(|it| it.as_u64()) {
            fields.insert("cents".to_owned(), (euros * 100).into());
        }
        Ok(data)
    }
}

mod v3 {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    #[state(
        version = 3,
        migrate(1 => v2::to_cents, 2 => to_history),
        migrate_update(1 => v2::to_cents, 2 => to_history)
    )]
    pub(super) struct Order {
        pub(super) cents: u32,
        #[reduce(Append)]
        pub(super) history: Vec<String>,
    }

    fn to_history(mut data: Value) -> Result<Value, String> {
        let fields = data.as_object_mut().ok_or("no object")?;
        if let Some(log) = fields.remove("log") {
            fields.insert("history".to_owned(), log);
        }
        Ok(data)
    }
}

macro_rules! program {
    ($saver:expr, $outside:expr, $version:ident, $log:ident) => {{
        type Order = $version::Order;
        let collect = |ctx: Ctx, outside: Res<Outside>| async move {
            let paid = match ctx.ask_within(Paid, 3 * DAY).await? {
                Some(paid) => paid,
                None => {
                    let reminded = outside.reminded.clone();
                    ctx.once("remind", || async move {
                        reminded.fetch_add(1, Ordering::SeqCst);
                        Ok(())
                    })
                    .await?;
                    ctx.ask(Paid)?
                }
            };
            let booked = outside.booked.clone();
            ctx.once("book", || async move {
                booked.fetch_add(paid, Ordering::SeqCst);
                Ok(())
            })
            .await?;
            Ok::<_, NodeError>(Order::update().$log(["paid"]))
        };
        Graph::<Order, Node>::builder()
            .name("order")
            .saver($saver.clone())
            .resource($outside.clone())
            .node(Node::Note, || async { Order::update().$log(["noted"]) })
            .node(Node::Collect, collect)
            .start(Node::Note)
            .start(Node::Collect)
            .finish(Node::Note)
            .finish(Node::Collect)
            .build()
            .unwrap()
    }};
}

/// Works off what is due, as the workers of a program would. A run that is refused is one of those.
async fn work<S: State>(graph: &Graph<S, Node>) {
    let worker = Worker::new([graph.dynamic().clone()], Default::default()).unwrap();
    while worker.work_once().await.unwrap().is_some() {}
}

async fn open<S: State>(graph: &Graph<S, Node>) -> OpenAsk {
    graph.state("t").await.unwrap().asks.remove(0)
}

#[tokio::test(start_paused = true)]
async fn an_order_is_reminded_of_once_and_paid_once_over_two_deploys() {
    let (saver, outside): (Arc<PlainSaver>, _) = (saver(), Outside::default());
    let first = program!(saver, outside, v1, log);
    first
        .enqueue("t", v1::Order::update().euros(12u32))
        .await
        .unwrap();

    // Deployed before the run begins, and its question is open when the next deploy comes.
    let second = program!(saver, outside, v2, log);
    work(&second).await;
    assert_eq!(second.state("t").await.unwrap().state.cents, 1200);
    assert_eq!(second.status("t").await.unwrap(), RunStatus::Waiting);

    let third = program!(saver, outside, v3, history);
    for _ in 0..4 {
        tokio::time::advance(DAY).await;
        work(&third).await;
        work(&third).await;
    }
    assert_eq!(outside.reminded.load(Ordering::SeqCst), 1);
    assert_eq!(third.status("t").await.unwrap(), RunStatus::Waiting);

    // The webhook comes twice.
    let answer = (open(&third).await.id, 1200u32);
    for _ in 0..2 {
        let queued = third.to_queue_answer("t", [answer]).unwrap();
        let _second_is_refused = third.enqueue_run(queued).await;
    }
    work(&third).await;
    assert_eq!(outside.booked.load(Ordering::SeqCst), 1200);
    assert_eq!(outside.reminded.load(Ordering::SeqCst), 1);
    let seen = third.state("t").await.unwrap().state;
    assert_eq!((seen.cents, &*seen.history.join(" ")), (1200, "paid noted"));
    assert!(third.stale_runs().await.unwrap().is_empty());
}
