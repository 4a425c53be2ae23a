//! Reads a workbook from its bytes. `cells` reads the sheets, which are large; the rest is here.

mod cells;
mod strings;
mod table;

use std::{path::Path, sync::Arc};

use crate::{
    book::{BookChanged, DefinedName, Parts, Workbook},
    dates::DateSystem,
    error::Error,
    package::{Limits, Package},
    relations::{Relation, relations},
    sheet::{Sheet, Visibility},
    styles::{Styles, edit::TEMPLATE},
    xml::{self, Tag, Token, Xml},
};

impl Workbook {
    /// Reads a workbook. The limits are checked before memory is used for it.
    pub fn read(bytes: impl Into<Arc<[u8]>>, limits: &Limits) -> Result<Self, Error> {
        let package = Package::open(bytes, limits)?;
        let missing = || Error::NotWorkbook {
            what: "it has no workbook part".to_owned(),
        };
        let root = relations(&package, "")?;
        let main = find(&root, "officeDocument").ok_or_else(missing)?;
        let part = main.target.clone();
        let bytes = package.part(&part)?.ok_or_else(missing)?;
        let text = xml::decode(&part, &bytes)?;
        let index = Index::read(&part, &text)?;
        if index.sheets.is_empty() {
            return Err(Error::NotWorkbook {
                what: "it has no sheets".to_owned(),
            });
        }
        let related = relations(&package, &part)?;
        let strings = match find(&related, "sharedStrings") {
            Some(relation) => strings::read(&package, &relation.target)?,
            None => Vec::new(),
        };
        let styles_part = find(&related, "styles").map(|relation| relation.target.clone());
        let styles = match &styles_part {
            Some(name) => match package.part(name)? {
                Some(bytes) => Styles::read(name, &xml::decode(name, &bytes)?)?,
                None => template()?,
            },
            None => template()?,
        };
        let mut budget = limits.cells;
        let mut sheets = Vec::new();
        for entry in index.sheets {
            let relation = related
                .iter()
                .find(|relation| relation.id == entry.relation)
                .ok_or_else(|| {
                    Error::malformed(&part, format!("the sheet {:?} has no part", entry.name))
                })?;
            let mut sheet = Sheet {
                name: entry.name,
                visibility: entry.visibility,
                part: relation.target.clone(),
                relation: entry.relation,
                is_grid: relation.kind == "worksheet",
                ..Sheet::default()
            };
            if sheet.is_grid {
                cells::read(&mut sheet, &package, &strings, index.dates, &mut budget)?;
                surroundings(&mut sheet, &package)?;
            }
            sheets.push(Arc::new(sheet));
        }
        drop(bytes);
        Ok(Self {
            sheets,
            names: index.names,
            dates: index.dates,
            styles: Arc::new(styles),
            parts: Parts {
                workbook: part,
                styles: styles_part,
            },
            package: Arc::new(package),
            changed: BookChanged::default(),
        })
    }

    /// Reads a workbook from a file, which stays as it is.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, Error> {
        let failed = |source| Error::File {
            path: path.display().to_string(),
            source,
        };
        let about = std::fs::metadata(path).map_err(failed)?;
        if about.len() > limits.file {
            let (has, may) = (about.len(), limits.file);
            return Err(Error::Limit {
                what: format!("{has} bytes in the file, {may} are permitted"),
            });
        }
        if !about.is_file() {
            return Err(failed(std::io::Error::other("it is no file")));
        }
        Self::read(std::fs::read(path).map_err(failed)?, limits)
    }
}

fn find<'a>(relations: &'a [Relation], kind: &str) -> Option<&'a Relation> {
    relations
        .iter()
        .find(|relation| relation.kind == kind && !relation.is_external)
}

/// What the part of the workbook says.
#[derive(Default)]
struct Index {
    sheets: Vec<SheetEntry>,
    names: Vec<DefinedName>,
    dates: DateSystem,
}

struct SheetEntry {
    name: String,
    relation: String,
    visibility: Visibility,
}

impl Index {
    fn read(part: &str, text: &str) -> Result<Self, Error> {
        let mut index = Self::default();
        let mut xml = Xml::new(part, text);
        while let Some(token) = xml.next()? {
            let (tag, is_open) = match token {
                Token::Open(tag) => (tag, true),
                Token::Empty(tag) => (tag, false),
                Token::Close | Token::Text(_) => continue,
            };
            match tag.local() {
                "workbookPr" if tag.is("date1904") => index.dates = DateSystem::Since1904,
                "sheet" => index.sheets.extend(sheet_entry(&tag)),
                "definedName" if is_open => {
                    let refers_to = crate::future::shown(xml.text()?);
                    index.names.extend(defined_name(&tag, refers_to));
                }
                _ => {}
            }
        }
        Ok(index)
    }
}

fn sheet_entry(tag: &Tag<'_>) -> Option<SheetEntry> {
    // `sheetId` is no relationship: only an `id` with a namespace is.
    let relation = tag
        .attributes()
        .find_map(|(key, value)| key.ends_with(":id").then_some(value))?;
    Some(SheetEntry {
        name: tag.get("name")?.into_owned(),
        relation: relation.into_owned(),
        visibility: match tag.get("state").as_deref() {
            Some("hidden") => Visibility::Hidden,
            Some("veryHidden") => Visibility::VeryHidden,
            _ => Visibility::Visible,
        },
    })
}

fn defined_name(tag: &Tag<'_>, refers_to: String) -> Option<DefinedName> {
    Some(DefinedName {
        name: tag.get("name")?.into_owned(),
        refers_to,
        sheet: tag.number("localSheetId"),
        hidden: tag.is("hidden"),
        attributes: tag.others(&["name", "localSheetId", "hidden"]),
    })
}

/// Tables, drawings and pivot tables, which have parts of their own.
fn surroundings(sheet: &mut Sheet, package: &Package) -> Result<(), Error> {
    for relation in relations(package, &sheet.part)? {
        if relation.is_external {
            continue;
        }
        match relation.kind.as_str() {
            "table" => sheet.tables.extend(table::read(package, &relation.target)?),
            "pivotTable" => sheet.pivots += 1,
            "drawing" => sheet.drawings += drawings(package, &relation.target)?,
            "comments" => crate::comment::read(sheet, package, &relation.target)?,
            "threadedComment" => sheet.threads = true,
            _ => {}
        }
    }
    sheet.tables.sort_by_key(|table| table.area);
    Ok(())
}

fn drawings(package: &Package, part: &str) -> Result<usize, Error> {
    let Some(bytes) = package.part(part)? else {
        return Ok(0);
    };
    let text = xml::decode(part, &bytes)?;
    let mut xml = Xml::new(part, &text);
    let mut count = 0;
    while let Some(token) = xml.next()? {
        if let Token::Open(tag) | Token::Empty(tag) = token
            && matches!(
                tag.local(),
                "twoCellAnchor" | "oneCellAnchor" | "absoluteAnchor"
            )
        {
            count += 1;
        }
    }
    Ok(count)
}

/// What a workbook without styles means.
fn template() -> Result<Styles, Error> {
    Styles::read("styles", TEMPLATE)
}
