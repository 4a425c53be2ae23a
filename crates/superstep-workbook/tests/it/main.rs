//! Workbooks through the public API: real files, files made here, and files made to do harm.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod carried;
mod diffs;
mod edits;
mod followed;
mod hostile;
mod large;
mod made;
mod named_styles;
mod newer_functions;
mod opos;
mod outward;
mod reading;
mod recalc;
#[cfg(feature = "recalc")]
mod recalc_functions;
mod round_trips;
mod shifts;
mod states;
mod surroundings;
