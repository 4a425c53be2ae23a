//! Arguments of `superstep db`.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};

/// What can be done with the database.
#[derive(Debug, Subcommand)]
pub(crate) enum DbCommand {
    /// Check the integrity of the database; changes nothing
    #[command(after_help = "Examples:
  superstep db check
  superstep db check --quick --json

Exits with 1 if the database is damaged, and lists what is damaged.")]
    Check {
        /// Only the structure of the file and the newest checkpoints
        #[arg(long)]
        quick: bool,
    },
    /// Copy the database to a new file, also while agents run
    #[command(after_help = "Examples:
  superstep db backup superstep-monday.db
  superstep db backup backups/superstep.db --db other.db --json

The copy is checked before it gets its name. A file that exists is never overwritten.")]
    Backup {
        /// The new file
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Return free space to the file system
    #[command(after_help = "Examples:
  superstep db compact
  superstep db compact --json

Space of deleted threads is reused without it; this makes the file smaller.")]
    Compact,
    /// Make an encrypted copy of the database
    #[cfg(feature = "encryption")]
    #[command(after_help = "Examples:
  superstep db encrypt sealed.db --key-file superstep.key
  superstep db encrypt sealed.db --key-file superstep.key --db other.db --json

The key is 64 hexadecimal digits: `openssl rand -hex 32 > superstep.key`. An encrypted database is
opened with the key in the file that SUPERSTEP_DB_KEY_FILE names, or in SUPERSTEP_DB_KEY.

Threads, event logs (traces) and long-term memory are copied and verified. The original stays
as it is: delete it once the copy works. Nobody can read the copy without the key.")]
    Encrypt {
        /// The new file
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// The file with the key
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        key_file: PathBuf,
    },
}
