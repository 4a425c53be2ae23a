//! Mapping of SQLite and codec errors to `SaverError`.

use std::fmt::Display;

use rusqlite::{Error as Sql, ErrorCode, ffi};
use superstep_core::{
    codec::{CodecError, envelope::EnvelopeError},
    error::SaverError,
};

/// Maps an error of SQLite.
pub(crate) fn sql(error: Sql) -> SaverError {
    let text = error.to_string();
    match &error {
        Sql::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DatabaseCorrupt => SaverError::Corrupt(text),
            ErrorCode::NotADatabase => SaverError::Foreign(text),
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => SaverError::ReadOnly(text),
            ErrorCode::DiskFull => SaverError::Full(text),
            // The file that processes share is made longer, and nothing else is done to it.
            _ if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE => SaverError::Full(text),
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::FileLockingProtocolFailed => SaverError::Locked(text),
            _ => SaverError::Io(text),
        },
        Sql::InvalidColumnType(..)
        | Sql::IntegralValueOutOfRange(..)
        | Sql::FromSqlConversionFailure(..)
        | Sql::Utf8Error(..)
        | Sql::QueryReturnedNoRows => SaverError::Corrupt(text),
        _ => SaverError::Io(text),
    }
}

/// Maps a decoding error.
pub(crate) fn decode(what: &dyn Display, error: &CodecError) -> SaverError {
    SaverError::Corrupt(format!("{what}: {error}"))
}

/// Maps an encoding error.
pub(crate) fn encode(error: &CodecError) -> SaverError {
    SaverError::Unstorable(error.why.clone())
}

/// Maps an envelope that does not open.
pub(crate) fn envelope(what: &dyn Display, error: &EnvelopeError) -> SaverError {
    SaverError::Corrupt(format!("{what}: {error}"))
}
