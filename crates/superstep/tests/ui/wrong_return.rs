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

async fn read(mail: Snap<Mail>) -> String {
    mail.subject.clone()
}

fn main() {
    let _ = Graph::<Mail, Node>::builder().node(Node::Read, read);
}
