//! Incremental vacuum.

use superstep_core::error::SaverError;

use crate::{error::sql, writer::Writer};

/// Pages per slice: about a millisecond of work.
const PAGES: u32 = 256;

/// Pages per slice on a disk that is nearly full. The WAL is emptied after each.
const FEW_PAGES: u32 = 16;

/// What one slice did.
pub(crate) struct Slice {
    pub(crate) freed: u64,
    /// Free pages that are still in the file.
    pub(crate) left: u64,
}

/// Moves pages from the end of the file into free ones, and truncates the file.
pub(crate) fn slice(writer: &mut Writer) -> Result<Slice, SaverError> {
    let before = free(writer)?;
    let is_scarce = writer.headroom.scarce(&writer.path).is_some();
    let pages = if is_scarce { FEW_PAGES } else { PAGES };
    let db = writer.change()?;
    // The statement moves one page per call for the next row, and returns no rows.
    db.prepare(&format!("PRAGMA incremental_vacuum({pages})"))
        .and_then(|mut vacuum| {
            let mut rows = vacuum.query([])?;
            while rows.next()?.is_some() {}
            Ok(())
        })
        .map_err(sql)?;
    let left = free(writer)?;
    let freed = before.saturating_sub(left);
    // The file itself is truncated by the next checkpoint.
    writer.scrub_wal |= left == 0 || freed == 0 || is_scarce;
    Ok(Slice { freed, left })
}

fn free(writer: &Writer) -> Result<u64, SaverError> {
    let count: i64 = writer
        .db()?
        .pragma_query_value(None, "freelist_count", |row| row.get(0))
        .map_err(sql)?;
    Ok(u64::try_from(count).unwrap_or(0))
}
