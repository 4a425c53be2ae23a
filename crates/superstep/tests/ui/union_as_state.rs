use superstep::prelude::*;

#[derive(Clone, Copy, State)]
union Mail {
    number: u32,
    real: f32,
}

fn main() {}
