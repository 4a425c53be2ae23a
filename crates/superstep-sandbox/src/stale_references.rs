//! Rows and columns that a program inserted or deleted with openpyxl, which moves cells and nothing that names them: what
//! is wrong afterwards is looked for and told.

use std::collections::HashSet;

use superstep_workbook::{
    Area, BandMove, CellRef, LAST_COLUMN, LAST_ROW, Lineage, MoveAxis, MoveKind, Workbook,
};

/// How many formulas a warning names.
const NAMED: usize = 5;

/// How many warnings there are at most.
const MOST: usize = 20;

/// The cells from there on: what named one of them names another one now.
fn concerned(one: &BandMove) -> Option<Area> {
    let at = u32::try_from(one.at.max(1)).ok()?;
    let first = match one.axis {
        MoveAxis::Rows => CellRef::new(at, 1),
        MoveAxis::Columns => CellRef::new(1, at),
    };
    Some(Area {
        first: first?,
        last: CellRef {
            row: LAST_ROW,
            column: LAST_COLUMN,
        },
    })
}

fn said(one: &BandMove) -> String {
    let kind = match one.kind {
        MoveKind::Insert => "inserted",
        MoveKind::Delete => "deleted",
    };
    let (single, many) = match one.axis {
        MoveAxis::Rows => ("row", "rows"),
        MoveAxis::Columns => ("column", "columns"),
    };
    let noun = if one.count == 1 { single } else { many };
    let BandMove {
        sheet, at, count, ..
    } = one;
    format!("{count} {noun} {kind} at {single} {at} of {sheet:?}")
}

/// What named cells that were moved, and names others now. What the program wrote itself is taken to be meant so.
pub(crate) fn warnings(lineage: &Lineage, before: &Workbook, after: &Workbook) -> Vec<String> {
    let known: HashSet<(&str, String)> = before
        .sheets
        .iter()
        .flat_map(|sheet| {
            let formulas = sheet.cells().filter_map(|(_, cell)| cell.formula());
            formulas.map(|formula| (sheet.name.as_str(), lineage.follow(&formula.text)))
        })
        .collect();
    let mut told = Vec::new();
    for one in lineage.moved.iter().filter(|one| one.count > 0) {
        // A sheet that the program made has nothing that was there before.
        let now = lineage.sheet(&one.sheet);
        let (Ok(_), Some(now)) = (before.sheet(&one.sheet), now) else {
            continue;
        };
        let Some(area) = concerned(one) else {
            continue;
        };
        let found = after.referring(now, area);
        let stale = found.formulas.iter().filter(|(sheet, _, text)| {
            let old = lineage.before(sheet).unwrap_or_default();
            known.contains(&(old, text.clone()))
        });
        let stale: Vec<String> = stale
            .map(|(sheet, at, text)| format!("{sheet:?}!{at} (={text})"))
            .collect();
        let mut what = Vec::new();
        if !stale.is_empty() {
            let shown = stale.iter().take(NAMED).map(String::as_str);
            let shown = shown.collect::<Vec<_>>().join(", ");
            what.push(match stale.len() {
                1 => format!("the formula of {shown}"),
                count if count <= NAMED => format!("the formulas of {shown}"),
                count => format!("{count} formulas, among them those of {shown}"),
            });
        }
        let names = found
            .names
            .iter()
            .take(NAMED)
            .map(|name| format!("{name:?}"));
        let names = names.collect::<Vec<_>>().join(", ");
        if !names.is_empty() {
            what.push(format!("the names {names}"));
        }
        for (kind, count) in &found.surroundings {
            what.push(match count {
                1 => format!("1 {kind}"),
                count => format!("{count} {}", plural(kind)),
            });
        }
        if !what.is_empty() {
            told.push(format!(
                "{}: openpyxl moved the cells alone; where they were is still what these say: {}",
                said(one),
                what.join("; ")
            ));
        }
    }
    told.dedup();
    told.truncate(MOST);
    told
}

fn plural(kind: &str) -> String {
    match kind.split_once(" or ") {
        Some((one, other)) => format!("{one}s or {other}s"),
        None => format!("{kind}s"),
    }
}
