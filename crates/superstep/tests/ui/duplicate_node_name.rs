use superstep::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    MarkRead,
    #[node(name = "mark_read")]
    Mark,
}

fn main() {}
