use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Mail {
    subject: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Read,
}

#[node(Mail, Node)]
async fn read(count: u32) -> MailUpdate {
    Mail::update().subject(count.to_string())
}

fn main() {
    let _ = Graph::<Mail, Node>::builder().node(Node::Read, read);
}
