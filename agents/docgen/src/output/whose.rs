//! Whose a file in the folder of a documentation is.
//!
//! `metadata.json` may come with a code base, so what it says alone is no reason to remove anything: a file is ours if its
//! name is one that a page can have, and its content is what was written, by its hash.

use std::{fs, path::Path};

use xxhash_rust::xxh3::xxh3_128;

use crate::{
    agent::is_agent_name,
    metadata::{INPUTS, METADATA, Metadata},
    pages::OWN,
};

/// The largest page that is read.
const LARGEST: u64 = 64 << 20;

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The last documentation wrote it as it is.
    Ours,
    /// It is a page of the last documentation, and not as it was written.
    Changed,
    /// Anything else.
    Others,
}

pub(super) fn whose(folder: &Path, name: &str, old: Option<&Metadata>) -> Whose {
    let Some(old) = old.filter(|old| old.files.iter().any(|it| it == name)) else {
        return Whose::Others;
    };
    let path = folder.join(name);
    if !is_page(name) || !fs::symlink_metadata(&path).is_ok_and(|about| about.is_file()) {
        return Whose::Others;
    }
    // It was read as one of ours, and it cannot hold its own hash.
    if name == METADATA && !old.written.is_empty() {
        return Whose::Ours;
    }
    let text = superstep::fs::read_text(&path, LARGEST);
    let hash = text.ok().map(|text| hash(&text));
    match hash.as_ref() == old.written.get(name) && hash.is_some() {
        true => Whose::Ours,
        false => Whose::Changed,
    }
}

fn is_page(name: &str) -> bool {
    let is_own = OWN.contains(&name) || [METADATA, INPUTS].contains(&name);
    is_own || name.strip_suffix(".md").is_some_and(is_agent_name)
}

/// A hash of a page; git may write its line ends in another way.
pub(crate) fn hash(text: &str) -> String {
    format!("{:032x}", xxh3_128(text.replace("\r\n", "\n").as_bytes()))
}
