use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Mail {
    #[reduce(Append)]
    subject: String,
}

fn main() {}
