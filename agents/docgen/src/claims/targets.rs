//! What a path leads to: a file, a folder, something that was not looked at, or nothing.

use crate::facts::{Facts, File};

/// Something that a path leads to.
pub(super) enum Target<'a> {
    File(&'a File),
    /// The only file that ends so.
    Ending(&'a File),
    Folder,
    /// More than one, or something that was not looked at.
    Unsure,
    Nothing,
}

/// What a path leads to.
pub(super) fn target<'a>(path: &str, facts: &'a Facts) -> Target<'a> {
    if let Some(file) = facts.file(path) {
        return Target::File(file);
    }
    let below = format!("{path}/");
    let at = facts.files.partition_point(|file| *file.path < *below);
    let next = facts.files.get(at);
    if next.is_some_and(|file| file.path.starts_with(&below)) {
        return Target::Folder;
    }
    let is_it = |it: &str| it == path || it.starts_with(&below);
    if facts.skipped.first.iter().any(|it| is_it(&it.path)) {
        return Target::Unsure;
    }
    let end = format!("/{path}");
    let mut same = facts.files.iter().filter(|file| file.path.ends_with(&end));
    match (same.next(), same.next()) {
        (Some(file), None) => Target::Ending(file),
        (Some(_), Some(_)) => Target::Unsure,
        _ => Target::Nothing,
    }
}

/// Whether a path leads to where facts do not look: hidden folders, and what tools make.
pub(super) fn is_unseen(path: &str) -> bool {
    const MADE: [&str; 15] = [
        "node_modules", "dist", "build", "target", "out", "venv", "vendor", "coverage", "bin",
        "obj", "tmp", "logs", "__pycache__", "generated", "superstep-docs",
    ];
    let mut parts = path.split('/');
    parts.any(|part| part.starts_with('.') || MADE.contains(&part)) || path.starts_with('/')
}
