//! What another program does not know and leaves out when it writes a workbook, carried over from the workbook that it
//! read: texts with formats, extensions of sheets, conversations, custom XML. What cannot be carried is told by
//! [`Workbook::extras`], which counts them on both sides.

use std::sync::Arc;

use crate::{
    address::{Area, CellRef, LAST_COLUMN, LAST_ROW},
    book::{Workbook, is_same_name},
    edit::{blocks_of, rewrite_all},
    error::Error,
    extensions,
    frame::Frame,
    lineage::{Lineage, Tracks},
    package::Package,
    relations::{OFFICE, Target, content_type, declare, free_name, relate_as, relations, rels_of},
    sheet::{Sheet, Text, Value},
    xml::{self, Piece, Tag, Token, Xml},
};

/// The kind of relationship that leads to conversations, and to who takes part in them.
const THREADS: &str = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment";
const PERSONS: &str = "http://schemas.microsoft.com/office/2017/10/relationships/person";

impl Workbook {
    /// Brings over what the program that wrote this workbook in place of another one did not know. What cannot be read
    /// stays behind.
    pub(crate) fn carry_over(&mut self, before: &Self, lineage: &Lineage) {
        if lineage.is_new {
            return;
        }
        for old in &before.sheets {
            let place = lineage
                .sheet(&old.name)
                .and_then(|new| self.position(new).ok());
            let Some(place) = place.filter(|_| old.is_grid) else {
                continue;
            };
            let tracks = lineage.tracks(&old.name);
            self.carry_texts(old, place, &tracks);
            let _ = self.carry_extensions(before, old, place, &tracks);
            let _ = self.carry_threads(before, old, place, &tracks);
        }
        let _ = self.carry_parts(before);
        self.follow_renames(lineage);
        for place in 0..self.sheets.len() {
            // The columns of tables, which programs leave as they were.
            let _ = self.follow_headers(place, whole());
        }
    }

    fn carry_texts(&mut self, old: &Sheet, place: usize, tracks: &Tracks) {
        let Some(new) = self.sheets.get(place) else {
            return;
        };
        let mut found = Vec::new();
        for (at, cell) in old.cells() {
            let Value::Text(text) = &cell.value else {
                continue;
            };
            // A prefix would be bound by the old root.
            let rich = text.rich.as_ref().filter(|raw| raw.contains("<r>"));
            let (Some(rich), Some(now)) = (rich, tracks.cell(at)) else {
                continue;
            };
            let is_same = new.cell(now).is_some_and(|cell| {
                let is_plain = matches!(&cell.value, Value::Text(it) if it.rich.is_none());
                is_plain && cell.value == Value::Text(Arc::clone(text)) && cell.formula().is_none()
            });
            if is_same {
                let text = Text {
                    plain: text.plain.clone(),
                    shared: None,
                    rich: Some(rich.clone()),
                };
                found.push((now, Arc::new(text)));
            }
        }
        if found.is_empty() {
            return;
        }
        if let Some(sheet) = self.sheets.get_mut(place).map(Arc::make_mut) {
            for (at, text) in found {
                if let Some(cell) = sheet.cell_mut(at) {
                    cell.value = Value::Text(text);
                }
            }
        }
    }

    fn carry_extensions(
        &mut self,
        before: &Self,
        old: &Sheet,
        place: usize,
        tracks: &Tracks,
    ) -> Result<(), Error> {
        let failed = |why: String| Error::malformed(&old.part, why);
        let Some(new) = self.sheets.get(place) else {
            return Ok(());
        };
        let lists = blocks_of(old, &before.package).map_err(failed)?;
        let list = lists.get("extLst").and_then(|all| all.first());
        let Some(list) = list.filter(|list| list.starts_with("<extLst")) else {
            return Ok(());
        };
        let mut blocks = blocks_of(new, &self.package).map_err(failed)?;
        if blocks.get("extLst").is_some_and(|all| !all.is_empty()) {
            return Ok(());
        }
        let areas = |text: &str| {
            let areas = text.split_whitespace().filter_map(|area| {
                let area: Area = area.parse().ok()?;
                Some(tracks.area(area)?.to_string())
            });
            areas.collect::<Vec<_>>().join(" ")
        };
        let list = extensions::untied(list)?;
        let Some(list) = extensions::moved(&list, &areas)? else {
            return Ok(());
        };
        let bytes = before.package.part(&old.part)?.unwrap_or_default();
        let frame = Frame::read(&old.part, &xml::decode(&old.part, &bytes)?)?;
        let end = list.find('>').unwrap_or(list.len());
        let own = list.get(..end).unwrap_or_default();
        let names: String = frame
            .namespaces()
            .into_iter()
            .filter(|(name, _)| !own.contains(&format!("{name}=")))
            .map(|(name, address)| {
                let mut text = String::new();
                xml::attribute(&mut text, &name, &address);
                text
            })
            .collect();
        let rest = list.strip_prefix("<extLst").unwrap_or_default();
        blocks.insert("extLst", vec![format!("<extLst{names}{rest}")]);
        if let Some(sheet) = self.sheets.get_mut(place).map(Arc::make_mut) {
            sheet.blocks = blocks;
            sheet.changed.blocks = true;
        }
        Ok(())
    }

