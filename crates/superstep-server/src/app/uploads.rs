//! Files on their way to the server. Their bytes are in memory until the file is whole, so all of them together have a limit.

use std::{future::poll_fn, pin::Pin, sync::Arc};

use axum::{body::Body, http::StatusCode};
use futures_core::Stream as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::refusal::Refusal;

/// How many files of the largest size may be on their way at once.
const AT_ONCE: usize = 4;

/// A file that is whole, with its share of the memory.
pub(crate) struct Upload {
    pub(crate) bytes: Vec<u8>,
    _room: Option<OwnedSemaphorePermit>,
}

/// The memory for files that are being uploaded.
pub(crate) struct Uploads {
    room: Arc<Semaphore>,
    most: usize,
}

impl Uploads {
    /// Memory for files of this size.
    pub(crate) fn new(most: usize) -> Self {
        let bytes = most.saturating_mul(AT_ONCE).min(Semaphore::MAX_PERMITS);
        let room = Arc::new(Semaphore::new(bytes));
        Self { room, most }
    }

    /// Reads a file.
    pub(crate) async fn read(&self, body: Body) -> Result<Upload, Refusal> {
        let most = self.most;
        let unread = || {
            let why = format!("the file cannot be read, or has more than {most} bytes");
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why)
        };
        let mut body = body.into_data_stream();
        let mut bytes = Vec::new();
        let mut held: Option<OwnedSemaphorePermit> = None;
        while let Some(piece) = poll_fn(|cx| Pin::new(&mut body).poll_next(cx)).await {
            let piece = piece.map_err(|_| unread())?;
            if bytes.len().saturating_add(piece.len()) > most {
                return Err(unread());
            }
            let count = u32::try_from(piece.len()).map_err(|_| unread())?;
            let room = self.room.clone().try_acquire_many_owned(count);
            let room = room.map_err(|_| no_room())?;
            match &mut held {
                Some(held) => held.merge(room),
                none => *none = Some(room),
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(Upload { bytes, _room: held })
    }
}

fn no_room() -> Refusal {
    let why = "too many files are being uploaded: try again later";
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why)
}
