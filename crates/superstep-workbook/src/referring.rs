//! What names cells of an area: formulas, names, and what surrounds cells. Programs that move cells and leave that as it
//! is make it wrong without a word; who runs them can warn.

use crate::{
    address::{Area, CellRef},
    book::{Workbook, is_same_name},
    formula::{self, Change},
};

/// What names cells of an area.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Referring {
    /// Formulas: the sheet, the cell, and the text.
    pub formulas: Vec<(String, CellRef, String)>,
    /// Names of the workbook and of sheets.
    pub names: Vec<String>,
    /// What has a place of its own on the sheet: how many of what.
    pub surroundings: Vec<(&'static str, usize)>,
}

impl Workbook {
    /// What names cells of an area of a sheet, wholly or in part.
    pub fn referring(&self, sheet: &str, area: Area) -> Referring {
        let mut found = Referring::default();
        for home in &self.sheets {
            for (at, cell) in home.cells() {
                let Some(formula) = cell.formula() else {
                    continue;
                };
                if names(&formula.text, &home.name, sheet, area) {
                    let text = formula.text.clone();
                    found.formulas.push((home.name.clone(), at, text));
                }
            }
        }
        for name in &self.names {
            let home = name.sheet.and_then(|at| self.sheets.get(at));
            let home = home.map_or("", |home| home.name.as_str());
            if !name.hidden && names(&name.refers_to, home, sheet, area) {
                found.names.push(name.name.clone());
            }
        }
        if let Ok(sheet) = self.sheet(sheet) {
            let mut add = |what, count: usize| {
                if count > 0 {
                    found.surroundings.push((what, count));
                }
            };
            let merged = sheet.merged.iter();
            add(
                "merged area",
                merged.filter(|it| it.overlaps(&area)).count(),
            );
            let tables = sheet.tables.iter();
            add("table", tables.filter(|it| it.area.overlaps(&area)).count());
            // What cannot be read is reported where the workbook is compared.
            let features = self.features(sheet).unwrap_or_default();
            for kind in ["conditional format", "validation"] {
                let here = features.iter().filter(|it| it.kind == kind);
                let here = here.filter(|it| {
                    let mut areas = it.at.split_whitespace();
                    areas.any(|at| at.parse::<Area>().is_ok_and(|it| it.overlaps(&area)))
                });
                add(kind, here.count());
            }
            let anchored = self.anchored(sheet).unwrap_or_default();
            let lies = anchored.iter().filter_map(|it| it.area);
            add(
                "chart or picture",
                lies.filter(|it| it.overlaps(&area)).count(),
            );
        }
        found
    }
}

/// Whether a formula of one sheet names cells of an area of another.
fn names(text: &str, home: &str, sheet: &str, area: Area) -> bool {
    let mut found = false;
    formula::rewrite(text, |reference| {
        let meant = reference.sheet.as_deref().unwrap_or(home);
        found |= is_same_name(meant, sheet) && reference.area().overlaps(&area);
        Change::Keep
    });
    found
}
