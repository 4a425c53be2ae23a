//! Threads and agents as people see them: titles, conversations, questions and outcomes, as the agent of a graph presents them.

mod progress;
pub(crate) mod question;
pub(crate) mod text;
mod transcript;
pub(crate) mod ui;
pub(crate) mod view;
