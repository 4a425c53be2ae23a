//! Files that are there whole or not at all: atomic writes, fsync, rights.

mod atomic;
mod dirs;

pub use atomic::{Rights, Staged, second_name};
pub use dirs::{private_dir, sync_parent};
