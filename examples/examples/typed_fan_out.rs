//! One task for each item, with a payload of its own type; then two nodes side by side, and a join.
//!
//! `split` sends each page to its own task of `count`, which takes the page as its `Input`. When all
//! have counted, `total` and `longest` read the results at the same time, and `report` waits for
//! both of them. Results stand in the order of the sends, whatever order the tasks end in.
//! This prints
//!
//! ```text
//! counted the end
//! counted the calm
//! counted the storm
//! 6 words in the storm
//! 3 words in the calm
//! 2 words in the end
//! 11 words, most of them in the storm
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use superstep::{Command, Input, prelude::*};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Book {
    pages: Vec<Page>,
    #[reduce(Append)]
    counts: Vec<Count>,
    total: usize,
    longest: String,
    report: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Page {
    title: String,
    text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Count {
    title: String,
    words: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Split,
    Count,
    Total,
    Longest,
    Report,
}

async fn split(book: Snap<Book>) -> Command<Book, Node> {
    let to_count = |command: Command<_, _>, page| command.and_send(Node::Count, page);
    book.pages.iter().fold(Command::default(), to_count)
}

async fn count(Input(page): Input<Page>) -> BookUpdate {
    let words = page.text.split_whitespace().count();
    // The longest page takes the most turns, so that tasks end in the reverse of their order.
    for _ in 0..words {
        tokio::task::yield_now().await;
    }
    println!("counted {}", page.title);
    let title = page.title;
    Book::update().counts([Count { title, words }])
}

async fn total(book: Snap<Book>) -> BookUpdate {
    Book::update().total(book.counts.iter().map(|count| count.words).sum::<usize>())
}

async fn longest(book: Snap<Book>) -> Result<BookUpdate, NodeError> {
    let longest = book.counts.iter().max_by_key(|count| count.words);
    let longest = longest.ok_or(NodeError::msg("no pages").permanent())?;
    Ok(Book::update().longest(longest.title.clone()))
}

async fn report(book: Snap<Book>) -> BookUpdate {
    let Book { total, longest, .. } = &*book;
    Book::update().report(format!("{total} words, most of them in {longest}"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::<Book, Node>::builder()
        .node(Node::Split, split)
        .node(Node::Count, count)
        .node(Node::Total, total)
        .node(Node::Longest, longest)
        .node(Node::Report, report)
        .start(Node::Split)
        .may_send(Node::Split, &[Node::Count])
        .edge(Node::Count, Node::Total)
        .edge(Node::Count, Node::Longest)
        .join(&[Node::Total, Node::Longest], Node::Report)
        .finish(Node::Report)
        .build()?;

    let page = |(title, text): (&str, &str)| Page {
        title: title.to_owned(),
        text: text.to_owned(),
    };
    let pages = [
        ("the storm", "it rained and rained and rained"),
        ("the calm", "then it stopped"),
        ("the end", "sun shines"),
    ];
    let outcome = graph
        .run("t", Book::update().pages(pages.map(page)))
        .await?;
    let book = outcome.done().ok_or("nothing is left to run")?;
    for Count { title, words } in &book.counts {
        println!("{words} words in {title}");
    }
    println!("{}", book.report);
    if book.report != "11 words, most of them in the storm" {
        return Err("the report should have seen all counts".into());
    }
    Ok(())
}
