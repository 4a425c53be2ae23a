//! The zip archive that a workbook is, read as if an attacker had made it: its sizes are checked
//! before anything is unpacked, and each part is unpacked only up to its declared size. Parts that
//! are not changed are written as they were, compressed bytes included.

mod limits;
mod refuse;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt,
    io::{Cursor, Read, Write},
    sync::Arc,
};

use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

pub use limits::Limits;

use crate::error::Error;

type Archive = ZipArchive<Cursor<Arc<[u8]>>>;

/// The parts of a workbook.
#[derive(Clone)]
pub struct Package {
    archive: Archive,
    /// Index and size of the parts that were read, by name.
    entries: BTreeMap<String, Entry>,
    /// Parts that were written, and none for those that were removed.
    changed: BTreeMap<String, Option<Arc<[u8]>>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    index: usize,
    size: u64,
}

/// How much of a package is as it was read.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Share {
    /// Parts that are byte for byte the same.
    pub identical: usize,
    /// Parts that were written anew.
    pub rewritten: Vec<String>,
    /// Parts that were not there before.
    pub added: Vec<String>,
    /// Parts that are gone.
    pub removed: Vec<String>,
}

/// Without the bytes, which nobody wants to see in a message.
impl fmt::Debug for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = self.names().collect();
        f.debug_struct("Package").field("parts", &parts).finish()
    }
}

impl Package {
    /// Checks the archive and reads its directory; no part is unpacked yet.
    pub fn open(bytes: impl Into<Arc<[u8]>>, limits: &Limits) -> Result<Self, Error> {
        let bytes = bytes.into();
        refuse::by_size(&bytes, limits)?;
        refuse::by_magic(&bytes)?;
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(refuse::unreadable)?;
        let entries = refuse::by_directory(&mut archive, limits)?;
        let entries = entries
            .into_iter()
            .map(|(name, index, size)| (name, Entry { index, size }))
            .collect();
        let package = Self {
            archive,
            entries,
            changed: BTreeMap::new(),
        };
        refuse::by_content(&package)?;
        Ok(package)
    }

    /// The names of all parts, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let old = self.entries.keys();
        let mut names: Vec<&str> = old
            .chain(self.changed.keys())
            .map(String::as_str)
            .filter(|name| self.has(name))
            .collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter()
    }

    /// Whether there is such a part.
    pub fn has(&self, name: &str) -> bool {
        match self.changed.get(name) {
            Some(part) => part.is_some(),
            None => self.entries.contains_key(name),
        }
    }

    /// The bytes of a part; none if there is no such part.
    pub fn part(&self, name: &str) -> Result<Option<Cow<'_, [u8]>>, Error> {
        if let Some(part) = self.changed.get(name) {
            return Ok(part.as_deref().map(Cow::Borrowed));
        }
        let Some(entry) = self.entries.get(name) else {
            return Ok(None);
        };
        // A clone shares the bytes; it is what makes reading possible without `&mut`.
        let mut archive = self.archive.clone();
        let broken = |what: String| Error::damaged(format!("part `{name}`: {what}"));
        let file = archive
            .by_index(entry.index)
            .map_err(|error| broken(error.to_string()))?;
        // The directory may lie about the size: never more than was checked.
        let mut bytes = Vec::new();
        file.take(entry.size + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| broken(error.to_string()))?;
        if bytes.len() as u64 != entry.size {
            return Err(broken(
                "it does not have the size that it declares".to_owned(),
            ));
        }
        Ok(Some(Cow::Owned(bytes)))
    }

    /// Writes a part, new or in place of the old one.
    pub(crate) fn set(&mut self, name: &str, bytes: impl Into<Arc<[u8]>>) {
        self.changed.insert(name.to_owned(), Some(bytes.into()));
    }

    /// Removes a part.
    pub(crate) fn remove(&mut self, name: &str) {
        match self.entries.contains_key(name) {
            true => self.changed.insert(name.to_owned(), None),
            false => self.changed.remove(name),
        };
    }

    /// The archive with its changes. Without changes these are the bytes that were read.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        if self.changed.is_empty() {
            return Ok(self.archive.clone().into_inner().into_inner().to_vec());
        }
        let failed = |error: zip::result::ZipError| Error::damaged(error);
        let options = SimpleFileOptions::default().last_modified_time(zip::DateTime::default());
        let mut archive = self.archive.clone();
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let add = |writer: &mut ZipWriter<_>, name: &str, part: &[u8]| {
            writer.start_file(name, options).map_err(failed)?;
            writer.write_all(part).map_err(Error::damaged)
        };
        let mut order: Vec<_> = self.entries.iter().collect();
        order.sort_unstable_by_key(|(_, entry)| entry.index);
        for (name, entry) in order {
            match self.changed.get(name) {
                Some(Some(part)) => add(&mut writer, name, part)?,
                Some(None) => {}
                None => {
                    let raw = archive.by_index_raw(entry.index).map_err(failed)?;
                    writer.raw_copy_file(raw).map_err(failed)?;
                }
            }
        }
        for (name, part) in &self.changed {
            if let Some(part) = part
                && !self.entries.contains_key(name)
            {
                add(&mut writer, name, part)?;
            }
        }
        Ok(writer.finish().map_err(failed)?.into_inner())
    }

    /// What is as it was read, and what is not.
    pub fn share(&self) -> Share {
        let mut share = Share {
            identical: 0,
            rewritten: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
        };
        for (name, part) in &self.changed {
            let list = match (part, self.entries.contains_key(name)) {
                (Some(_), true) => &mut share.rewritten,
                (Some(_), false) => &mut share.added,
                (None, _) => &mut share.removed,
            };
            list.push(name.clone());
        }
        share.identical = self.entries.len() - share.rewritten.len() - share.removed.len();
        share
    }
}
