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
async fn read(mail: Option<Snap<Mail>>) -> MailUpdate {
    Mail::update().subject(mail.map(|mail| mail.subject.clone()).unwrap_or_default())
}

fn main() {}
