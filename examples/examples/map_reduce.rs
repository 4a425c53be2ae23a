//! Map and reduce over 1,000 items, of which 16 are in work at once.
//!
//! `split` sends each item to a task of its own. A service that must not get them all at once is why `fetch` has
//! a `max_concurrency`: tasks beyond it wait, and the clock of their time limit starts when they do, so that one
//! which waits for longer than the limit does not fail. Results stand in the order of the sends. This prints
//!
//! ```text
//! 1000 pages of 499500 words, at most 16 at once
//! ```

use std::{
    error::Error,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use superstep::{Command, Input, prelude::*};

const PAGES: usize = 1000;
const AT_ONCE: usize = 16;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Library {
    pages: usize,
    #[reduce(Append)]
    words: Vec<usize>,
    total: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Split,
    Fetch,
    Sum,
}

/// How many fetches run, and how many did at most.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

async fn split(library: Snap<Library>) -> Command<Library, Node> {
    let fetch = |command: Command<_, _>, page: usize| command.and_send(Node::Fetch, &page);
    (0..library.pages).fold(Command::default(), fetch)
}

async fn fetch(Input(page): Input<usize>) -> LibraryUpdate {
    let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
    MOST.fetch_max(running, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(10)).await;
    RUNNING.fetch_sub(1, Ordering::SeqCst);
    Library::update().words([page])
}

async fn sum(library: Snap<Library>) -> LibraryUpdate {
    Library::update().total(library.words.iter().sum::<usize>())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // All together take longer than one of them may.
    let limits = NodeOptions::default()
        .max_concurrency(AT_ONCE)
        .timeouts(Timeouts {
            run: Some(Duration::from_millis(500)),
            ..Timeouts::default()
        });
    let graph = Graph::<Library, Node>::builder()
        .node(Node::Split, split)
        .node_with(Node::Fetch, fetch, limits)
        .node(Node::Sum, sum)
        .start(Node::Split)
        .may_send(Node::Split, &[Node::Fetch])
        .edge(Node::Fetch, Node::Sum)
        .finish(Node::Sum)
        .build()?;

    let outcome = graph.run("t", Library::update().pages(PAGES)).await?;
    let library = outcome.done().ok_or("nothing is left to run")?;
    let most = MOST.load(Ordering::SeqCst);
    println!(
        "{} pages of {} words, at most {most} at once",
        library.words.len(),
        library.total
    );
    let in_order = library.words.iter().copied().eq(0..PAGES);
    match in_order && most <= AT_ONCE {
        true => Ok(()),
        false => Err("each page should be there once, in order, 16 at a time".into()),
    }
}