    fn carry_threads(
        &mut self,
        before: &Self,
        old: &Sheet,
        place: usize,
        tracks: &Tracks,
    ) -> Result<(), Error> {
        let Some(new) = self.sheets.get(place).filter(|new| !new.threads) else {
            return Ok(());
        };
        if !old.threads {
            return Ok(());
        }
        let part = new.part.clone();
        // A conversation belongs to a comment, and goes with it.
        let now = |at: CellRef| {
            let now = tracks.cell(at)?;
            let (was, is) = (old.comments.get(&at)?, new.comments.get(&now)?);
            (was.text == is.text).then_some(now)
        };
        let mut copies = Vec::new();
        for relation in relations(&before.package, &old.part)? {
            if relation.kind != "threadedComment" || relation.is_external {
                continue;
            }
            let bytes = before.package.part(&relation.target)?.unwrap_or_default();
            let text = xml::decode(&relation.target, &bytes)?;
            if let Some(text) = conversations(&relation.target, &text, &now)? {
                copies.push((relation.target, text));
            }
        }
        let package = Arc::make_mut(&mut self.package);
        let has_any = !copies.is_empty();
        for (from, text) in copies {
            let name = free_name(package, "xl/threadedComments/threadedComment", ".xml");
            package.set(&name, text.into_bytes());
            let kind = content_type(&before.package, &from)?;
            let kind = kind.as_deref();
            declare(
                package,
                &name,
                kind.unwrap_or("application/vnd.ms-excel.threadedcomments+xml"),
            )?;
            relate_as(package, &part, THREADS, &Target::Part(&name))?;
        }
        if let Some(sheet) = self.sheets.get_mut(place).filter(|_| has_any) {
            Arc::make_mut(sheet).threads = true;
        }
        Ok(())
    }

    /// Custom XML, and who takes part in conversations.
    fn carry_parts(&mut self, before: &Self) -> Result<(), Error> {
        let has_threads = self.sheets.iter().any(|sheet| sheet.threads);
        let homes = [
            (String::new(), String::new()),
            (before.parts.workbook.clone(), self.parts.workbook.clone()),
        ];
        let package = Arc::make_mut(&mut self.package);
        for (old, new) in homes {
            for relation in relations(&before.package, &old)? {
                let kind = match relation.kind.as_str() {
                    "customXml" => format!("{OFFICE}/customXml"),
                    "person" if has_threads => PERSONS.to_owned(),
                    _ => continue,
                };
                let is_here = relations(package, &new)?
                    .iter()
                    .any(|it| it.target == relation.target);
                if relation.is_external || is_here {
                    continue;
                }
                if copy_part(&before.package, &relation.target, package)? {
                    relate_as(package, &new, &kind, &Target::Part(&relation.target))?;
                }
            }
        }
        Ok(())
    }

    /// Formulas, names and charts follow sheets that got another name, unless a sheet has the old one now.
    fn follow_renames(&mut self, lineage: &Lineage) {
        let is_free = |name: &str| !self.sheets.iter().any(|it| is_same_name(&it.name, name));
        let renamed: Vec<(String, String)> = lineage
            .renamed()
            .filter(|(old, _)| is_free(old))
            .map(|(old, new)| (old.to_owned(), new.to_owned()))
            .collect();
        if renamed.is_empty() {
            return;
        }
        let only = Lineage {
            sheets: Some(renamed),
            ..Lineage::default()
        };
        let _ = rewrite_all(self, &|_, text| only.follow(text));
    }
}

fn whole() -> Area {
    Area {
        first: CellRef { row: 1, column: 1 },
        last: CellRef {
            row: LAST_ROW,
            column: LAST_COLUMN,
        },
    }
}

/// The conversations that are still there, at their cells; none if there is none.
fn conversations(
    part: &str,
    text: &str,
    now: &dyn Fn(CellRef) -> Option<CellRef>,
) -> Result<Option<String>, Error> {
    let place = |tag: &Tag<'_>| {
        let at = tag.get("ref").and_then(|at| at.parse::<CellRef>().ok());
        at.and_then(now)
    };
    let mut out = String::with_capacity(text.len());
    let (mut copied, mut left) = (0, 0);
    let mut xml = Xml::new(part, text);
    while let Some(token) = xml.next()? {
        let (tag, is_open) = match token {
            Token::Open(tag) => (tag, true),
            Token::Empty(tag) => (tag, false),
            Token::Close | Token::Text(_) => continue,
        };
        if tag.local() != "threadedComment" {
            continue;
        }
        let start = xml.start();
        if is_open {
            xml.skip()?;
        }
        if place(&tag).is_some() {
            left += 1;
            continue;
        }
        out.push_str(text.get(copied..start).unwrap_or_default());
        copied = xml.end();
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    if left == 0 {
        return Ok(None);
    }
    let moved = xml::map(part, &out, &[], |element, piece| match piece {
        Piece::Attribute("ref", at) if element == "threadedComment" => {
            Some(now(at.parse().ok()?)?.to_string())
        }
        _ => None,
    })?;
    Ok(Some(moved))
}

/// Copies a part with those that it leads to. One whose name is taken stays behind.
fn copy_part(from: &Package, part: &str, to: &mut Package) -> Result<bool, Error> {
    let mut next = vec![part.to_owned()];
    let mut copied = 0;
    while let Some(part) = next.pop() {
        let Some(bytes) = from.part(&part)?.filter(|_| !to.has(&part)) else {
            continue;
        };
        to.set(&part, bytes.into_owned());
        if let Some(kind) = content_type(from, &part)? {
            declare(to, &part, &kind)?;
        }
        copied += 1;
        let related = rels_of(&part);
        if let Some(bytes) = from.part(&related)?.filter(|_| !to.has(&related)) {
            to.set(&related, bytes.into_owned());
            let more = relations(from, &part)?.into_iter();
            next.extend(more.filter(|it| !it.is_external).map(|it| it.target));
        }
        if copied > 1_000 {
            break;
        }
    }
    Ok(copied > 0)
}
