//! Reading a blob: content that several rows share, stored once.

use rusqlite::{Connection, OptionalExtension};
use superstep_core::codec::{BlobId, envelope::Address};

use crate::seal::Seal;

/// Reads a blob and decodes it; one that is missing or damaged is an error. `decode` gets its bytes and
/// what errors call it, and checks that the bytes fit the id.
pub(crate) fn read<T>(
    db: &Connection,
    seal: &Seal,
    id: BlobId,
    decode: impl FnOnce(&[u8], &str) -> Result<T, String>,
) -> Result<T, String> {
    let name = id.0.to_be_bytes();
    let what = format!("blob {:032x}", id.0);
    let found: Option<Vec<u8>> = db
        .prepare_cached("SELECT body FROM blobs WHERE name = ?1")
        .and_then(|mut select| select.query_row([name], |row| row.get(0)).optional())
        .map_err(|error| error.to_string())?;
    let body = found.ok_or_else(|| format!("{what} is missing"))?;
    let bytes = seal.open(&body, Address::of(name), &what);
    decode(&bytes.map_err(|error| error.to_string())?, &what)
}
