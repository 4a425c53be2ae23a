use std::error::Error;

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

fn load() -> Result<String, Box<dyn Error>> {
    Ok(std::fs::read_to_string("mail.txt")?)
}

#[node(Mail, Node)]
async fn read() -> Result<MailUpdate, NodeError> {
    Ok(Mail::update().subject(load()?))
}

fn main() {}
