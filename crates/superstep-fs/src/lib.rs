//! Files that are there whole or not at all: atomic writes, fsync, rights; and reads that neither
//! block nor end in a device. Long work on files ends when nobody waits for it ([`StopOnDrop`]).

mod atomic;
mod dirs;
mod ignore_file;
mod private;
mod read;
mod roots;
mod secret_name;
mod stop;
mod swap;

pub use atomic::{Rights, Staged, TEMPORARY, remove_stale, second_name};
pub use dirs::{parent, private_dir, sync_parent};
pub use ignore_file::bad_ignore_file;
pub use private::open_private;
pub use read::{open_regular, read_regular, read_text};
pub use roots::{Private, Roots};
pub use secret_name::is_secret_name;
pub use stop::{StopFlag, StopOnDrop};
pub use swap::{ReplacedDir, StagedDir};
