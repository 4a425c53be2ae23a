//! The assistant at work, as front ends show it.
//!
//! `pass` is one pass over the mailbox, `intake` shows a mail that was taken in, `totals` sums all of them up. `account_state`
//! shows the account, `notes` the notes.

mod account_state;
mod intake;
mod notes;
mod pass;
mod totals;

pub use pass::{IngestPass, IngestStep};
pub use totals::IngestTotals;
