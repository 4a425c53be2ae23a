//! What surrounds cells: merged areas, sizes, frozen panes, filters, conditions, links, charts.

use super::{Refusal, cells::check_array, column};
use crate::{
    address::{Area, CellRef, LAST_ROW},
    book::Workbook,
    chart::Chart,
    sheet::{Column, Link, Value},
    xml,
};

impl Workbook {
    pub(super) fn merge(&mut self, sheet: &str, area: Area) -> Result<(), Refusal> {
        if area.first == area.last {
            return Err(format!("{area} is one cell"));
        }
        let grid = self.grid(sheet)?;
        check_array(grid, area)?;
        if let Some(other) = grid.merged.iter().find(|other| other.overlaps(&area)) {
            return Err(format!("{area} overlaps the merged cells {other}"));
        }
        if let Some(table) = grid.tables.iter().find(|table| table.area.overlaps(&area)) {
            return Err(format!(
                "{area} is in the table `{}`, whose cells cannot be merged",
                table.name
            ));
        }
        let mut has_lost = false;
        for (number, row) in grid.rows.range_mut(area.first.row..=area.last.row) {
            for cell in &mut row.cells {
                let at = CellRef {
                    row: *number,
                    column: cell.column,
                };
                if area.contains(at) && at != area.first && !cell.is_blank() {
                    cell.value = Value::Empty;
                    cell.set_formula(None);
                    has_lost = true;
                }
            }
        }
        grid.merged.push(area);
        grid.changed.merged = true;
        grid.changed.cells |= has_lost;
        self.changed.values |= has_lost;
        Ok(())
    }

    pub(super) fn unmerge(&mut self, sheet: &str, area: Area) -> Result<(), Refusal> {
        let grid = self.grid(sheet)?;
        let before = grid.merged.len();
        grid.merged.retain(|other| *other != area);
        if grid.merged.len() == before {
            let all: Vec<_> = grid.merged.iter().map(Area::to_string).collect();
            return Err(format!(
                "{area} is not merged; merged are: {}",
                all.join(", ")
            ));
        }
        grid.changed.merged = true;
        Ok(())
    }

    pub(super) fn column(
        &mut self,
        sheet: &str,
        columns: &str,
        width: Option<f64>,
        hidden: Option<bool>,
    ) -> Result<(), Refusal> {
        if width.is_some_and(|width| !(0.0..=255.0).contains(&width)) {
            return Err("a width is 0 to 255 characters".to_owned());
        }
        self.columns(sheet, columns, |it| Column {
            width: width.or(it.width),
            hidden: hidden.unwrap_or(it.hidden),
            ..it
        })
    }

    pub(super) fn outline_columns(
        &mut self,
        sheet: &str,
        columns: &str,
        level: u8,
    ) -> Result<(), Refusal> {
        check_level(level)?;
        self.columns(sheet, columns, |it| Column {
            attributes: outlined(&it.attributes, level),
            ..it
        })
    }

    pub(super) fn fit_columns(&mut self, sheet: &str, columns: &str) -> Result<(), Refusal> {
        self.columns(sheet, columns, |it| Column {
            attributes: xml::put_attribute(&it.attributes, "bestFit", Some("1")),
            ..it
        })
    }

    /// Changes columns, which are split from those beside them that are not meant.
    fn columns(
        &mut self,
        sheet: &str,
        columns: &str,
        change: impl Fn(Column) -> Column,
    ) -> Result<(), Refusal> {
        let (first, last) = columns.split_once(':').unwrap_or((columns, columns));
        let (first, last) = (column(first)?, column(last)?);
        if first > last {
            return Err(format!("`{columns}` goes backwards"));
        }
        let grid = self.grid(sheet)?;
        grid.changed.columns = true;
        let mut pieces = Vec::new();
        let mut covered = first;
        let mut known = std::mem::take(&mut grid.columns);
        known.sort_by_key(|it| it.first);
        let bare = |first: u32, last: u32| Column {
            first,
            last,
            width: None,
            hidden: false,
            attributes: String::new(),
        };
        for it in known {
            if it.last < first || it.first > last {
                pieces.push(it);
                continue;
            }
            if it.first < first {
                pieces.push(Column {
                    last: first - 1,
                    ..it.clone()
                });
            }
            let (from, to) = (it.first.max(first), it.last.min(last));
            if covered < from {
                pieces.push(change(bare(covered, from - 1)));
            }
            pieces.push(change(Column {
                first: from,
                last: to,
                ..it.clone()
            }));
            covered = to + 1;
            if it.last > last {
                pieces.push(Column {
                    first: last + 1,
                    ..it
                });
            }
        }
        if covered <= last {
            pieces.push(change(bare(covered, last)));
        }
        pieces.sort_by_key(|it| it.first);
        grid.columns = pieces;
        Ok(())
    }

    pub(super) fn row(
        &mut self,
        sheet: &str,
        first: u32,
        last: u32,
        height: Option<f64>,
        hidden: Option<bool>,
    ) -> Result<(), Refusal> {
        if first == 0 || first > last || last > LAST_ROW {
            return Err(format!("rows {first} to {last} are none"));
        }
        if last - first > 100_000 {
            return Err("at most 100000 rows at once".to_owned());
        }
        if height.is_some_and(|height| !(0.0..=409.5).contains(&height)) {
            return Err("a height is 0 to 409.5 points".to_owned());
        }
        let grid = self.grid(sheet)?;
        grid.changed.cells = true;
        for number in first..=last {
            let row = grid.rows.entry(number).or_default();
            if let Some(height) = height {
                row.height = Some(height);
                if !row.attributes.contains("customHeight") {
                    row.attributes = format!("{} customHeight=\"1\"", row.attributes).into();
                }
            }
            row.hidden = hidden.unwrap_or(row.hidden);
        }
        Ok(())
    }

