use superstep::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Read,
    Write(u32),
}

fn main() {}
