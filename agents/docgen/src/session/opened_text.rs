//! Pages of a documentation and files of its code base, as front ends open them by name.

use std::path::Path;

use serde::Deserialize as _;
use serde_json::Value as Json;
use superstep::fs::{is_secret_name, read_text};

use crate::{DocState, Settings};

/// The most bytes of a file that is opened.
const LARGEST: u64 = 4 << 20;

/// The text of a page or a file of the code base that a state names. Only below the folders that requests may name; nothing
/// without such folders, because a state is what clients made of it.
pub(super) fn opened_text(name: &str, values: &Json, settings: &Settings) -> Option<String> {
    let roots = settings.roots.as_ref()?;
    let state = DocState::deserialize(values).ok()?;
    let request = settings.allowed(&state.request).ok()?;
    let pages = state.outcome.map(|outcome| outcome.files);
    let folder = match pages.unwrap_or_default().iter().any(|page| page == name) {
        true => &request.output,
        false => &request.root,
    };
    let name = Path::new(name);
    let is_secret = name
        .file_name()
        .is_none_or(|it| is_secret_name(&it.to_string_lossy()));
    let path = roots.below(&folder.join(name))?;
    let is_inside = std::fs::canonicalize(folder).is_ok_and(|real| path.starts_with(real));
    match is_inside && !is_secret {
        true => read_text(&path, LARGEST).ok(),
        false => None,
    }
}
