//! How a sheet is printed, shown and protected.

use serde::{Deserialize, Serialize};

use super::Refusal;
use crate::{
    address::{Area, column_number},
    book::{DefinedName, Workbook},
    formula::sheet_prefix,
    frame::Frame,
    xml::{self, Tag},
};

/// How a sheet is printed. What is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Page {
    /// `portrait` or `landscape`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<String>,
    /// The number of the paper's size: 1 is Letter, 8 is A3, 9 is A4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<u32>,
    /// The scale in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<u32>,
    /// Whether the sheet is made to fit pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fits: Option<bool>,
    /// How many pages wide; 0 is as many as it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit_width: Option<u32>,
    /// How many pages high; 0 is as many as it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit_height: Option<u32>,
    /// Margins in inches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margins: Option<Margins>,
    /// Whether it stands in the middle between left and right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centered_across: Option<bool>,
    /// Whether it stands in the middle between top and bottom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centered_down: Option<bool>,
    /// Whether the lines of the grid are printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gridlines: Option<bool>,
    /// Whether letters of columns and numbers of rows are printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headings: Option<bool>,
    /// What stands above each page: `&LLeft&CMiddle&RRight`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// What stands below each page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footer: Option<String>,
    /// What is printed; an empty list is everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub areas: Option<Vec<Area>>,
    /// Rows on every page: `1:2`; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title_rows: Option<String>,
    /// Columns on every page: `A:B`; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title_columns: Option<String>,
}

/// Margins in inches. What is absent is as usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs)] // The fields are named for what they are.
pub struct Margins {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottom: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footer: Option<f64>,
}

const AREA: &str = "_xlnm.Print_Area";
const TITLES: &str = "_xlnm.Print_Titles";

impl Page {
    fn check(&self) -> Result<(), Refusal> {
        if let Some(orientation) = &self.orientation
            && !["portrait", "landscape", "default"].contains(&orientation.as_str())
        {
            return Err(format!(
                "`{orientation}` is no orientation; there are portrait, landscape"
            ));
        }
        if self.scale.is_some_and(|scale| !(10..=400).contains(&scale)) {
            return Err("a scale is 10 to 400 percent".to_owned());
        }
        let fits = [self.fit_width, self.fit_height];
        if fits.into_iter().flatten().any(|pages| pages > 32_767) {
            return Err("a sheet fits on 0 to 32767 pages".to_owned());
        }
        let margins = self.margins.unwrap_or_default();
        for margin in margins
            .all()
            .into_iter()
            .filter_map(|(_, margin, _)| margin)
        {
            if !(0.0..=49.0).contains(&margin) {
                return Err(format!("a margin is 0 to 49 inches, not {margin}"));
            }
        }
        for text in [&self.header, &self.footer].into_iter().flatten() {
            if text.encode_utf16().count() > 255 {
                return Err("a header or footer has 255 characters at most".to_owned());
            }
        }
        Ok(())
    }
}

