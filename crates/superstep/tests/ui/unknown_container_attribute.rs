use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, State)]
#[state(edition = 2)]
struct Mail {
    subject: String,
}

fn main() {}
