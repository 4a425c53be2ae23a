//! What is no workbook that can be edited, and why: distinguished by its first bytes, its directory
//! and its content types, in this order.

use std::collections::BTreeSet;

use zip::{CompressionMethod, result::ZipError};

use super::{Archive, Limits, Package, limits::HARMLESS};
use crate::error::Error;

const OLE: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
const TYPES: &str = "[Content_Types].xml";

pub(super) fn by_size(bytes: &[u8], limits: &Limits) -> Result<(), Error> {
    let size = bytes.len() as u64;
    if size > limits.file {
        return Err(limit("bytes in the file", size, limits.file));
    }
    Ok(())
}

pub(super) fn by_magic(bytes: &[u8]) -> Result<(), Error> {
    if bytes.starts_with(&OLE) {
        // Encrypted workbooks are the same container as the old format; its directory names
        // the stream, in UTF-16.
        let wide: Vec<u8> = "EncryptedPackage"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let is_encrypted = bytes.windows(wide.len()).any(|window| window == wide);
        return Err(match is_encrypted {
            true => Error::Encrypted,
            false => Error::Legacy,
        });
    }
    // A workbook of Excel 2 to 4 is a bare stream that begins with its version.
    let is_old_stream = matches!(bytes, [0x09, 0x00 | 0x02 | 0x04, 0x04 | 0x06, 0x00, ..]);
    if is_old_stream {
        return Err(Error::Legacy);
    }
    match bytes {
        [] => Err(Error::damaged("the file is empty")),
        [b'P', b'K', ..] => Ok(()),
        _ => Err(Error::NotZip),
    }
}

pub(super) fn unreadable(error: ZipError) -> Error {
    Error::damaged(match error {
        ZipError::InvalidArchive(_) => "the directory at its end is missing or wrong".to_owned(),
        error => error.to_string(),
    })
}

/// The parts with their indices and sizes.
pub(super) fn by_directory(
    archive: &mut Archive,
    limits: &Limits,
) -> Result<Vec<(String, usize, u64)>, Error> {
    if archive.len() > limits.entries {
        let (has, may) = (archive.len() as u64, limits.entries as u64);
        return Err(limit("entries in the archive", has, may));
    }
    if archive.has_duplicate_names() {
        return Err(Error::Name {
            name: "(one of them)".to_owned(),
            why: "a name stands there twice",
        });
    }
    let overlaps = archive.has_overlapping_entries().map_err(Error::damaged)?;
    if overlaps {
        return Err(Error::Limit {
            what: "entries share their bytes, as in a zip bomb".to_owned(),
        });
    }
    let mut parts = Vec::new();
    let mut seen = BTreeSet::new();
    let mut total = 0_u64;
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(Error::damaged)?;
        let name = file.name().map_err(Error::damaged)?.into_owned();
        if file.encrypted() {
            return Err(Error::Encrypted);
        }
        check_name(&name)?;
        if file.is_dir() {
            continue;
        }
        if !seen.insert(name.to_ascii_lowercase()) {
            let why = "a name stands there twice";
            return Err(Error::Name { name, why });
        }
        let method = file.compression();
        let is_known = matches!(
            method,
            CompressionMethod::Stored | CompressionMethod::Deflated
        );
        if !is_known {
            let what =
                format!("part `{name}` is compressed by {method:?}, which workbooks do not use");
            return Err(Error::NotWorkbook { what });
        }
        let (size, packed) = (file.size(), file.compressed_size());
        if size > limits.part {
            return Err(limit(&format!("bytes in part `{name}`"), size, limits.part));
        }
        if size > HARMLESS && size / packed.max(1) > limits.ratio {
            let what = format!(
                "part `{name}` unpacks to {} times its size, more than {}: a zip bomb",
                size / packed.max(1),
                limits.ratio
            );
            return Err(Error::Limit { what });
        }
        total = total.saturating_add(size);
        if total > limits.total {
            return Err(limit("bytes in all parts", total, limits.total));
        }
        parts.push((name, index, size));
    }
    Ok(parts)
}

fn check_name(name: &str) -> Result<(), Error> {
    let refused = |why| {
        Err(Error::Name {
            name: name.to_owned(),
            why,
        })
    };
    if name.starts_with('/') || name.contains(':') {
        return refused("it names a place outside of the archive");
    }
    if name.contains('\\') || name.chars().any(char::is_control) {
        return refused("it has characters that part names do not have");
    }
    if name.split('/').any(|step| step == "..") {
        return refused("it leads out of the archive");
    }
    Ok(())
}

pub(super) fn by_content(package: &Package) -> Result<(), Error> {
    if let Some(part) = package.names().find(|name| is_macro(name)) {
        return Err(Error::Macros {
            part: part.to_owned(),
        });
    }
    let Some(types) = package.part(TYPES)? else {
        let what = match package.has("mimetype") {
            true => "it is an OpenDocument file",
            false => "it has no list of content types",
        };
        return Err(Error::NotWorkbook {
            what: what.to_owned(),
        });
    };
    let types = String::from_utf8_lossy(&types);
    if types.contains("macroEnabled") {
        return Err(Error::Macros {
            part: TYPES.to_owned(),
        });
    }
    if types.contains("sheet.binary") {
        return Err(Error::NotWorkbook {
            what: "it is a binary workbook (.xlsb)".to_owned(),
        });
    }
    Ok(())
}

fn is_macro(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("vbaproject.bin") || name.contains("/macrosheets/")
}

fn limit(what: &str, has: u64, may: u64) -> Error {
    Error::Limit {
        what: format!("{has} {what}, {may} are permitted"),
    }
}
