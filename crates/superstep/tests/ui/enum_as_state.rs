use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, State)]
enum Mail {
    #[default]
    Empty,
}

fn main() {}
