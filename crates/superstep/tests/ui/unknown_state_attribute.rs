use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Mail {
    #[state(temporary)]
    subject: String,
}

fn main() {}
