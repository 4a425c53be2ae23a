//! The targets, one file each.

pub mod archive;
pub mod codec;
pub mod mime;
pub mod script;
pub mod sse;
pub mod workbook;

use crate::target::Target;

/// All targets.
pub const ALL: [Target; 6] = [
    archive::TARGET,
    codec::TARGET,
    mime::TARGET,
    script::TARGET,
    sse::TARGET,
    workbook::TARGET,
];

/// The target of this name.
pub fn named(name: &str) -> Option<Target> {
    ALL.into_iter().find(|target| target.name == name)
}
