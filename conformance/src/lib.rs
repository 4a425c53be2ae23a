//! Recorded LangGraph behaviour, and an interpreter of it on superstep.
//!
//! [`case`] reads a case file, [`expr`] and [`program`] run the code inside it over [`value`]s,
//! [`graphs`] builds its graphs on the engine, [`runner`] runs its script on a [`backing`],
//! [`restart`] does so with a new process for every operation, [`profile`] has the options it runs
//! under, [`compare`] judges the answers, [`differences`] lists those that differ on purpose, and
//! [`report`] says what went wrong. [`saver_kit`], [`store_kit`] and [`blobs_kit`] check backends.

pub mod backing;
pub mod blobs_kit;
pub mod case;
pub mod compare;
pub mod convert;
pub mod differences;
pub mod errors;
pub mod expr;
pub mod external_state;
pub mod graphs;
pub mod host;
pub mod kit;
pub mod profile;
pub mod program;
pub mod render;
pub mod report;
pub mod restart;
pub mod runner;
pub mod saver_kit;
pub mod store_kit;
pub mod value;
