//! Nodes that run elsewhere than with their step, and nodes that hold their thread too long.

use std::{
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use superstep::{ErrorKind, prelude::*};

use crate::plain::saver;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Batch {
    #[reduce(Sum)]
    done: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Work,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Pair {
    Block,
    Release,
}

#[derive(Serialize, Ask)]
#[ask(answer = bool)]
struct More;

const LIMIT: Timeouts = Timeouts {
    run: Some(Duration::from_millis(5)),
    idle: None,
    refresh: superstep::Refresh::Auto,
};

/// The ends of a channel, for nodes.
type Shared<T> = Arc<Mutex<T>>;

fn ends() -> (Shared<Sender<()>>, Shared<Receiver<()>>) {
    let (sender, receiver) = channel();
    (Arc::new(Mutex::new(sender)), Arc::new(Mutex::new(receiver)))
}

/// Holds its thread until something comes.
async fn block(receiver: Shared<Receiver<()>>) -> BatchUpdate {
    receiver.lock().unwrap().recv().unwrap();
    Batch::update().done(1u32)
}

/// A graph of one node.
fn single<Args, H>(work: H, options: NodeOptions<Batch, Node>) -> Graph<Batch, Node>
where
    H: superstep::Handler<Batch, Node, Args>,
{
    Graph::<Batch, Node>::builder()
        .saver(saver())
        .node_with(Node::Work, work, options)
        .start(Node::Work)
        .finish(Node::Work)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_node_on_a_thread_that_may_block_holds_up_no_sibling() {
    let (sender, receiver) = ends();
    let release = move || {
        let sender = sender.clone();
        async move {
            sender.lock().unwrap().send(()).unwrap();
            Batch::update().done(1u32)
        }
    };
    let graph = Graph::<Batch, Pair>::builder()
        .node_with(
            Pair::Block,
            move || block(receiver.clone()),
            NodeOptions::default().blocking(),
        )
        .node(Pair::Release, release)
        .start(Pair::Block)
        .start(Pair::Release)
        .finish(Pair::Block)
        .finish(Pair::Release)
        .build()
        .unwrap();
    let outcome = graph.run("t", Batch::update()).await.unwrap();
    assert_eq!(outcome.state().done, 2);
}

#[tokio::test]
async fn a_node_that_blocks_a_thread_of_its_own_is_over_at_its_time() {
    let (sender, receiver) = ends();
    let options = NodeOptions::default().blocking().timeouts(LIMIT);
    let graph = single(move || block(receiver.clone()), options);
    let error = graph.run("t", Batch::update()).await.unwrap_err();
    assert!(matches!(*error.kind, ErrorKind::TimedOut { .. }), "{error}");
    sender.lock().unwrap().send(()).unwrap();
}

#[tokio::test]
async fn a_node_that_held_the_thread_of_its_step_beyond_its_time_has_failed() {
    let work = || async {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(20) {
            std::hint::spin_loop();
        }
        Batch::update().done(1u32)
    };
    let graph = single(work, NodeOptions::default().timeouts(LIMIT));
    let error = graph.run("t", Batch::update()).await.unwrap_err();
    assert!(matches!(*error.kind, ErrorKind::TimedOut { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn panics_and_questions_of_nodes_elsewhere_are_those_of_the_node() {
    for options in [
        NodeOptions::default().spawned(),
        NodeOptions::default().blocking(),
    ] {
        let work = |ctx: Ctx| async move {
            assert!(!ctx.ask(More)?, "no more");
            Ok::<_, NodeError>(Batch::update().done(1u32))
        };
        let graph = single(work, options);
        let mut asked = Vec::new();
        for thread in ["t", "u"] {
            let outcome = graph.run(thread, Batch::update()).await.unwrap();
            asked.push(outcome.asks()[0].id);
        }
        let error = graph.answer("t", [(asked[0], true)]).await.unwrap_err();
        assert_eq!(error.code(), "SS1002");
        let done = graph.answer("u", [(asked[1], false)]).await.unwrap();
        assert_eq!(done.done().unwrap().done, 1);
    }
}
