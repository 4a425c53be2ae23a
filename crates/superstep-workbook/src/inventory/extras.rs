//! What a workbook has that programs leave out when they write it: counted, so that what is missing afterwards can be told.

use std::collections::BTreeMap;

use crate::{
    book::Workbook,
    error::Error,
    relations::relations,
    sheet::Sheet,
    xml::{self, Token, Xml},
};

/// Something that a workbook or a sheet has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtraFeature {
    /// The sheet; none if it belongs to the workbook.
    pub sheet: Option<String>,
    /// What it is: `sparkline`, `conversation`, …
    pub kind: &'static str,
    /// How many there are.
    pub count: usize,
}

/// Relationships that lead to something of the user's, and what that is.
const RELATED: [(&str, &str); 13] = [
    ("customXml", "custom XML part"),
    ("slicer", "slicer"),
    ("timeline", "timeline"),
    ("ctrlProp", "form control"),
    ("control", "ActiveX control"),
    ("oleObject", "embedded object"),
    ("package", "embedded file"),
    ("queryTable", "query"),
    ("connections", "list of connections"),
    ("customProperty", "custom property"),
    ("model", "data model"),
    ("sheetMetadata", "list of marks of dynamic arrays"),
    ("webExtensionTaskpanes", "add-in"),
];

impl Workbook {
    /// What of it programs are known to leave out.
    pub fn extras(&self) -> Result<Vec<ExtraFeature>, Error> {
        let mut all = Vec::new();
        let mut add = |sheet: Option<&str>, counts: BTreeMap<&'static str, usize>| {
            all.extend(counts.into_iter().map(|(kind, count)| ExtraFeature {
                sheet: sheet.map(str::to_owned),
                kind,
                count,
            }));
        };
        let mut counts = BTreeMap::new();
        for home in ["", self.parts.workbook.as_str()] {
            self.related(home, &mut counts)?;
        }
        add(None, counts);
        for sheet in &self.sheets {
            add(Some(&sheet.name), self.extras_of(sheet)?);
        }
        Ok(all)
    }

    fn extras_of(&self, sheet: &Sheet) -> Result<BTreeMap<&'static str, usize>, Error> {
        let mut counts = BTreeMap::new();
        let blocks = crate::edit::blocks_of(sheet, &self.package);
        let blocks = blocks.map_err(|why| Error::malformed(&sheet.part, why))?;
        for raw in blocks.get("extLst").into_iter().flatten() {
            for item in crate::extensions::items(raw)? {
                *counts.entry(item.kind).or_default() += 1;
            }
        }
        if sheet.part.is_empty() {
            return Ok(counts);
        }
        self.related(&sheet.part, &mut counts)?;
        for relation in relations(&self.package, &sheet.part)? {
            if relation.kind != "threadedComment" || relation.is_external {
                continue;
            }
            let bytes = self.package.part(&relation.target)?.unwrap_or_default();
            let text = xml::decode(&relation.target, &bytes)?;
            let mut xml = Xml::new(&relation.target, &text);
            while let Some(token) = xml.next()? {
                if let Token::Open(tag) | Token::Empty(tag) = token
                    && tag.local() == "threadedComment"
                {
                    *counts.entry("entry of a conversation").or_default() += 1;
                }
            }
        }
        Ok(counts)
    }

    fn related(&self, part: &str, counts: &mut BTreeMap<&'static str, usize>) -> Result<(), Error> {
        for relation in relations(&self.package, part)? {
            let known = RELATED.iter().find(|(kind, _)| *kind == relation.kind);
            if let Some((_, kind)) = known {
                *counts.entry(*kind).or_default() += 1;
            }
        }
        Ok(())
    }
}
