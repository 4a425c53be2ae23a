//! Names of dependencies in the first cell of a table of versions, without backticks.

use super::{
    claim::{Claim, What},
    dependencies::is_dependency_name,
    setting::Setting,
    versions,
};

/// The name that a row of a table of dependencies is about, if another cell has a version.
pub(super) fn bare_name(unit: &str, setting: &Setting) -> Option<Claim> {
    let header = setting.header.as_deref()?;
    let is_header = header == unit.trim().to_lowercase();
    let row = unit.trim_end().strip_suffix('|')?;
    let start = row.find('|')? + 1;
    let cell = row.get(start..)?.split('|').next()?;
    let name = cell.trim();
    let heads = ["dependenc", "package", "crate", "librar"];
    let head = setting.column(unit, start)?;
    let is_of_names = heads.iter().any(|it| head.contains(it));
    if is_header || !is_of_names || !is_dependency_name(name) {
        return None;
    }
    let start = start + cell.len() - cell.trim_start().len();
    let place = start..start + name.len();
    let near = versions::in_cell(unit, place.end, setting)?;
    if !versions::is_for_versions(setting.column(unit, near.place.start)?) {
        return None;
    }
    Some(Claim {
        place,
        what: What::Dependency {
            name: name.to_owned(),
            is_said: true,
        },
    })
}
