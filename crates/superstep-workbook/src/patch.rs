//! Writes a changed workbook: only the parts that must change are written, all others are copied
//! byte for byte.

mod book;
mod charts;
mod comments;
mod rows;
mod sheet;
mod tables;

use std::collections::BTreeMap;

pub(crate) use charts::chart_part;

use crate::{
    book::Workbook,
    error::Error,
    frame::Frame,
    package::{Package, Share},
    relations::{Target, declare, relate, relations, undeclare, unrelate},
    styles::{Styles, edit::TEMPLATE},
    xml,
};

/// What is said to the program that opens the workbook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLoad {
    /// Formulas are to be calculated, since values that they read were changed.
    Calculate,
    /// The values of formulas are right.
    Trust,
}

/// A workbook as a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Written {
    /// The file.
    pub bytes: Vec<u8>,
    /// What of it is as it was read.
    pub share: Share,
}

/// Puts an element into the part of a sheet, in place of those of its name.
fn put(package: &mut Package, part: &str, name: &str, element: String) -> Result<(), Error> {
    let bytes = package.part(part)?.unwrap_or_default().into_owned();
    let mut frame = Frame::read(part, &xml::decode(part, &bytes)?)?;
    frame.set(name, vec![element]);
    package.set(part, frame.write().into_bytes());
    Ok(())
}

const SHEET: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml";
const STYLES: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml";

impl Workbook {
    /// The workbook as a file. One that was not changed is the file that was read.
    pub fn write(&self, on_load: OnLoad) -> Result<Written, Error> {
        let package = self.patched(on_load)?;
        Ok(Written {
            bytes: package.to_bytes()?,
            share: package.share(),
        })
    }

    pub(crate) fn patched(&self, on_load: OnLoad) -> Result<Package, Error> {
        let mut package = (*self.package).clone();
        self.remove_parts(&mut package)?;
        for (part, text) in &self.changed.parts {
            package.set(part, text.clone().into_bytes());
        }
        // Relationships of new sheets, by the sheet's name.
        let mut related = BTreeMap::new();
        let mut parts = Vec::new();
        for sheet in &self.sheets {
            let part = match sheet.part.is_empty() {
                false => sheet.part.clone(),
                true => {
                    let part = crate::relations::free_name(&package, "xl/worksheets/sheet", ".xml");
                    package.set(&part, Vec::new());
                    declare(&mut package, &part, SHEET)?;
                    let target = Target::Part(&part);
                    let id = relate(&mut package, &self.parts.workbook, "worksheet", &target)?;
                    related.insert(sheet.name.clone(), id);
                    part
                }
            };
            sheet::write(sheet, &part, &mut package)?;
            charts::write(self, sheet, &part, &mut package)?;
            comments::write(sheet, &part, &mut package)?;
            tables::write(sheet, &part, &mut package)?;
            parts.push(part);
        }
        if let Some(active) = self.changed.active {
            book::select(self, active, &parts, &mut package)?;
        }
        self.write_styles(&mut package)?;
        book::write(self, &related, on_load, &mut package)?;
        Ok(package)
    }

    fn remove_parts(&self, package: &mut Package) -> Result<(), Error> {
        let main = &self.parts.workbook;
        for relation in relations(&self.package, main)? {
            let is_chain = relation.kind == "calcChain" && self.changed.values;
            if is_chain || self.changed.removed.contains(&relation.target) {
                unrelate(package, main, &relation.id)?;
            }
            if is_chain {
                // The order of calculation names cells; programs make it again.
                undeclare(package, &relation.target)?;
                package.remove(&relation.target);
            }
        }
        for part in &self.changed.removed {
            undeclare(package, part)?;
            package.remove(part);
            package.remove(&crate::relations::rels_of(part));
        }
        Ok(())
    }

    fn write_styles(&self, package: &mut Package) -> Result<(), Error> {
        if !self.styles.is_changed() {
            return Ok(());
        }
        let (part, text) = match &self.parts.styles {
            Some(part) => {
                let bytes = package.part(part)?.unwrap_or_default().into_owned();
                (part.clone(), xml::decode(part, &bytes)?.into_owned())
            }
            None => {
                let part = "xl/styles.xml".to_owned();
                declare(package, &part, STYLES)?;
                let target = Target::Part(&part);
                relate(package, &self.parts.workbook, "styles", &target)?;
                (part, TEMPLATE.to_owned())
            }
        };
        let text = styles(&part, &text, &self.styles)?;
        package.set(&part, text.into_bytes());
        Ok(())
    }
}

/// The styles part with new entries at the ends of its lists.
fn styles(part: &str, text: &str, styles: &Styles) -> Result<String, Error> {
    let mut frame = Frame::read(part, text)?;
    for (name, count, new) in styles.additions() {
        if new.is_empty() {
            continue;
        }
        let old: Option<String> = frame.get(name).next().map(str::to_owned);
        let list = match old {
            None => format!("<{name} count=\"{count}\">{new}</{name}>"),
            Some(old) => {
                let old = xml::map(part, &old, &[], |element, piece| match piece {
                    xml::Piece::Attribute("count", _) if element == name => Some(count.to_string()),
                    _ => None,
                })?;
                append(&old, name, &frame.declared(new))
            }
        };
        frame.set(name, vec![list]);
    }
    Ok(frame.write())
}

/// An element with more in it.
fn append(element: &str, name: &str, more: &str) -> String {
    match element.rfind("</").map(|at| element.split_at(at)) {
        Some((start, end)) => format!("{start}{more}{end}"),
        None => {
            let open = element.strip_suffix("/>").unwrap_or(element);
            let prefix = open.strip_prefix('<').and_then(|open| open.split_once(':'));
            let is_prefixed = prefix.is_some_and(|(prefix, _)| !prefix.contains(' '));
            let prefix = prefix.filter(|_| is_prefixed);
            let prefix = prefix.map_or(String::new(), |(prefix, _)| format!("{prefix}:"));
            format!("{open}>{more}</{prefix}{name}>")
        }
    }
}
