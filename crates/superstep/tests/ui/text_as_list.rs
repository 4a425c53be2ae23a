use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Mail {
    #[reduce(Append)]
    log: Vec<String>,
}

fn main() {
    let _ = Mail::update().log("drafted");
    let _ = Mail::update().log("drafted".to_owned());
}
