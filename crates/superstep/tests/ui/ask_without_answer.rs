use serde::Serialize;
use superstep::prelude::*;

#[derive(Serialize, Ask)]
struct Approve;

fn main() {}
