//! Transactions of the store: one per batch, and long ones never on the caller's thread.

use rusqlite::Connection;
use superstep_core::error::SaverError;
use tokio::runtime::Handle;

use super::error::TransactionError;
use crate::{Database, queue::Urgency, seal::Seal, sync_level::SyncLevel, writer::Writer};

/// How long a batch may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// Less than a switch to another thread.
    Brief,
    /// Long enough to block an async runtime.
    Long,
}

/// Runs reads on one snapshot.
pub(super) async fn read<T: Send + 'static>(
    database: &Database,
    effort: Effort,
    work: impl FnOnce(&Connection, &Seal) -> Result<T, TransactionError> + Send + 'static,
) -> Result<T, TransactionError> {
    let inner = database.0.clone();
    let read = move || {
        let done = inner.readers.read(|connection| {
            match work(connection, &inner.seal) {
                // Only a database error means that the connection must not be reused.
                Err(TransactionError::Database(error)) => Err(error),
                done => Ok(done),
            }
        });
        done?
    };
    match (effort, Handle::try_current()) {
        (Effort::Long, Ok(runtime)) => {
            let stopped = |error| SaverError::Io(format!("reading stopped: {error}"));
            runtime.spawn_blocking(read).await.map_err(stopped)?
        }
        _ => read(),
    }
}

/// Runs writes: all of them, fsync'd, or nothing.
pub(super) async fn write<T: Send + Unpin + 'static>(
    database: &Database,
    effort: Effort,
    work: impl FnOnce(&Connection, &Seal) -> Result<T, TransactionError> + Send + 'static,
) -> Result<T, TransactionError> {
    submit(database, effort, |writer| in_savepoint(writer, work)).await
}

/// Runs writes that may be large: they are refused while the disk is nearly full.
pub(super) async fn add<T: Send + Unpin + 'static>(
    database: &Database,
    effort: Effort,
    work: impl FnOnce(&Connection, &Seal) -> Result<T, TransactionError> + Send + 'static,
) -> Result<T, TransactionError> {
    let add = |writer: &mut Writer| {
        writer.require_room()?;
        in_savepoint(writer, work)
    };
    submit(database, effort, add).await
}

async fn submit<T: Send + Unpin + 'static>(
    database: &Database,
    effort: Effort,
    work: impl FnOnce(&mut Writer) -> Result<Result<T, TransactionError>, SaverError> + Send + 'static,
) -> Result<T, TransactionError> {
    let queue = &database.0.queue;
    let reply = match effort {
        Effort::Brief => queue.submit(SyncLevel::Full, Urgency::Immediate, work),
        Effort::Long => queue.enqueue(SyncLevel::Full, work),
    };
    reply.await?
}

/// Runs the work in a savepoint. If it fails only the savepoint rolls back: the transaction may hold
/// the work of others.
fn in_savepoint<T>(
    writer: &mut Writer,
    work: impl FnOnce(&Connection, &Seal) -> Result<T, TransactionError>,
) -> Result<Result<T, TransactionError>, SaverError> {
    let mut own = None;
    let done = writer.in_savepoint(|writer| {
        writer.change()?;
        work(writer.db()?, &writer.seal).map_err(|error| {
            let to_saver_error = error.to_saver_error();
            own = Some(error);
            to_saver_error
        })
    });
    match (done, own) {
        (Ok(done), _) => Ok(Ok(done)),
        (Err(_), Some(error)) if !writer.is_dirty() => Ok(Err(error)),
        (Err(error), _) => Err(error),
    }
}
