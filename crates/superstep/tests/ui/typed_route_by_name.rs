use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Mail {
    subject: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Read,
}

fn main() {
    let _ = Graph::<Mail, Node>::builder()
        .node(Node::Read, || async {})
        .route(Node::Read, &[Node::Read], |_| "read");
}
