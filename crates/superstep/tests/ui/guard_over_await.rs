use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Mail {
    subject: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Read,
}

#[node(Mail, Node)]
async fn read(counter: Res<Mutex<u32>>) -> Result<(), NodeError> {
    let mut guard = counter.lock().map_err(|_| NodeError::msg("poisoned"))?;
    std::future::ready(()).await;
    *guard += 1;
    Ok(())
}

fn main() {}
