//! The tests themselves. The name of this module is how a run of all tests leaves them out.

mod agent;
mod imap;
pub(crate) mod killed;