impl Margins {
    /// Each margin with its name, and what it is if nobody says so.
    fn all(&self) -> [(&'static str, Option<f64>, f64); 6] {
        [
            ("left", self.left, 0.7),
            ("right", self.right, 0.7),
            ("top", self.top, 0.75),
            ("bottom", self.bottom, 0.75),
            ("header", self.header, 0.3),
            ("footer", self.footer, 0.3),
        ]
    }
}

impl Workbook {
    pub(super) fn page(&mut self, sheet: &str, page: &Page) -> Result<(), Refusal> {
        page.check()?;
        let place = self.place(sheet)?;
        self.grid(sheet)?;
        self.load_blocks(place)?;
        let name = self.grid(sheet)?.name.clone();
        let text = |number: Option<u32>| number.map(|it| it.to_string());
        let switch = |it: Option<bool>| it.map(|it| if it { "1" } else { "0" }.to_owned());
        self.attributes(
            sheet,
            "pageSetup",
            &[
                ("orientation", page.orientation.clone()),
                ("paperSize", text(page.paper)),
                ("scale", text(page.scale)),
                ("fitToWidth", text(page.fit_width)),
                ("fitToHeight", text(page.fit_height)),
            ],
        )?;
        self.attributes(
            sheet,
            "printOptions",
            &[
                ("horizontalCentered", switch(page.centered_across)),
                ("verticalCentered", switch(page.centered_down)),
                ("gridLines", switch(page.gridlines)),
                ("headings", switch(page.headings)),
            ],
        )?;
        if let Some(margins) = page.margins {
            let is_new = self.grid(sheet)?.block("pageMargins").is_none();
            let margins = margins.all().map(|(name, margin, usual)| {
                let margin = margin.or_else(|| is_new.then_some(usual));
                (name, margin.map(|it| it.to_string()))
            });
            self.attributes(sheet, "pageMargins", &margins)?;
        }
        if let Some(fits) = page.fits {
            self.sheet_property(
                sheet,
                "pageSetUpPr",
                Some(&[("fitToPage", if fits { "1" } else { "0" }.to_owned())]),
            )?;
        }
        for (element, text) in [("oddHeader", &page.header), ("oddFooter", &page.footer)] {
            if let Some(text) = text {
                self.header_footer(sheet, element, text)?;
            }
        }
        let prefix = sheet_prefix(&name);
        if let Some(areas) = &page.areas {
            let areas: Vec<String> = areas
                .iter()
                .map(|area| format!("{prefix}{}", area.absolute()))
                .collect();
            self.local_name(place, AREA, &areas.join(","));
        }
        if page.title_rows.is_some() || page.title_columns.is_some() {
            let old = self.names.iter().find(|it| it.is(TITLES, place));
            let old = old.map(|it| it.refers_to.clone()).unwrap_or_default();
            let is_rows = |part: &&str| part.ends_with(|c: char| c.is_ascii_digit());
            let kept = |wants_rows: bool| {
                let mut parts = old.split(',').filter(|part| !part.is_empty());
                parts
                    .find(|part| is_rows(part) == wants_rows)
                    .map(str::to_owned)
            };
            let columns = match &page.title_columns {
                Some(columns) => lines(columns, &prefix, false)?,
                None => kept(false),
            };
            let rows = match &page.title_rows {
                Some(rows) => lines(rows, &prefix, true)?,
                None => kept(true),
            };
            let both: Vec<String> = rows.into_iter().chain(columns).collect();
            self.local_name(place, TITLES, &both.join(","));
        }
        Ok(())
    }

    pub(super) fn tab_color(&mut self, sheet: &str, color: Option<&str>) -> Result<(), Refusal> {
        let place = self.place(sheet)?;
        self.grid(sheet)?;
        self.load_blocks(place)?;
        let color = match color {
            None => None,
            Some(color) => {
                let is_hex = color.bytes().all(|byte| byte.is_ascii_hexdigit());
                if !is_hex || !matches!(color.len(), 6 | 8) {
                    return Err(format!("`{color}` is no color; write one such as FF0000"));
                }
                let color = color.to_ascii_uppercase();
                Some(if color.len() == 6 {
                    format!("FF{color}")
                } else {
                    color
                })
            }
        };
        match color {
            None => self.sheet_property(sheet, "tabColor", None),
            Some(color) => self.sheet_property(sheet, "tabColor", Some(&[("rgb", color)])),
        }
    }

    pub(super) fn view(
        &mut self,
        sheet: &str,
        gridlines: Option<bool>,
        zoom: Option<u32>,
    ) -> Result<(), Refusal> {
        if zoom.is_some_and(|zoom| !(10..=400).contains(&zoom)) {
            return Err("a zoom is 10 to 400 percent".to_owned());
        }
        let grid = self.grid(sheet)?;
        grid.changed.view = true;
        if let Some(gridlines) = gridlines {
            let value = if gridlines { "1" } else { "0" };
            grid.view.insert("showGridLines", value.to_owned());
        }
        if let Some(zoom) = zoom {
            grid.view.insert("zoomScale", zoom.to_string());
            grid.view.insert("zoomScaleNormal", zoom.to_string());
        }
        Ok(())
    }

    /// Only the sheet that is shown is selected: what is typed goes to all selected ones.
    pub(super) fn activate(&mut self, sheet: &str) -> Result<(), Refusal> {
        let place = self.place(sheet)?;
        let is_hidden = self
            .sheets
            .get(place)
            .is_some_and(|sheet| sheet.visibility != crate::sheet::Visibility::Visible);
        if is_hidden {
            return Err(format!("the sheet `{sheet}` is hidden"));
        }
        self.changed.active = Some(place);
        self.changed.sheets = true;
        Ok(())
    }

