//! Crash tests: threads survive whatever happens to a process, a disk or a file.
//!
//! A [`worker`] runs one of the [`graphs`] on a database in a [`work_dir`], following the [`script`] of
//! the graph from the state of the thread. The [`vfs`] below SQLite and the [`recording_saver`] let it
//! die at any point ([`kill_points`]), and the recording saver logs what was acknowledged. The next
//! worker compares what it finds with that (see [`model`]), and resumes. The [`harness`] starts
//! workers, and a [`campaign`] does so for every point.

pub mod campaign;
pub mod harness;

pub mod graphs;
pub mod kill_points;
pub mod line;
pub mod model;
pub mod recording_saver;
pub mod script;
pub mod vfs;
pub mod work_dir;
pub mod worker;

/// For errors outside the code under test.
pub type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
