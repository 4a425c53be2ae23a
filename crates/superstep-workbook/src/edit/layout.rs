//! What surrounds cells: merged areas, sizes, frozen panes, filters, conditions, links, charts.

use std::{fmt::Write as _, sync::Arc};

use super::{Condition, Refusal, Validation, cells::check_array, column};
use crate::{
    address::{Area, CellRef, LAST_ROW},
    book::Workbook,
    chart::{Chart, ChartKind},
    sheet::{Column, Value},
    styles::Style,
    xml,
};

const COMPARISONS: [&str; 8] = [
    "lessThan",
    "lessThanOrEqual",
    "equal",
    "notEqual",
    "greaterThanOrEqual",
    "greaterThan",
    "between",
    "notBetween",
];

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
        let (first, last) = columns.split_once(':').unwrap_or((columns, columns));
        let (first, last) = (column(first)?, column(last)?);
        if first > last {
            return Err(format!("`{columns}` goes backwards"));
        }
        if width.is_some_and(|width| !(0.0..=255.0).contains(&width)) {
            return Err("a width is 0 to 255 characters".to_owned());
        }
        let grid = self.grid(sheet)?;
        grid.changed.columns = true;
        let mut pieces = Vec::new();
        let mut covered = first;
        let mut known = std::mem::take(&mut grid.columns);
        known.sort_by_key(|it| it.first);
        let change = |it: Column| Column {
            width: width.or(it.width),
            hidden: hidden.unwrap_or(it.hidden),
            ..it
        };
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

    pub(super) fn conditional(
        &mut self,
        sheet: &str,
        area: Area,
        condition: &Condition,
        style: Option<&Style>,
    ) -> Result<(), Refusal> {
        let place = self.place(sheet)?;
        self.grid(sheet)?;
        self.load_blocks(place)?;
        let format = match (condition, style) {
            (Condition::ColorScale(_) | Condition::DataBar { .. }, None) => None,
            (Condition::ColorScale(_) | Condition::DataBar { .. }, Some(_)) => {
                return Err(
                    "colour scales and data bars have colours of their own, no style".to_owned(),
                );
            }
            (_, Some(style)) => Some(Arc::make_mut(&mut self.styles).difference(style)?),
            (_, None) => return Err("it needs a style to apply".to_owned()),
        };
        let grid = self.grid(sheet)?;
        let blocks = grid.blocks.entry("conditionalFormatting").or_default();
        let priority = blocks.len() + 1;
        let rule = rule(area, condition, format, priority)?;
        blocks.push(format!(
            "<conditionalFormatting sqref=\"{area}\">{rule}</conditionalFormatting>"
        ));
        Ok(())
    }

    pub(super) fn validate(
        &mut self,
        sheet: &str,
        area: Area,
        validation: &Validation,
    ) -> Result<(), Refusal> {
        let place = self.place(sheet)?;
        self.grid(sheet)?;
        self.load_blocks(place)?;
        let mut item = String::from("<dataValidation");
        let formulas = match validation {
            Validation::List(values) => {
                let joined = values.join(",");
                if values.iter().any(|value| value.contains([',', '"']))
                    || joined.chars().count() > 255
                {
                    return Err("a list has 255 characters at most, no commas and quotes in a value; put it into cells and name them".to_owned());
                }
                xml::attribute(&mut item, "type", "list");
                vec![format!("\"{joined}\"")]
            }
            Validation::Source(source) => {
                xml::attribute(&mut item, "type", "list");
                vec![source.strip_prefix('=').unwrap_or(source).to_owned()]
            }
            Validation::Range {
                kind,
                operator,
                formulas,
            } => {
                if !["whole", "decimal", "date", "time", "textLength"].contains(&kind.as_str()) {
                    return Err(format!(
                        "`{kind}` cannot be validated; there are whole, decimal, date, time, textLength"
                    ));
                }
                check_comparison(operator, formulas)?;
                xml::attribute(&mut item, "type", kind);
                xml::attribute(&mut item, "operator", operator);
                formulas.clone()
            }
        };
        xml::attribute(&mut item, "allowBlank", "1");
        xml::attribute(&mut item, "showErrorMessage", "1");
        xml::attribute(&mut item, "sqref", &area.to_string());
        item.push('>');
        for (number, formula) in formulas.iter().enumerate() {
            let _ = write!(item, "<formula{}>", number + 1);
            xml::escape(&mut item, formula);
            let _ = write!(item, "</formula{}>", number + 1);
        }
        item.push_str("</dataValidation>");
        let grid = self.grid(sheet)?;
        grid.blocks.entry("dataValidations").or_default().push(item);
        Ok(())
    }

    pub(super) fn link(
        &mut self,
        sheet: &str,
        cell: CellRef,
        address: &str,
    ) -> Result<(), Refusal> {
        let place = self.place(sheet)?;
        self.grid(sheet)?;
        self.load_blocks(place)?;
        let grid = self.grid(sheet)?;
        if let Some(inside) = address.strip_prefix('#') {
            let mut item = String::from("<hyperlink");
            xml::attribute(&mut item, "ref", &cell.to_string());
            xml::attribute(&mut item, "location", inside);
            item.push_str("/>");
            grid.blocks.entry("hyperlinks").or_default().push(item);
            return Ok(());
        }
        let is_known = ["https://", "http://", "mailto:"]
            .iter()
            .any(|scheme| address.to_ascii_lowercase().starts_with(scheme));
        if !is_known || address.chars().any(|c| c.is_control() || c == ' ') {
            return Err("a link begins with https://, http:// or mailto:, or with # for a place in the workbook".to_owned());
        }
        grid.new_links.push((cell.into(), address.to_owned()));
        Ok(())
    }

    pub(super) fn add_chart(&mut self, sheet: &str, chart: &Chart) -> Result<(), Refusal> {
        if chart.series.is_empty() {
            return Err("a chart shows at least one series".to_owned());
        }
        if matches!(chart.kind, ChartKind::Pie | ChartKind::Doughnut) && chart.series.len() > 1 {
            return Err("a pie shows one series".to_owned());
        }
        if !(1..=100).contains(&chart.columns) || !(1..=500).contains(&chart.rows) {
            return Err("a chart is 1 to 100 columns wide and 1 to 500 rows high".to_owned());
        }
        for series in &chart.series {
            let place = self.place(&series.sheet)?;
            if self.sheets.get(place).is_none_or(|sheet| !sheet.is_grid) {
                return Err(format!("the sheet `{}` has no cells", series.sheet));
            }
        }
        let grid = self.grid(sheet)?;
        grid.new_charts.push(chart.clone());
        grid.drawings += 1;
        Ok(())
    }
}

