//! Conditional edges of a typed graph: a router sees the state and names a variant.
//!
//! After `Review` a text goes back to be written, on to be published, or nowhere when the tries are used up. Where a
//! router may go is declared, so that the graph can be checked and drawn. What is published goes out in two ways at
//! once if it is long. This prints
//!
//! ```text
//! 2 words wanted: 2 tries, out by ["mail"]
//! 4 words wanted: 4 tries, out by ["mail", "print"]
//! 9 words wanted: 4 tries, out by []
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use superstep::prelude::*;

const TRIES: u32 = 4;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Article {
    wanted: usize,
    #[reduce(Append)]
    text: Vec<String>,
    #[reduce(Sum)]
    tries: u32,
    #[reduce(Append)]
    out: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Write,
    Review,
    Publish,
    Mail,
    Print,
}

#[node(Article, Node)]
async fn write() -> ArticleUpdate {
    Article::update().push_text("word").tries(1)
}

/// Back, on, or to the end.
fn verdict(article: &Article) -> Option<Node> {
    if article.text.len() >= article.wanted {
        return Some(Node::Publish);
    }
    (article.tries < TRIES).then_some(Node::Write)
}

/// Several ways at once.
fn ways(article: &Article) -> Vec<Node> {
    match article.text.len() {
        ..3 => vec![Node::Mail],
        _ => vec![Node::Mail, Node::Print],
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::<Article, Node>::builder()
        .node(Node::Write, write)
        .node(Node::Review, || async {})
        .node(Node::Publish, || async {})
        .node(Node::Mail, || async { Article::update().push_out("mail") })
        .node(Node::Print, || async {
            Article::update().push_out("print")
        })
        .start(Node::Write)
        .edge(Node::Write, Node::Review)
        .route(Node::Review, &[Node::Write, Node::Publish], verdict)
        .route_many(Node::Publish, &[Node::Mail, Node::Print], ways)
        .finish(Node::Mail)
        .finish(Node::Print)
        .build()?;

    for (wanted, tries, ways) in [(2, 2, 1), (4, 4, 2), (9, 4, 0)] {
        let thread = format!("{wanted} words");
        let outcome = graph.run(thread, Article::update().wanted(wanted)).await?;
        let article = outcome.done().ok_or("nothing asks")?;
        println!(
            "{wanted} words wanted: {} tries, out by {:?}",
            article.tries, article.out
        );
        if (article.tries, article.out.len()) != (tries, ways) {
            return Err("the loop should end when the text is good or four tries are used".into());
        }
    }
    Ok(())
}