    pub(super) fn protect(&mut self, sheet: &str, protected: bool) -> Result<(), Refusal> {
        let place = self.place(sheet)?;
        self.grid(sheet)?;
        self.load_blocks(place)?;
        let grid = self.grid(sheet)?;
        let old = grid.block("sheetProtection").unwrap_or_default();
        let has_password = ["password=", "hashValue="]
            .iter()
            .any(|it| old.contains(it));
        if has_password {
            return Err("the sheet is protected by a password".to_owned());
        }
        let element = "<sheetProtection sheet=\"1\" objects=\"1\" scenarios=\"1\"/>";
        let blocks = if protected {
            vec![element.to_owned()]
        } else {
            Vec::new()
        };
        grid.blocks.insert("sheetProtection", blocks);
        Ok(())
    }

    /// Sets attributes of an element that a sheet has once.
    fn attributes(
        &mut self,
        sheet: &str,
        element: &'static str,
        changes: &[(&str, Option<String>)],
    ) -> Result<(), Refusal> {
        if changes.iter().all(|(_, value)| value.is_none()) {
            return Ok(());
        }
        let grid = self.grid(sheet)?;
        let old = grid.block(element).unwrap_or_default();
        let content = old.trim_start_matches('<').trim_end_matches('>');
        let content = content.trim_end_matches('/').to_owned();
        let tag = Tag::new(&content);
        let mut attributes = if content.is_empty() {
            String::new()
        } else {
            tag.others(&[])
        };
        for (name, value) in changes {
            if let Some(value) = value {
                attributes = xml::put_attribute(&attributes, name, Some(value));
            }
        }
        let new = format!("<{element}{attributes}/>");
        grid.blocks.insert(element, vec![new]);
        Ok(())
    }

    /// Sets a child of the properties of a sheet, or removes it.
    fn sheet_property(
        &mut self,
        sheet: &str,
        child: &str,
        attributes: Option<&[(&str, String)]>,
    ) -> Result<(), Refusal> {
        let grid = self.grid(sheet)?;
        let old = grid.block("sheetPr").unwrap_or("<sheetPr/>").to_owned();
        let mut frame = Frame::read("sheet", &old).map_err(|error| error.to_string())?;
        let element = attributes.map(|attributes| {
            let mut element = format!("<{child}");
            for (name, value) in attributes {
                xml::attribute(&mut element, name, value);
            }
            element.push_str("/>");
            element
        });
        frame.set(child, element.into_iter().collect());
        grid.blocks.insert("sheetPr", vec![frame.write()]);
        Ok(())
    }

    fn header_footer(&mut self, sheet: &str, element: &str, text: &str) -> Result<(), Refusal> {
        let grid = self.grid(sheet)?;
        let old = grid
            .block("headerFooter")
            .unwrap_or("<headerFooter/>")
            .to_owned();
        let mut frame = Frame::read("sheet", &old).map_err(|error| error.to_string())?;
        let mut new = format!("<{element}>");
        xml::escape(&mut new, text);
        new.push_str(&format!("</{element}>"));
        let new = if text.is_empty() {
            Vec::new()
        } else {
            vec![new]
        };
        frame.set(element, new);
        grid.blocks.insert("headerFooter", vec![frame.write()]);
        Ok(())
    }

    /// A name that is known in one sheet and means something to programs; an empty one is removed.
    fn local_name(&mut self, place: usize, name: &str, refers_to: &str) {
        self.names.retain(|it| !it.is(name, place));
        self.changed.names = true;
        if !refers_to.is_empty() {
            self.names.push(DefinedName {
                name: name.to_owned(),
                refers_to: refers_to.to_owned(),
                sheet: Some(place),
                hidden: false,
                attributes: String::new(),
            });
        }
    }
}

impl DefinedName {
    fn is(&self, name: &str, place: usize) -> bool {
        self.name == name && self.sheet == Some(place)
    }
}

/// Whole rows or columns as a name has them: `$1:$2`.
fn lines(text: &str, prefix: &str, are_rows: bool) -> Result<Option<String>, Refusal> {
    let text = text.replace('$', "");
    if text.is_empty() {
        return Ok(None);
    }
    let (first, last) = text.split_once(':').unwrap_or((&text, &text));
    let is_line = |it: &str| match are_rows {
        true => it
            .parse::<u32>()
            .is_ok_and(|row| (1..=crate::address::LAST_ROW).contains(&row)),
        false => column_number(it).is_some(),
    };
    if !is_line(first) || !is_line(last) {
        let wanted = if are_rows { "1:2" } else { "A:B" };
        return Err(format!(
            "`{text}` cannot be repeated on pages; write it like `{wanted}`"
        ));
    }
    Ok(Some(format!("{prefix}${first}:${last}")))
}