fn check_comparison(operator: &str, formulas: &[String]) -> Result<(), Refusal> {
    if !COMPARISONS.contains(&operator) {
        return Err(format!(
            "`{operator}` is no comparison; there are {}",
            COMPARISONS.join(", ")
        ));
    }
    let wanted = if operator.ends_with("etween") { 2 } else { 1 };
    match formulas.len() == wanted {
        true => Ok(()),
        false => Err(format!(
            "`{operator}` compares with {wanted} values, not {}",
            formulas.len()
        )),
    }
}

/// One rule of a conditional format.
fn rule(
    area: Area,
    condition: &Condition,
    format: Option<u32>,
    priority: usize,
) -> Result<String, Refusal> {
    let mut attributes = String::new();
    let mut set = |name: &str, value: &str| xml::attribute(&mut attributes, name, value);
    let mut inner = String::new();
    let formula = |inner: &mut String, text: &str| {
        inner.push_str("<formula>");
        xml::escape(inner, text.strip_prefix('=').unwrap_or(text));
        inner.push_str("</formula>");
    };
    match condition {
        Condition::Cell { operator, formulas } => {
            check_comparison(operator, formulas)?;
            set("type", "cellIs");
            set("operator", operator);
            formulas.iter().for_each(|text| formula(&mut inner, text));
        }
        Condition::Formula(text) => {
            set("type", "expression");
            formula(&mut inner, text);
        }
        Condition::Duplicates => set("type", "duplicateValues"),
        Condition::Contains(text) => {
            set("type", "containsText");
            set("operator", "containsText");
            set("text", text);
            let quoted = text.replace('"', "\"\"");
            formula(
                &mut inner,
                &format!("NOT(ISERROR(SEARCH(\"{quoted}\",{})))", area.first),
            );
        }
        Condition::Top {
            rank,
            bottom,
            percent,
        } => {
            if !(1..=1000).contains(rank) {
                return Err("a rank is 1 to 1000".to_owned());
            }
            set("type", "top10");
            if *percent {
                set("percent", "1");
            }
            if *bottom {
                set("bottom", "1");
            }
            set("rank", &rank.to_string());
        }
        Condition::ColorScale(colors) => {
            if !matches!(colors.len(), 2 | 3) {
                return Err("a colour scale has two or three colours".to_owned());
            }
            set("type", "colorScale");
            inner.push_str("<colorScale><cfvo type=\"min\"/>");
            if colors.len() == 3 {
                inner.push_str("<cfvo type=\"percentile\" val=\"50\"/>");
            }
            inner.push_str("<cfvo type=\"max\"/>");
            for color in colors {
                let _ = write!(inner, "<color rgb=\"{}\"/>", argb(color)?);
            }
            inner.push_str("</colorScale>");
        }
        Condition::DataBar { color } => {
            set("type", "dataBar");
            let _ = write!(
                inner,
                "<dataBar><cfvo type=\"min\"/><cfvo type=\"max\"/><color rgb=\"{}\"/></dataBar>",
                argb(color)?
            );
        }
    }
    if let Some(format) = format {
        set("dxfId", &format.to_string());
    }
    set("priority", &priority.to_string());
    Ok(format!("<cfRule{attributes}>{inner}</cfRule>"))
}

fn argb(color: &str) -> Result<String, Refusal> {
    let is_hex = color.bytes().all(|byte| byte.is_ascii_hexdigit());
    match (is_hex, color.len()) {
        (true, 6) => Ok(format!("FF{}", color.to_ascii_uppercase())),
        (true, 8) => Ok(color.to_ascii_uppercase()),
        _ => Err(format!("`{color}` is no colour; write one such as FF0000")),
    }
}