    pub(super) fn outline_rows(
        &mut self,
        sheet: &str,
        first: u32,
        last: u32,
        level: u8,
    ) -> Result<(), Refusal> {
        check_level(level)?;
        // Checks the rows, and makes those that are not there.
        self.row(sheet, first, last, None, None)?;
        let grid = self.grid(sheet)?;
        for (_, row) in grid.rows.range_mut(first..=last) {
            row.attributes = outlined(&row.attributes, level).into();
        }
        Ok(())
    }

    pub(super) fn freeze(&mut self, sheet: &str, cell: Option<CellRef>) -> Result<(), Refusal> {
        let grid = self.grid(sheet)?;
        grid.freeze = cell.filter(|cell| *cell != CellRef { row: 1, column: 1 });
        grid.changed.view = true;
        Ok(())
    }

    pub(super) fn filter(&mut self, sheet: &str, area: Option<Area>) -> Result<(), Refusal> {
        let place = self.place(sheet)?;
        let grid = self.grid(sheet)?;
        if let Some(area) = area
            && let Some(table) = grid.tables.iter().find(|table| table.area.overlaps(&area))
        {
            return Err(format!(
                "{area} overlaps the table `{}`, which has its own filter",
                table.name
            ));
        }
        grid.filter = area;
        grid.changed.filter = true;
        // Programs keep the area of a filter in a hidden name, too.
        let name = "_xlnm._FilterDatabase";
        let before = self.names.len();
        self.names
            .retain(|it| it.name != name || it.sheet != Some(place));
        if self.names.len() != before {
            self.changed.names = true;
        }
        Ok(())
    }

    pub(super) fn link(
        &mut self,
        sheet: &str,
        cell: CellRef,
        address: &str,
        tooltip: Option<&str>,
    ) -> Result<(), Refusal> {
        let is_inside = address.starts_with('#');
        let is_known = ["https://", "http://", "mailto:"]
            .iter()
            .any(|scheme| address.to_ascii_lowercase().starts_with(scheme));
        let is_plain = !address.chars().any(|c| c.is_control() || c == ' ');
        let is_link = is_inside || is_known && is_plain;
        if !is_link {
            return Err("a link begins with https://, http:// or mailto:, or with # for a place in the workbook".to_owned());
        }
        if address.chars().count() > 2079 {
            return Err("an address has 2079 characters at most".to_owned());
        }
        self.drop_link(sheet, cell)?;
        let grid = self.grid(sheet)?;
        match address.strip_prefix('#') {
            Some(inside) => {
                let mut item = String::from("<hyperlink");
                xml::attribute(&mut item, "ref", &cell.to_string());
                xml::attribute(&mut item, "location", inside);
                if let Some(tooltip) = tooltip {
                    xml::attribute(&mut item, "tooltip", tooltip);
                }
                item.push_str("/>");
                grid.blocks.entry("hyperlinks").or_default().push(item);
            }
            None => grid.new_links.push(Link {
                area: cell.into(),
                address: address.to_owned(),
                tooltip: tooltip.map(str::to_owned),
            }),
        }
        Ok(())
    }

    pub(super) fn unlink(&mut self, sheet: &str, cell: CellRef) -> Result<(), Refusal> {
        match self.drop_link(sheet, cell)? {
            true => Ok(()),
            false => Err(format!("{cell} has no link of its own")),
        }
    }

    /// Takes the link of a cell away; says whether there was one.
    fn drop_link(&mut self, sheet: &str, cell: CellRef) -> Result<bool, Refusal> {
        let place = self.place(sheet)?;
        self.grid(sheet)?;
        self.load_blocks(place)?;
        let grid = self.grid(sheet)?;
        let before = grid.new_links.len();
        grid.new_links.retain(|link| link.area != cell.into());
        let own = format!(" ref=\"{cell}\"");
        let links = grid.blocks.entry("hyperlinks").or_default();
        let old = links.len();
        links.retain(|link| !link.contains(&own));
        Ok(old != links.len() || before != grid.new_links.len())
    }

    pub(super) fn add_chart(&mut self, sheet: &str, chart: &Chart) -> Result<(), Refusal> {
        chart.check()?;
        for name in chart.series.iter().flat_map(|series| series.sheets()) {
            let place = self.place(name)?;
            if self.sheets.get(place).is_none_or(|sheet| !sheet.is_grid) {
                return Err(format!("the sheet `{name}` has no cells"));
            }
        }
        let grid = self.grid(sheet)?;
        grid.new_charts.push(chart.clone());
        grid.drawings += 1;
        Ok(())
    }
}

fn check_level(level: u8) -> Result<(), Refusal> {
    match level <= 7 {
        true => Ok(()),
        false => Err("groups have levels 0 to 7".to_owned()),
    }
}

/// The attributes of a row or column at a level of groups.
fn outlined(attributes: &str, level: u8) -> String {
    let level = (level > 0).then(|| level.to_string());
    xml::put_attribute(attributes, "outlineLevel", level.as_deref())
}
