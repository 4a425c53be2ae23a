//! Map and reduce over 1,000 items, of which 16 are in work at once.
//!
//! `split` sends each item to a task of its own. A service that must not get them all at once is why `fetch` has
//! a `max_concurrency`: tasks beyond it wait, and the clock of their time limit starts when they do, so that one
//! which waits for longer than the limit does not fail. Ten pages fail at first and are tried again; one never
//! comes, and its handler says so. Results stand in the order of the sends. A second opinion on the same pages
//! starts from the checkpoint before the sum. This prints
//!
//! ```text
//! 500 pages are there
//! 1000 pages are there
//! 999 pages of 498877 words, 10 tried again, at most 16 at once
//! without page 623
//! another branch: 997754 words
//! ```

use std::{
    error::Error,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use superstep::{Command, Event, Input, Modes, RetryOn, RetryPolicy, prelude::*};

const PAGES: usize = 1000;
const AT_ONCE: usize = 16;
const LOST: usize = 623;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Library {
    pages: usize,
    factor: usize,
    #[reduce(Append)]
    words: Vec<usize>,
    #[reduce(Append)]
    lost: Vec<usize>,
    total: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Split,
    Fetch,
    Sum,
}

/// How many fetches run, how many did at most, how many were tried again, how many came to an end.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static AGAIN: AtomicUsize = AtomicUsize::new(0);
static ENDED: AtomicUsize = AtomicUsize::new(0);

#[node(Library, Node)]
async fn split(library: Snap<Library>) -> Command<Library, Node> {
    let fetch = |command: Command<_, _>, page: usize| command.and_send(Node::Fetch, &page);
    (0..library.pages).fold(Command::default(), fetch)
}

#[node(Library, Node)]
async fn fetch(Input(page): Input<usize>, ctx: Ctx) -> Result<LibraryUpdate, NodeError> {
    let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
    MOST.fetch_max(running, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(5)).await;
    RUNNING.fetch_sub(1, Ordering::SeqCst);
    if page == LOST {
        return Err(NodeError::msg("there is no such page").permanent());
    }
    if page % 100 == 7 && ctx.attempt() == 1 {
        AGAIN.fetch_add(1, Ordering::SeqCst);
        return Err(NodeError::msg("the service is busy"));
    }
    tell(&ctx).await;
    Ok(Library::update().words([page]))
}

/// Takes the place of a page that never comes. The edges of the node do not fire for it.
async fn do_without(Input(page): Input<usize>, ctx: Ctx) -> LibraryUpdate {
    tell(&ctx).await;
    Library::update().lost([page])
}

async fn tell(ctx: &Ctx) {
    let ended = ENDED.fetch_add(1, Ordering::SeqCst) + 1;
    if ended.is_multiple_of(PAGES / 2) {
        ctx.emit(format!("{ended} pages are there")).await;
    }
}

#[node(Library, Node)]
async fn sum(library: Snap<Library>) -> LibraryUpdate {
    Library::update().total(library.factor * library.words.iter().sum::<usize>())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // All together take longer than one of them may.
    let limits = NodeOptions::default()
        .max_concurrency(AT_ONCE)
        .timeouts(Timeouts {
            run: Some(Duration::from_millis(500)),
            ..Timeouts::default()
        })
        .retry(RetryPolicy {
            initial: Duration::from_millis(1),
            jitter: Duration::ZERO,
            on: RetryOn::Transient,
            ..RetryPolicy::default()
        })
        .on_error(do_without);
    let graph = Graph::<Library, Node>::builder()
        .saver(MemorySaver::new())
        .node(Node::Split, split)
        .node_with(Node::Fetch, fetch, limits)
        .node(Node::Sum, sum)
        .start(Node::Split)
        .may_send(Node::Split, &[Node::Fetch])
        .edge(Node::Fetch, Node::Sum)
        .finish(Node::Sum)
        .build()?;

    let told = graph.with_options(|options| options.modes = Modes::CUSTOM);
    let mut stream = told.stream("t", Library::update().pages(PAGES).factor(1));
    while let Some(event) = stream.next().await {
        if let Event::Custom(data) = event {
            println!("{}", data.take::<String>()?);
        }
    }
    let outcome = stream.outcome().await?;
    let library = outcome.done().ok_or("nothing is left to run")?;
    let most = MOST.load(Ordering::SeqCst);
    println!(
        "{} pages of {} words, {} tried again, at most {most} at once",
        library.words.len(),
        library.total,
        AGAIN.load(Ordering::SeqCst)
    );
    println!("without page {LOST}");

    let history = graph.history("t").await?;
    let before = history.iter().find(|step| step.next.contains(&Node::Sum));
    let before = before.and_then(|step| step.id).ok_or("it is there")?;
    let there = graph.at(before);
    let twice = Library::update().factor(2);
    let edited = there.update_state("t", twice, Some(Node::Fetch)).await?;
    let other = graph.at(edited).resume("t").await?;
    println!("another branch: {} words", other.state().total);

    let in_order = (0..PAGES).filter(|page| *page != LOST);
    let is_right = library.words.iter().copied().eq(in_order)
        && library.lost == [LOST]
        && most <= AT_ONCE
        && other.state().total == 2 * library.total;
    match is_right {
        true => Ok(()),
        false => Err("each page should be there once, in order, 16 at a time".into()),
    }
}
