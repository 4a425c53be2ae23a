use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Mail<T> {
    body: T,
}

fn main() {}
