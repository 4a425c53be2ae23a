//! How the store reaches its database: one transaction for each piece of work, and none on the
//! caller's thread that may take long.

use rusqlite::Connection;
use superstep_core::error::SaverError;
use tokio::runtime::Handle;

use super::fault::Fault;
use crate::{Database, queue::Haste, seal::Seal, sync_level::Need, writer::Writer};

/// How long work may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// Less than it takes to have another thread do it.
    Brief,
    /// So long that the caller's thread should do other things meanwhile.
    Long,
}

/// Reads, all of it from the same moment.
pub(super) async fn read<T: Send + 'static>(
    database: &Database,
    effort: Effort,
    work: impl FnOnce(&Connection, &Seal) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let inner = database.0.clone();
    let read = move || {
        let done = inner.readers.read(|connection| {
            match work(connection, &inner.seal) {
                // A connection that failed is not used again; it has no part in other faults.
                Err(Fault::Database(error)) => Err(error),
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

/// Writes all of it, down to the disk, or nothing.
pub(super) async fn write<T: Send + Unpin + 'static>(
    database: &Database,
    effort: Effort,
    work: impl FnOnce(&Connection, &Seal) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let work = move |writer: &mut Writer| apart(writer, work);
    let queue = &database.0.queue;
    let reply = match effort {
        Effort::Brief => queue.submit(Need::Disk, Haste::Now, work),
        Effort::Long => queue.later(Need::Disk, work),
    };
    reply.await?
}

/// Does the work, or takes it back and hands over its own fault: the transaction, which may have the
/// work of others in it, goes on.
fn apart<T>(
    writer: &mut Writer,
    work: impl FnOnce(&Connection, &Seal) -> Result<T, Fault>,
) -> Result<Result<T, Fault>, SaverError> {
    let mut own = None;
    let done = writer.apart(|writer| {
        writer.change()?;
        work(writer.db()?, &writer.seal).map_err(|fault| {
            let told = fault.told();
            own = Some(fault);
            told
        })
    });
    match (done, own) {
        (Ok(done), _) => Ok(Ok(done)),
        (Err(_), Some(fault)) if !writer.is_dirty() => Ok(Err(fault)),
        (Err(error), _) => Err(error),
    }
}
