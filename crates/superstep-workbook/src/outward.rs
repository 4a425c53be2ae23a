//! What of a workbook reaches outside it: formulas that send requests or read other files, links, connections, add-ins.
//! Whoever opens the workbook sets them off, so a person agrees before one is added.

mod lines;
mod outward_parts;
mod reach;

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    book::Workbook,
    error::Error,
    inventory,
    lineage::Lineage,
    patch::chart_part,
    relations::{Relation, relations},
    sheet::Sheet,
};

use outward_parts::OutwardParts;
use reach::is_outward_address;

/// Relationships to parts that fetch or run something, in small letters, and what that is.
const PARTS: [(&str, &str); 8] = [
    ("connections", "list of connections"),
    ("control", "ActiveX control"),
    ("oleobject", "embedded object"),
    ("package", "embedded file"),
    ("querytable", "query"),
    ("webextension", "add-in"),
    ("webextensiontaskpanes", "add-in"),
    ("attachedtoolbars", "toolbar"),
];

/// Something that reaches outside its workbook.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outward {
    /// The sheet; empty if it belongs to the workbook.
    pub sheet: String,
    /// What it is: `formula`, `link`, `name`, …
    pub kind: String,
    /// Where it is: a cell, an area, a name or a part.
    pub at: String,
    /// The formula without its equals sign, the address, or the content of the part.
    pub text: String,
    /// Where it reaches.
    pub to: Vec<String>,
}

impl Workbook {
    /// What reaches outside and did not in the workbook that this one came from. The same formula on the same sheet is not
    /// new, wherever it stands there. `moved` gives the old workbook with its cells moved as in this one, if they were.
    pub fn new_outward(
        &self,
        before: &Self,
        lineage: &Lineage,
        moved: impl FnOnce() -> Option<Self>,
    ) -> Vec<Outward> {
        type Key = (String, String, String);
        let mut found = self.outward(before);
        let key = |it: &Outward| (it.sheet.to_lowercase(), it.kind.clone(), it.text.clone());
        if !found.is_empty() {
            let mut known: BTreeSet<Key> = BTreeSet::new();
            for old in before.outward(self) {
                let (sheet, kind, text) = key(&old);
                let sheet = match lineage.sheet(&old.sheet) {
                    Some(new) => new.to_lowercase(),
                    None => sheet,
                };
                known.insert((sheet.clone(), kind.clone(), lineage.follow(&text)));
                known.insert((sheet, kind, text));
            }
            found.retain(|it| !known.contains(&key(it)));
        }
        if !found.is_empty()
            && let Some(moved) = moved()
        {
            let known: BTreeSet<Key> = moved.outward(self).iter().map(key).collect();
            found.retain(|it| !known.contains(&key(it)));
        }
        found
    }

    /// What reaches outside, without what is shared with another workbook.
    fn outward(&self, other: &Self) -> Vec<Outward> {
        let mut found = OutwardParts::new(self);
        for name in &self.names {
            let home = name.sheet.and_then(|at| self.sheets.get(at));
            let home = home.map_or("", |home| home.name.as_str());
            found.formula(home, "name", &name.name, &name.refers_to);
        }
        let is_shared = |sheet: &Arc<Sheet>| other.sheets.iter().any(|it| Arc::ptr_eq(it, sheet));
        for sheet in self.sheets.iter().filter(|sheet| !is_shared(sheet)) {
            for (at, cell) in sheet.cells() {
                if let Some(formula) = cell.formula() {
                    found.formula(&sheet.name, "formula", &at.to_string(), &formula.text);
                }
            }
            if let Err(error) = self.around(sheet, &mut found) {
                found.unreadable(&sheet.name, &error.to_string());
            }
        }
        let is_same_package = Arc::ptr_eq(&self.package, &other.package);
        if !is_same_package || self.changed.parts != other.changed.parts {
            self.parts(&mut found);
        }
        found.all
    }

    /// Rules, links and charts of a sheet.
    fn around(&self, sheet: &Sheet, found: &mut OutwardParts) -> Result<(), Error> {
        let home = &sheet.name;
        for link in &sheet.new_links {
            found.link(home, &link.area.to_string(), &link.address);
        }
        for chart in &sheet.new_charts {
            found.formulas(
                home,
                "chart",
                &chart.at.to_string(),
                &chart_part(self, chart),
            )?;
        }
        if !sheet.is_grid {
            return Ok(());
        }
        let related = match sheet.part.is_empty() {
            true => Vec::new(),
            false => relations(&self.package, &sheet.part)?,
        };
        for (name, raws) in &inventory::blocks(self, sheet)? {
            for raw in raws {
                match *name {
                    "hyperlinks" => found.stored_link(home, raw, &related)?,
                    "conditionalFormatting" => {
                        found.formulas(home, "conditional format", "", raw)?;
                    }
                    "dataValidations" => found.formulas(home, "validation", "", raw)?,
                    _ => found.formulas(home, "extension", "", raw)?,
                }
            }
        }
        Ok(())
    }

    /// The parts beside the sheets, and what leads outside the package.
    fn parts(&self, found: &mut OutwardParts) {
        let grids: BTreeSet<&str> = self.sheets.iter().map(|it| it.part.as_str()).collect();
        for name in self.package.names() {
            if let Some(owner) = owner(name) {
                let is_grid = grids.contains(owner.as_str());
                match relations(&self.package, &owner) {
                    Ok(related) => self.targets(&related, is_grid, found),
                    Err(_) => found.part(self, "part that cannot be read", name),
                }
                continue;
            }
            let is_data = ["xl/sharedStrings.xml", "xl/styles.xml"].contains(&name)
                || name.starts_with("xl/theme/")
                || name.starts_with("xl/pivotCache/pivotCacheRecords")
                || name == self.parts.workbook
                || grids.contains(name);
            let is_xml = name.ends_with(".xml") || name.ends_with(".vml");
            if is_data || !is_xml {
                continue;
            }
            let read = inventory::text(self, name).and_then(|text| {
                let text = text.unwrap_or_default();
                found.formulas("", "part", name, &text)
            });
            if read.is_err() {
                found.part(self, "part that cannot be read", name);
            }
        }
    }

    fn targets(&self, related: &[Relation], is_grid: bool, found: &mut OutwardParts) {
        for relation in related {
            if relation.is_external {
                // The links of a sheet are found with their cells.
                let is_link = relation.kind == "hyperlink";
                if is_link && (is_grid || !is_outward_address(&relation.target)) {
                    continue;
                }
                found.all.push(Outward {
                    sheet: String::new(),
                    kind: format!("external {}", relation.kind),
                    at: String::new(),
                    text: relation.target.clone(),
                    to: vec![relation.target.clone()],
                });
                continue;
            }
            let kind = relation.kind.to_lowercase();
            if let Some((_, what)) = PARTS.iter().find(|(it, _)| *it == kind) {
                found.part(self, what, &relation.target);
            }
        }
    }
}

/// The part whose relationships a part holds.
fn owner(rels: &str) -> Option<String> {
    let (folder, file) = rels.rsplit_once('/').unwrap_or(("", rels));
    let file = file.strip_suffix(".rels")?;
    let folder = folder.strip_suffix("_rels")?;
    Some(format!("{folder}{file}"))
}
