//! Formulas, links and parts of a workbook that reach outside it.

use super::{
    Outward,
    reach::{Scope, is_outward_address},
};
use crate::{
    book::Workbook,
    error::Error,
    relations::Relation,
    xml::{Token, Xml},
};

/// Elements whose text is a formula.
const FORMULAS: [&str; 7] = [
    "f", "formula", "formula1", "formula2", "calculatedColumnFormula", "totalsRowFormula",
    "FmlaMacro",
];

/// Attributes that are formulas.
const ATTRIBUTES: [&str; 6] = [
    "textlink", "macro", "fmlaLink", "fmlaRange", "fmlaMacro", "fmlaTxbx",
];

/// Things that reach outside, as they are found.
pub(super) struct OutwardParts {
    scope: Scope,
    pub(super) all: Vec<Outward>,
}

impl OutwardParts {
    pub(super) fn new(book: &Workbook) -> Self {
        Self {
            scope: Scope::of(book),
            all: Vec::new(),
        }
    }

    pub(super) fn formula(&mut self, sheet: &str, kind: &str, at: &str, text: &str) {
        let text = text.strip_prefix('=').unwrap_or(text);
        let to = self.scope.reach(text);
        if !to.is_empty() {
            self.all.push(Outward {
                sheet: sheet.to_owned(),
                kind: kind.to_owned(),
                at: at.to_owned(),
                text: text.to_owned(),
                to: to.into_iter().collect(),
            });
        }
    }

    pub(super) fn link(&mut self, sheet: &str, at: &str, address: &str) {
        if is_outward_address(address) {
            self.all.push(Outward {
                sheet: sheet.to_owned(),
                kind: "link".to_owned(),
                at: at.to_owned(),
                text: address.to_owned(),
                to: vec![address.to_owned()],
            });
        }
    }

    pub(super) fn stored_link(
        &mut self,
        sheet: &str,
        raw: &str,
        related: &[Relation],
    ) -> Result<(), Error> {
        let mut xml = Xml::new("sheet", raw);
        while let Some(token) = xml.next()? {
            let (Token::Open(tag) | Token::Empty(tag)) = token else {
                continue;
            };
            let mut attributes = tag.attributes();
            let id = attributes.find_map(|(key, value)| key.ends_with(":id").then_some(value));
            let target = related
                .iter()
                .find(|it| Some(it.id.as_str()) == id.as_deref());
            let inside = tag.get("location");
            let inside = inside.map_or(String::new(), |place| format!("#{place}"));
            let target = target.map_or("", |it| it.target.as_str());
            let at = tag.get("ref").unwrap_or_default();
            self.link(sheet, &at, &format!("{target}{inside}"));
        }
        Ok(())
    }

    /// Formulas of a text, in elements and attributes, each with the area that is named before it.
    pub(super) fn formulas(
        &mut self,
        sheet: &str,
        kind: &str,
        at: &str,
        text: &str,
    ) -> Result<(), Error> {
        let mut at = at.to_owned();
        let mut xml = Xml::new("part", text);
        while let Some(token) = xml.next()? {
            let (tag, is_open) = match token {
                Token::Open(tag) => (tag, true),
                Token::Empty(tag) => (tag, false),
                Token::Close | Token::Text(_) => continue,
            };
            if let Some(area) = tag.get("sqref") {
                at = area.into_owned();
            }
            for (key, value) in tag.attributes() {
                let is_threshold = tag.local() == "cfvo" && key == "val";
                if is_threshold || ATTRIBUTES.contains(&key) {
                    self.formula(sheet, kind, &at, &value);
                }
            }
            if tag.local() == "ddeLink" {
                let service = tag.get("ddeService").unwrap_or_default();
                let topic = tag.get("ddeTopic").unwrap_or_default();
                self.formula(sheet, kind, &at, &format!("{service}|{topic}"));
            }
            if tag.local() == "DataMashup" {
                self.all.push(Outward {
                    sheet: sheet.to_owned(),
                    kind: "query".to_owned(),
                    at: at.clone(),
                    text: text.to_owned(),
                    to: Vec::new(),
                });
            }
            if is_open && FORMULAS.contains(&tag.local()) {
                let text = xml.text()?;
                self.formula(sheet, kind, &at, &text);
            }
        }
        Ok(())
    }

    /// A part that fetches or runs something, by its content.
    pub(super) fn part(&mut self, book: &Workbook, kind: &str, name: &str) {
        let bytes = book.package.part(name);
        let text = match &bytes {
            Ok(bytes) => String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned(),
            Err(error) => error.to_string(),
        };
        self.all.push(Outward {
            sheet: String::new(),
            kind: kind.to_owned(),
            at: name.to_owned(),
            text,
            to: Vec::new(),
        });
    }

    pub(super) fn unreadable(&mut self, sheet: &str, why: &str) {
        self.all.push(Outward {
            sheet: sheet.to_owned(),
            kind: "part that cannot be read".to_owned(),
            at: String::new(),
            text: why.to_owned(),
            to: Vec::new(),
        });
    }
}
