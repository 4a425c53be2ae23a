//! Why a workbook was refused: one enum with codes and hints.

use superstep_core::error::Category;

/// Why a workbook cannot be read, changed or written. Nothing was changed.
#[derive(Debug, thiserror::Error, superstep_coded::Coded)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are no zip archive.
    #[error("this is not a workbook: the file is no zip archive")]
    #[coded(
        "SS7501",
        InvalidInput,
        hint = "workbooks are .xlsx files; open the file in its program and save it as .xlsx"
    )]
    NotZip,
    /// A zip archive of something else.
    #[error("this is not an .xlsx workbook: {what}")]
    #[coded(
        "SS7502",
        InvalidInput,
        hint = "open the file in its program and save it as .xlsx (Excel workbook)"
    )]
    NotWorkbook {
        /// What speaks against it.
        what: String,
    },
    /// A workbook of Excel 97-2003.
    #[error("this is a workbook of Excel 97-2003 (.xls)")]
    #[coded(
        "SS7503",
        InvalidInput,
        hint = "open it and save it as .xlsx; the old format is not read"
    )]
    Legacy,
    /// A workbook or a part of it is encrypted.
    #[error("the workbook is encrypted")]
    #[coded(
        "SS7504",
        InvalidInput,
        hint = "open it with its password and save it without one"
    )]
    Encrypted,
    /// A workbook with macros.
    #[error("the workbook has macros: `{part}`")]
    #[coded(
        "SS7505",
        InvalidInput,
        hint = "save it as .xlsx without macros; macros are neither run nor kept"
    )]
    Macros {
        /// The part that says so.
        part: String,
    },
    /// The archive ends too early or is damaged.
    #[error("the workbook is damaged or cut off: {what}")]
    #[coded(
        "SS7506",
        InvalidInput,
        hint = "get the file again, or let its program repair it"
    )]
    Damaged {
        /// What is wrong, with the part where it is known.
        what: String,
    },
    /// Larger than the limits permit.
    #[error("the workbook exceeds a limit: {what}")]
    #[coded(
        "SS7507",
        InvalidInput,
        hint = "raise the limit if the file is to be trusted; a small file that unpacks to a huge one is a known attack"
    )]
    Limit {
        /// Which limit, and by how much.
        what: String,
    },
    /// A name in the archive that leads out of it, or is twice.
    #[error("the archive has the entry {name:?}, which no workbook has: {why}")]
    #[coded(
        "SS7508",
        InvalidInput,
        hint = "the file was made to deceive programs; do not use it"
    )]
    Name {
        /// The name as it is there.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A part declares entities, which no workbook needs.
    #[error("part `{part}` declares a document type or entities")]
    #[coded(
        "SS7509",
        InvalidInput,
        hint = "the file was made to deceive programs; do not use it"
    )]
    Entities {
        /// The part.
        part: String,
    },
    /// A part is no well-formed XML, or says something impossible.
    #[error("part `{part}` cannot be read: {what}")]
    #[coded(
        "SS7510",
        InvalidInput,
        hint = "let the workbook's program repair and save it"
    )]
    Malformed {
        /// The part.
        part: String,
        /// What is wrong.
        what: String,
    },
    /// An address that is none.
    #[error("`{text}` is no {kind}")]
    #[coded(
        "SS7511",
        InvalidInput,
        hint = "cells are written as `B3`, areas as `A1:C9`, columns as `C`"
    )]
    Address {
        /// What was written.
        text: String,
        /// What it should be.
        kind: &'static str,
    },
    /// A sheet that the workbook does not have.
    #[error("there is no sheet `{name}`")]
    #[coded(
        "SS7512",
        NotFound,
        hint = "the message of the operation lists the sheets there are"
    )]
    NoSheet {
        /// The name.
        name: String,
    },
    /// An operation that cannot be done; none of its list was.
    #[error("operation {number} ({operation}) cannot be done: {why}")]
    #[coded(
        "SS7513",
        InvalidInput,
        hint = "nothing was changed; correct the operation and try again"
    )]
    Refused {
        /// Its place in the list, from 1.
        number: usize,
        /// Its name.
        operation: &'static str,
        /// Why.
        why: String,
    },
    /// The workbook was not recalculated.
    #[error("the formulas were not recalculated: {why}")]
    #[coded(
        "SS7514",
        Internal,
        hint = "the workbook is complete; the program that opens it will calculate its values"
    )]
    NotRecalculated {
        /// What the calculation could not do.
        why: String,
    },
    /// A file could not be read or written.
    #[error("`{path}`: {source}")]
    #[coded(
        "SS7515",
        Unavailable,
        hint = "check the path, its permissions and free space"
    )]
    File {
        /// The path.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that would have been overwritten.
    #[error("`{path}` exists")]
    #[coded(
        "SS7516",
        Conflict,
        hint = "write to a file of another name (-o), or replace this one with --force"
    )]
    Exists {
        /// The path.
        path: String,
    },
}

impl Error {
    pub(crate) fn malformed(part: &str, what: impl Into<String>) -> Self {
        Self::Malformed {
            part: part.to_owned(),
            what: what.into(),
        }
    }

    pub(crate) fn damaged(what: impl std::fmt::Display) -> Self {
        Self::Damaged {
            what: what.to_string(),
        }
    }
}
