//! Styles with a name: `Good`, `Percent`, or one that somebody made. A cell with one says so, and looks like it; what the
//! cell has besides is put over that.

use super::{List, Style, Styles, look};
use crate::xml;

/// What a workbook has that has none.
const NORMAL: [&str; 2] = [
    "<xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/>",
    "<cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/>",
];

/// The longest name.
const LONGEST: usize = 255;

impl Styles {
    /// The names of the styles that the workbook has.
    pub fn named(&self) -> Vec<String> {
        self.names().map(|(name, _)| name).collect()
    }

    /// The names of styles and where they stand.
    fn names(&self) -> impl Iterator<Item = (String, u32)> {
        self.names.entries.iter().filter_map(|entry| {
            let mut found = None;
            look::each(entry, |tag| {
                if tag.local() == "cellStyle" {
                    found = tag.get("name").map(String::from).zip(tag.number("xfId"));
                }
            });
            found
        })
    }

    /// The name of the style that a format of cells is made from, if that is not the usual one.
    pub(super) fn name_of(&self, xf: &str) -> Option<String> {
        let base = look::id(xf, "xfId").filter(|base| *base != 0)?;
        let found = self.names().find(|(_, at)| *at == base);
        found.map(|(name, _)| name)
    }

    /// Gives the workbook a style with a name. One that it has stays as it is.
    pub(crate) fn define(
        &mut self,
        name: &str,
        style: &Style,
        builtin: Option<u32>,
    ) -> Result<(), String> {
        style.check()?;
        if name.trim().is_empty() || name.chars().count() > LONGEST {
            return Err(format!("the name of a style has 1 to {LONGEST} letters"));
        }
        if style.named.is_some() {
            return Err("a style with a name is not made from another one".to_owned());
        }
        if self.place_of(name).is_some() {
            return Ok(());
        }
        let [xf, normal] = NORMAL;
        if self.bases.entries.is_empty() {
            self.bases.entries.push(xf.to_owned());
            self.names.entries.push(normal.to_owned());
        }
        let entry = self.entry(xf, style);
        // Two styles that look alike are still two.
        self.bases.entries.push(entry);
        let at = self.bases.entries.len() - 1;
        let mut entry = String::from("<cellStyle");
        xml::attribute(&mut entry, "name", name);
        xml::attribute(&mut entry, "xfId", &at.to_string());
        if let Some(builtin) = builtin {
            xml::attribute(&mut entry, "builtinId", &builtin.to_string());
        }
        entry.push_str("/>");
        self.names.entries.push(entry);
        Ok(())
    }

    fn place_of(&self, name: &str) -> Option<u32> {
        let found = self
            .names()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, at)| at)
    }

    /// The number of the format of cells that have a style and nothing besides.
    pub(crate) fn with_name(&mut self, name: &str) -> Result<u32, String> {
        let Some(place) = self.place_of(name) else {
            return Err(format!(
                "there is no style `{name}`; there are {}",
                self.named().join(", ")
            ));
        };
        let base = self.bases.get(place).unwrap_or_default();
        let mut entry = String::from("<xf");
        let mut children = String::new();
        let mut is_first = true;
        look::each(base, |tag| match std::mem::take(&mut is_first) {
            true => {
                entry.push_str(&tag.others(&["xfId"]));
                xml::attribute(&mut entry, "xfId", &place.to_string());
            }
            false if matches!(tag.local(), "alignment" | "protection") => {
                children.push_str(&format!("<{}{}/>", tag.local(), tag.others(&[])));
            }
            false => {}
        });
        entry.push_str(&match children.is_empty() {
            true => "/>".to_owned(),
            false => format!(">{children}</xf>"),
        });
        Ok(self.cells.put(entry))
    }

    /// The lists of styles with names.
    pub(super) fn named_lists(&self) -> [&List; 2] {
        [&self.bases, &self.names]
    }
}
