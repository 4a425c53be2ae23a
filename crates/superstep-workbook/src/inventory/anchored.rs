//! Charts, pictures and shapes of a sheet: where they lie over its cells, and which cells charts show. Who deletes rows
//! asks before that is lost.

use super::charts::text;
use crate::{
    address::{Area, CellRef},
    book::Workbook,
    error::Error,
    formula::{self, Change},
    relations::relations,
    sheet::Sheet,
    xml::{Tag, Token, Xml},
};

/// Something that lies over the cells of a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Anchored {
    /// `chart`, `picture` or `shape`.
    pub kind: &'static str,
    /// Its name, as programs list it; perhaps empty.
    pub name: String,
    /// The cells under it: all of them if it grows and shrinks with them, the first one if it only moves with that, none
    /// if it lies somewhere on the page.
    pub area: Option<Area>,
    /// Whether it grows and shrinks with the cells under it.
    pub is_sized: bool,
    /// The cells that a chart shows, with their sheets.
    pub reads: Vec<(String, Area)>,
}

impl Workbook {
    /// What lies over the cells of a sheet, stored and new.
    pub fn anchored(&self, sheet: &Sheet) -> Result<Vec<Anchored>, Error> {
        let mut found = Vec::new();
        if !sheet.part.is_empty() {
            for drawing in relations(&self.package, &sheet.part)? {
                if drawing.kind == "drawing" && !drawing.is_external {
                    stored(self, &drawing.target, &mut found)?;
                }
            }
        }
        for chart in &sheet.new_charts {
            let series = chart.series.iter();
            found.push(Anchored {
                kind: "chart",
                name: chart.title.clone().unwrap_or_default(),
                area: Some(chart.at.into()),
                is_sized: false,
                reads: series
                    .map(|series| (series.sheet.clone(), series.values))
                    .collect(),
            });
        }
        Ok(found)
    }
}

/// An anchor that is being read: its corners, and what it holds.
#[derive(Default)]
struct Anchor {
    is_sized: bool,
    /// Rows and columns of both corners, from 0.
    numbers: [Vec<u32>; 2],
    kind: Option<&'static str>,
    name: Option<String>,
    chart: Option<String>,
}

impl Anchor {
    fn area(&self) -> Option<Area> {
        let [rows, columns] = &self.numbers;
        let corner = |at: usize| {
            let (row, column) = (rows.get(at)?, columns.get(at)?);
            CellRef::new(row.checked_add(1)?, column.checked_add(1)?)
        };
        let first = corner(0)?;
        Some(Area {
            first,
            last: corner(1).filter(|_| self.is_sized).unwrap_or(first),
        })
    }

    fn see(&mut self, tag: &Tag<'_>) {
        match tag.local() {
            "graphicFrame" if self.kind.is_none() => self.kind = Some("chart"),
            "pic" if self.kind.is_none() => self.kind = Some("picture"),
            "sp" | "cxnSp" | "grpSp" if self.kind.is_none() => self.kind = Some("shape"),
            "cNvPr" if self.name.is_none() => {
                self.name = Some(tag.get("name").unwrap_or_default().into_owned());
            }
            "chart" => {
                let mut attributes = tag.attributes();
                let id = attributes.find_map(|(key, value)| key.ends_with(":id").then_some(value));
                self.chart = id.map(std::borrow::Cow::into_owned);
            }
            _ => {}
        }
    }
}

fn stored(book: &Workbook, drawing: &str, found: &mut Vec<Anchored>) -> Result<(), Error> {
    let Some(content) = text(book, drawing)? else {
        return Ok(());
    };
    let related = relations(&book.package, drawing)?;
    let mut anchors: Vec<Anchor> = Vec::new();
    let mut xml = Xml::new(drawing, &content);
    while let Some(token) = xml.next()? {
        let (tag, is_open) = match token {
            Token::Open(tag) => (tag, true),
            Token::Empty(tag) => (tag, false),
            Token::Close | Token::Text(_) => continue,
        };
        match tag.local() {
            "oneCellAnchor" | "twoCellAnchor" | "absoluteAnchor" => anchors.push(Anchor {
                is_sized: tag.local() == "twoCellAnchor",
                ..Anchor::default()
            }),
            name @ ("row" | "col") if is_open => {
                let at = usize::from(name == "col");
                let number = xml.text()?.trim().parse::<u32>().ok();
                if let Some(numbers) = anchors.last_mut().and_then(|it| it.numbers.get_mut(at)) {
                    numbers.extend(number);
                }
            }
            _ => {
                if let Some(anchor) = anchors.last_mut() {
                    anchor.see(&tag);
                }
            }
        }
    }
    for anchor in anchors {
        let part = anchor.chart.as_deref();
        let part = part.and_then(|id| super::address(&related, id));
        let reads = match part {
            Some(part) => shown_by(book, part)?,
            None => Vec::new(),
        };
        found.push(Anchored {
            kind: anchor.kind.unwrap_or("shape"),
            area: anchor.area(),
            is_sized: anchor.is_sized,
            name: anchor.name.unwrap_or_default(),
            reads,
        });
    }
    Ok(())
}

/// The cells that a chart shows.
fn shown_by(book: &Workbook, part: &str) -> Result<Vec<(String, Area)>, Error> {
    let Some(content) = text(book, part)? else {
        return Ok(Vec::new());
    };
    let mut reads = Vec::new();
    let mut xml = Xml::new(part, &content);
    while let Some(token) = xml.next()? {
        if let Token::Open(tag) = token
            && tag.local() == "f"
        {
            let formula = xml.text()?;
            formula::rewrite(&formula, |reference| {
                if let Some(sheet) = &reference.sheet {
                    reads.push((sheet.clone(), reference.area()));
                }
                Change::Keep
            });
        }
    }
    Ok(reads)
}
