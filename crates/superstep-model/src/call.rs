//! What stands between a program and any model, once for all of them.
//!
//! [`structured`] gets an answer that is data, whatever the model can be held to.

mod reading;
mod structured;

pub use structured::{Fitted, MAX_REPAIRS, structured, structured_json};
