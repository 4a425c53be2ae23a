//! What a program leaves out that writes a workbook anew, because the library that it uses does not know it: tables, charts,
//! pictures, pivot tables, conversations, sparklines and the like, on sheets that are still there.

use superstep_workbook::{ExtraFeature, Lineage, Sheet, Value, Workbook};

use super::is_same;

/// What is missing, in words.
pub(crate) fn left_out(before: &Workbook, after: &Workbook, lineage: &Lineage) -> Vec<String> {
    let mut told = Vec::new();
    if lineage.is_new {
        return told;
    }
    for sheet in &before.sheets {
        let new = lineage.sheet(&sheet.name);
        if let Some(new) = new.and_then(|new| after.sheet(new).ok()) {
            surroundings(sheet, new, &mut told);
            let plain = made_plain(sheet, new, lineage);
            if plain > 0 {
                let noun = if plain == 1 { "text" } else { "texts" };
                let name = &sheet.name;
                told.push(format!(
                    "loses the formats within {plain} {noun} of {name:?}"
                ));
            }
        }
    }
    let (old, new) = match (before.extras(), after.extras()) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(error), _) | (_, Err(error)) => {
            told.push(format!(
                "what surrounds the cells cannot be compared: {error}"
            ));
            return told;
        }
    };
    for ExtraFeature {
        sheet, kind, count, ..
    } in &old
    {
        let now = match sheet {
            None => None,
            Some(name) => match lineage.sheet(name) {
                Some(now) if after.sheet(now).is_ok() => Some(now),
                // It is gone with its sheet.
                _ => continue,
            },
        };
        let is_meant = |it: &&ExtraFeature| {
            let is_here = match (it.sheet.as_deref(), now) {
                (None, None) => true,
                (Some(one), Some(other)) => is_same(one, other),
                _ => false,
            };
            it.kind == *kind && is_here
        };
        let left = new.iter().find(is_meant).map_or(0, |it| it.count);
        let missing = count.saturating_sub(left);
        if missing > 0 {
            let home = match sheet {
                Some(name) => format!("{name:?}"),
                None => "the workbook".to_owned(),
            };
            let what = counted(missing, kind);
            told.push(format!("loses {what} of {home}"));
        }
    }
    told
}

/// Tables, charts and pivot tables that are not there any more.
fn surroundings(sheet: &Sheet, new: &Sheet, told: &mut Vec<String>) {
    let name = &sheet.name;
    for table in &sheet.tables {
        if !new.tables.iter().any(|it| is_same(&it.name, &table.name)) {
            told.push(format!("deletes the table {:?}", table.name));
        }
    }
    let counts = [
        ("charts and pictures", sheet.drawings, new.drawings),
        ("pivot tables", sheet.pivots, new.pivots),
    ];
    for (what, before, after) in counts {
        if after < before {
            told.push(format!("loses {} {what} of {name:?}", before - after));
        }
    }
}

/// How many texts are the same as before without the formats that were in them.
fn made_plain(sheet: &Sheet, new: &Sheet, lineage: &Lineage) -> usize {
    let tracks = lineage.tracks(&sheet.name);
    let cells = sheet.cells().filter(|(at, cell)| match &cell.value {
        Value::Text(text) if text.has_formats() => tracks.cell(*at).is_some_and(
            |now| matches!(new.value(now), Value::Text(it) if it == text && !it.has_formats()),
        ),
        _ => false,
    });
    cells.count()
}

/// How many of what: the first word of several is what there are many of.
fn counted(count: usize, kind: &str) -> String {
    match (count, kind.split_once(' ')) {
        (1, _) => format!("1 {kind}"),
        (count, Some(("entry", rest))) => format!("{count} entries {rest}"),
        (count, Some(("list", rest))) => format!("{count} lists {rest}"),
        (count, _) => format!("{count} {kind}s"),
    }
}
