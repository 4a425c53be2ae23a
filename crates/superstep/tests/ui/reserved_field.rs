use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Trip {
    goto: String,
}

fn main() {}
