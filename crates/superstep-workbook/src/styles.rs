//! Formats of cells: the styles part, as far as it has to be understood. Entries are kept as they are
//! written and new ones are appended, so that the numbers of the old ones stay valid.

pub(crate) mod edit;
mod look;
mod named;

use std::collections::BTreeMap;

pub use look::{Border, Edge, Style};

use crate::{
    error::Error,
    xml::{Token, Xml},
};

/// The formats of a workbook.
#[derive(Clone, Debug, Default)]
pub struct Styles {
    /// Codes of number formats that the workbook defines.
    pub(crate) formats: BTreeMap<u32, String>,
    pub(crate) fonts: List,
    pub(crate) fills: List,
    pub(crate) borders: List,
    /// The formats that cells name by number.
    pub(crate) cells: List,
    /// The formats of styles with a name, and their names.
    pub(crate) bases: List,
    pub(crate) names: List,
    /// Formats of conditional formats.
    pub(crate) differences: List,
    pub(crate) new_formats: Vec<u32>,
}

/// Entries as they are written; those from `read` on are new.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    pub(crate) entries: Vec<String>,
    pub(crate) read: usize,
}

impl List {
    pub(crate) fn get(&self, at: u32) -> Option<&str> {
        self.entries
            .get(usize::try_from(at).ok()?)
            .map(String::as_str)
    }

    /// The number of an entry, which is added if it is not there.
    pub(crate) fn put(&mut self, entry: String) -> u32 {
        let at = self.entries.iter().position(|it| *it == entry);
        let at = at.unwrap_or_else(|| {
            self.entries.push(entry);
            self.entries.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    pub(crate) fn added(&self) -> &[String] {
        self.entries.get(self.read..).unwrap_or_default()
    }
}

impl Styles {
    /// Reads the part.
    pub(crate) fn read(part: &str, text: &str) -> Result<Self, Error> {
        let mut styles = Self::default();
        let mut xml = Xml::new(part, text);
        let mut depth = 0_usize;
        // Which list the elements of the second level belong to.
        let mut list = String::new();
        while let Some(token) = xml.next()? {
            match token {
                Token::Open(_) if depth == 2 && list != "numFmts" => {
                    let start = xml.start();
                    xml.skip()?;
                    styles.push(&list, xml.since(start));
                }
                Token::Open(tag) => {
                    depth += 1;
                    if depth == 2 {
                        list = tag.local().to_owned();
                    }
                }
                Token::Empty(tag) if depth == 2 && list == "numFmts" => {
                    let id = tag.number("numFmtId");
                    if let (Some(id), Some(code)) = (id, tag.get("formatCode")) {
                        styles.formats.insert(id, code.into_owned());
                    }
                }
                Token::Empty(_) if depth == 2 => styles.push(&list, xml.since(xml.start())),
                Token::Close => depth = depth.saturating_sub(1),
                Token::Empty(_) | Token::Text(_) => {}
            }
        }
        for list in styles.lists() {
            list.read = list.entries.len();
        }
        Ok(styles)
    }

    fn lists(&mut self) -> [&mut List; 7] {
        [
            &mut self.fonts, &mut self.fills, &mut self.borders, &mut self.cells, &mut self.bases,
            &mut self.names, &mut self.differences,
        ]
    }

    fn push(&mut self, list: &str, entry: &str) {
        let list = match list {
            "fonts" => &mut self.fonts,
            "fills" => &mut self.fills,
            "borders" => &mut self.borders,
            "cellXfs" => &mut self.cells,
            "cellStyleXfs" => &mut self.bases,
            "cellStyles" => &mut self.names,
            "dxfs" => &mut self.differences,
            _ => return,
        };
        list.entries.push(entry.to_owned());
    }

    /// Whether something was added.
    pub(crate) fn is_changed(&self) -> bool {
        let lists = [
            &self.fonts, &self.fills, &self.borders, &self.cells, &self.differences,
        ];
        let mut lists = lists.into_iter().chain(self.named_lists());
        !self.new_formats.is_empty() || lists.any(|list| !list.added().is_empty())
    }

    /// The code of a style's number format: `0.00`, `yyyy-mm-dd`.
    pub fn number_format(&self, style: u32) -> &str {
        let id = self
            .cells
            .get(style)
            .and_then(|xf| look::id(xf, "numFmtId"));
        self.code(id.unwrap_or(0))
    }

    pub(crate) fn code(&self, id: u32) -> &str {
        match self.formats.get(&id) {
            Some(code) => code,
            None => builtin(id),
        }
    }

    /// Whether numbers of a style are dates or times.
    pub fn is_date(&self, style: u32) -> bool {
        is_date_format(self.number_format(style))
    }
}

/// Number formats that every workbook has.
fn builtin(id: u32) -> &'static str {
    match id {
        1 => "0",
        2 => "0.00",
        3 => "#,##0",
        4 => "#,##0.00",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        12 => "# ?/?",
        13 => "# ??/??",
        14 => "mm-dd-yy",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 => "h:mm",
        21 => "h:mm:ss",
        22 => "m/d/yy h:mm",
        27..=31 | 36 | 50..=54 | 57 | 58 => "yyyy-mm-dd",
        32..=35 | 55 | 56 => "h:mm:ss",
        37 => "#,##0 ;(#,##0)",
        38 => "#,##0 ;[Red](#,##0)",
        39 => "#,##0.00;(#,##0.00)",
        40 => "#,##0.00;[Red](#,##0.00)",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mmss.0",
        48 => "##0.0E+0",
        49 => "@",
        _ => "General",
    }
}

/// The number of a format that every workbook has.
fn builtin_id(code: &str) -> Option<u32> {
    match code {
        "General" => Some(0),
        code => (1..=49)
            .filter(|id| !(27..=36).contains(id))
            .find(|id| builtin(*id) == code && builtin(*id) != "General"),
    }
}

/// Whether a number format shows dates or times: it has a letter for them outside of quotes.
fn is_date_format(code: &str) -> bool {
    if code.eq_ignore_ascii_case("general") {
        return false;
    }
    let first = code.split(';').next().unwrap_or_default();
    let mut chars = first.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => while chars.next().is_some_and(|c| c != '"') {},
            '\\' | '_' | '*' => {
                chars.next();
            }
            '[' => {
                let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                let inside = inside.to_ascii_lowercase();
                if !inside.is_empty() && inside.chars().all(|c| matches!(c, 'h' | 'm' | 's')) {
                    return true;
                }
            }
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_dates_are_told_from_others() {
        for code in [
            "D/M/YYYY", "yyyy-mm-dd", "[h]:mm", "h:mm AM/PM", "[$-407]d. mmmm yyyy", "mm:ss.0",
        ] {
            assert!(is_date_format(code), "{code}");
        }
        for code in [
            "General", "0.00", "#,##0.00 \"days\"", "[Red]0", "0.00E+00", "@", "\\d0", "[$EUR] 0",
            "0_d",
        ] {
            assert!(!is_date_format(code), "{code}");
        }
    }
}
