//! Documents that a client has uploaded, in place of a folder.

use std::{collections::HashSet, path::Path, sync::Arc};

use superstep::{
    store::{Blobs, UPLOADS},
    text::single_line,
};

use super::{
    Limits, Packed, Upload,
    walk::{FileSource, FolderFile},
};
use crate::{entry::Why, error::Error};

/// The name of the place of uploads in errors.
pub(super) const PLACE: &str = "the uploaded files";

/// The most bytes of uploads that are read. All of them are in memory at once.
const MOST: usize = 256 << 20;

/// An upload as the storage has it.
pub(crate) struct Uploaded {
    name: String,
    bytes: Result<Vec<u8>, Why>,
}

/// The uploads that a thread names.
pub(crate) async fn fetch(
    uploads: &[Upload],
    blobs: Option<&Arc<dyn Blobs>>,
) -> Result<Vec<Uploaded>, Error> {
    let failed = |why: String| Error::folder(Path::new(PLACE), why);
    let blobs = blobs.ok_or_else(|| failed("the storage keeps no files".to_owned()))?;
    let mut fetched = Vec::new();
    let mut room = MOST;
    for upload in uploads {
        let bytes = match upload.sha256.parse() {
            Ok(hash) => blobs.get(UPLOADS, hash).await,
            Err(_) => Ok(None),
        };
        let bytes = bytes.map_err(|error| failed(error.to_string()))?;
        let bytes = match bytes {
            None => Err(Why::Unreadable {
                message: "there is no such upload".to_owned(),
            }),
            Some(bytes) if bytes.len() > room => Err(Why::TooMuch),
            Some(bytes) => {
                room -= bytes.len();
                Ok(bytes.into())
            }
        };
        fetched.push(Uploaded {
            name: single_line(&upload.name),
            bytes,
        });
    }
    Ok(fetched)
}

/// Uploads as files of a folder, in order of name. Clients give the names, so two may be the same: the second one gets a
/// number.
pub(super) fn files(uploads: Vec<Uploaded>, limits: &Limits) -> Vec<FolderFile> {
    let mut known = HashSet::new();
    let file = |Uploaded { name, bytes }: Uploaded| {
        let name = unused(name, &mut known);
        let limit = limits.of(Packed::of(Path::new(&name)));
        let (content, why) = match bytes {
            Ok(content) => (content, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        let is_large = bytes > limit;
        FolderFile {
            source: FileSource::Upload(name.clone(), content.into()),
            name,
            bytes,
            why: why.or(is_large.then_some(Why::TooLarge { limit })),
        }
    };
    let mut files: Vec<FolderFile> = uploads.into_iter().map(file).collect();
    files.sort_by(|one, other| one.name.cmp(&other.name));
    files
}

fn unused(name: String, known: &mut HashSet<String>) -> String {
    let name = match name.is_empty() {
        true => "file".to_owned(),
        false => name,
    };
    let path = Path::new(&name);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path
        .extension()
        .map(|it| format!(".{}", it.to_string_lossy()));
    let ending = ending.unwrap_or_default();
    let numbered = (2_usize..).map(|number| format!("{stem}-{number}{ending}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    let free = names.find(|name| known.insert(name.clone()));
    free.unwrap_or(name)
}
