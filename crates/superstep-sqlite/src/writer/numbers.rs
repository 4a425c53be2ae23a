//! Row, graph and epoch numbers, assigned in sequence within a transaction.

use superstep_core::error::SaverError;

use super::Writer;
use crate::{error::sql, row};

impl Writer {
    /// The next row number of the log.
    pub(crate) fn next_seq(&mut self) -> Result<i64, SaverError> {
        let last = match self.seq {
            Some(last) => last,
            None => row::newest(self.log_db()?)?,
        };
        self.seq = Some(last + 1);
        Ok(last + 1)
    }

    /// The next graph number.
    pub(crate) fn next_graph(&mut self) -> Result<i64, SaverError> {
        let last = match self.graph {
            Some(last) => last,
            None => self
                .db()?
                .prepare_cached("SELECT coalesce(max(graph), 0) FROM graphs")
                .and_then(|mut select| select.query_row([], |row| row.get(0)))
                .map_err(sql)?,
        };
        self.graph = Some(last + 1);
        Ok(last + 1)
    }

    /// The next epoch. Of those of a transaction only the last is stored, at the commit.
    pub(crate) fn next_epoch(&mut self) -> Result<i64, SaverError> {
        let last: i64 = match self.epoch {
            Some(last) => last,
            None => self
                .db()?
                .prepare_cached("SELECT value FROM counters WHERE name = 'epoch'")
                .and_then(|mut select| select.query_row([], |row| row.get(0)))
                .map_err(sql)?,
        };
        self.epoch = Some(last + 1);
        Ok(last + 1)
    }

    /// Stores the last epoch assigned in this transaction.
    pub(super) fn store_epoch(&mut self) -> Result<(), SaverError> {
        let Some(epoch) = self.epoch else {
            return Ok(());
        };
        self.change()?
            .prepare_cached("UPDATE counters SET value = ?1 WHERE name = 'epoch' AND value < ?1")
            .and_then(|mut update| update.execute([epoch]))
            .map(drop)
            .map_err(sql)
    }
}
