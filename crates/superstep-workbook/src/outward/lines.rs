//! What reaches outside a workbook, as lines for a person.

use std::collections::BTreeMap;

use super::Outward;
use crate::{
    address::{Area, CellRef},
    formula::{self, Change},
};

/// How many cells of one formula, and how many things in all, are listed.
const CELLS: usize = 20;
const LINES: usize = 100;

impl Outward {
    /// Lines for a person: formulas that are the same but for their place are one line with all their cells.
    pub fn lines(all: &[Self]) -> Vec<String> {
        type Shape<'a> = (&'a str, &'a str, String, Vec<i64>);
        let mut order: Vec<(&Self, Vec<CellRef>)> = Vec::new();
        let mut shapes: BTreeMap<Shape<'_>, usize> = BTreeMap::new();
        for it in all {
            let cell = it
                .at
                .parse::<CellRef>()
                .ok()
                .filter(|_| it.kind == "formula");
            let Some(cell) = cell else {
                order.push((it, Vec::new()));
                continue;
            };
            let (text, places) = shape(&it.text, cell);
            let at = *shapes
                .entry((it.sheet.as_str(), it.kind.as_str(), text, places))
                .or_insert(order.len());
            match order.get_mut(at) {
                Some((_, cells)) => cells.push(cell),
                None => order.push((it, vec![cell])),
            }
        }
        let more = order.len().saturating_sub(LINES);
        let mut lines: Vec<String> = order
            .iter()
            .take(LINES)
            .map(|(it, cells)| it.line(cells))
            .collect();
        if more > 0 {
            lines.push(format!("and {more} more that reach outside"));
        }
        lines
    }

    fn line(&self, cells: &[CellRef]) -> String {
        let Self {
            sheet,
            kind,
            at,
            text,
            ..
        } = self;
        let at = match sheet.is_empty() {
            true => at.clone(),
            false => format!(
                "{sheet:?}!{}",
                if cells.is_empty() {
                    at.clone()
                } else {
                    placed(cells)
                }
            ),
        };
        let to = self.to.join("; ");
        match kind.as_str() {
            "link" => format!("{at}: link to {text}"),
            "name" => format!("name {at}: ={text} ({to})"),
            "formula" => {
                let first = if cells.len() > 1 { ", the first" } else { "" };
                format!("{at}{first}: ={text} ({to})")
            }
            kind if kind.starts_with("external ") => format!("{kind}: {text}"),
            kind if self.to.is_empty() => format!("{kind} {at}"),
            kind => format!("{kind} {at}: {text} ({to})"),
        }
    }
}

/// A formula without its references, and these as seen from its cell.
fn shape(text: &str, at: CellRef) -> (String, Vec<i64>) {
    let mut places = Vec::new();
    let rest = formula::rewrite(text, |reference| {
        for corner in [Some(reference.first), reference.last] {
            let parts = corner.map_or([None, None], |it| [it.row, it.column]);
            for (part, here) in parts.into_iter().zip([at.row, at.column]) {
                places.extend(match part {
                    None => [-1, 0],
                    Some(it) if it.is_fixed => [0, i64::from(it.at)],
                    Some(it) => [1, i64::from(it.at) - i64::from(here)],
                });
            }
        }
        // The sheet is part of what it is.
        let sheet = reference.sheet.as_deref().unwrap_or_default();
        places.extend(
            sheet
                .to_lowercase()
                .chars()
                .map(|c| i64::from(u32::from(c))),
        );
        Change::Lost
    });
    (rest, places)
}

/// Cells in few words: as one area if they fill it.
fn placed(cells: &[CellRef]) -> String {
    let mut area: Option<Area> = None;
    for cell in cells {
        area = Some(area.map_or((*cell).into(), |area| area.with(*cell)));
    }
    let fills = area.filter(|area| {
        let size = u64::from(area.height()) * u64::from(area.width());
        u64::try_from(cells.len()) == Ok(size)
    });
    if let Some(area) = fills {
        return area.to_string();
    }
    let shown: Vec<String> = cells.iter().take(CELLS).map(CellRef::to_string).collect();
    match cells.len().saturating_sub(CELLS) {
        0 => shown.join(", "),
        more => format!("{} and {more} more cells", shown.join(", ")),
    }
}
