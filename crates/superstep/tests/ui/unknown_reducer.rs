use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Mail {
    #[reduce(Add)]
    log: Vec<String>,
}

fn main() {}
