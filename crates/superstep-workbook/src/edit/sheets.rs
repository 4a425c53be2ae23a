//! Whole sheets: added, renamed, deleted, copied, moved.

use std::{collections::BTreeMap, sync::Arc};

use super::{Refusal, shift};
use crate::{
    book::{DefinedName, Workbook, is_same_name},
    formula::{self, Change, Reference},
    relations::relations,
    sheet::{Changed, Comment, Link, Sheet, Visibility},
    xml::{Token, Xml},
};

impl Workbook {
    pub(super) fn add_sheet(&mut self, name: &str, at: Option<usize>) -> Result<(), Refusal> {
        self.check_name(name, None)?;
        let at = at.unwrap_or(self.sheets.len()).min(self.sheets.len());
        let sheet = Sheet {
            name: name.to_owned(),
            is_grid: true,
            ..Sheet::default()
        };
        self.insert(at, sheet);
        Ok(())
    }

    pub(super) fn copy_sheet(&mut self, name: &str, new: &str) -> Result<(), Refusal> {
        self.check_name(new, None)?;
        let place = self.place(name)?;
        self.grid(name)?;
        self.load_blocks(place)?;
        let source = self.grid(name)?.clone();
        let copied_from = match source.part.is_empty() {
            true => source.copied_from.clone(),
            false => Some(source.part.clone()),
        };
        let mut blocks = source.blocks.clone();
        // Links to addresses are relationships of the old part, and get new ones.
        let mut new_links = source.new_links.clone();
        let links = blocks.entry("hyperlinks").or_default();
        for link in links.iter().filter(|link| link.contains(":id=")) {
            new_links.extend(self.link_of(&source.part, link)?);
        }
        let links = blocks.entry("hyperlinks").or_default();
        links.retain(|link| link.contains(" location=") && !link.contains(":id="));
        // So are the settings of its printer.
        let setup = blocks.entry("pageSetup").or_default();
        setup.retain(|element| !element.contains(":id="));
        // Extensions may lead to parts of the old one, too.
        blocks.remove("extLst");
        let unstored = |(at, it): (&_, &Comment)| (*at, Comment::new(&it.text, &it.author));
        let comments: BTreeMap<_, _> = source.comments.iter().map(unstored).collect();
        let has_comments = !comments.is_empty();
        let copy = Sheet {
            name: new.to_owned(),
            visibility: Visibility::Visible,
            tables: Vec::new(),
            drawings: 0,
            pivots: 0,
            comments,
            threads: false,
            part: String::new(),
            relation: String::new(),
            new_charts: Vec::new(),
            new_links,
            blocks,
            copied_from,
            changed: Changed {
                cells: true,
                columns: true,
                merged: true,
                view: true,
                filter: true,
                blocks: true,
                comments: has_comments,
            },
            ..source
        };
        self.insert(place + 1, copy);
        self.copy_print_names(place, name, new);
        self.changed.values = true;
        Ok(())
    }

    /// A link of a part to an address, as one that is to be added.
    fn link_of(&self, part: &str, raw: &str) -> Result<Option<Link>, Refusal> {
        let failed = |error: crate::error::Error| error.to_string();
        let mut xml = Xml::new(part, raw);
        let Some(Token::Open(tag) | Token::Empty(tag)) = xml.next().map_err(failed)? else {
            return Ok(None);
        };
        let mut attributes = tag.attributes();
        let id = attributes.find_map(|(key, value)| key.ends_with(":id").then_some(value));
        let known = relations(&self.package, part).map_err(failed)?;
        let target = known
            .iter()
            .find(|it| Some(it.id.as_str()) == id.as_deref());
        let area = tag.get("ref").and_then(|area| area.parse().ok());
        let (Some(target), Some(area)) = (target, area) else {
            return Ok(None);
        };
        let inside = tag.get("location");
        let inside = inside.map_or(String::new(), |place| format!("#{place}"));
        Ok(Some(Link {
            area,
            address: format!("{}{inside}", target.target),
            tooltip: tag.get("tooltip").map(String::from),
        }))
    }

    /// What is printed of a copy is what is printed of the sheet.
    fn copy_print_names(&mut self, place: usize, old: &str, new: &str) {
        let is_meant = |name: &&DefinedName| {
            name.sheet == Some(place) && name.name.starts_with("_xlnm.Print_")
        };
        let copies: Vec<DefinedName> = self
            .names
            .iter()
            .filter(is_meant)
            .map(|name| DefinedName {
                refers_to: formula::rewrite(&name.refers_to, renamed(old, new)),
                sheet: Some(place + 1),
                ..name.clone()
            })
            .collect();
        self.names.extend(copies);
    }

    /// Puts a sheet at a place; names that are known in one sheet only keep theirs.
    fn insert(&mut self, at: usize, sheet: Sheet) {
        self.changed.active = self
            .changed
            .active
            .map(|it| if it >= at { it + 1 } else { it });
        for name in &mut self.names {
            name.sheet = name.sheet.map(|it| if it >= at { it + 1 } else { it });
        }
        self.sheets.insert(at, Arc::new(sheet));
        self.changed.sheets = true;
        self.changed.names = true;
    }

    pub(super) fn move_sheet(&mut self, name: &str, to: usize) -> Result<(), Refusal> {
        let from = self.place(name)?;
        if to >= self.sheets.len() {
            return Err(format!(
                "there are {} sheets; places count from 0",
                self.sheets.len()
            ));
        }
        let sheet = self.sheets.remove(from);
        self.sheets.insert(to, sheet);
        let moved = |it: usize| match it {
            it if it == from => to,
            it if from < it && it <= to => it - 1,
            it if to <= it && it < from => it + 1,
            it => it,
        };
        for name in &mut self.names {
            name.sheet = name.sheet.map(moved);
        }
        self.changed.active = self.changed.active.map(moved);
        self.changed.sheets = true;
        self.changed.names = true;
        Ok(())
    }

    pub(super) fn hide_sheet(&mut self, name: &str, hidden: bool) -> Result<(), Refusal> {
        let at = self.place(name)?;
        if hidden {
            self.check_others_visible(at)?;
        }
        if let Some(sheet) = self.sheets.get_mut(at) {
            Arc::make_mut(sheet).visibility = match hidden {
                true => Visibility::Hidden,
                false => Visibility::Visible,
            };
        }
        self.changed.sheets = true;
        Ok(())
    }

    pub(super) fn rename_sheet(&mut self, old: &str, new: &str) -> Result<(), Refusal> {
        let at = self.place(old)?;
        self.check_name(new, Some(at))?;
        shift::everywhere(self, &|_, text| formula::rewrite(text, renamed(old, new)))?;
        if let Some(sheet) = self.sheets.get_mut(at) {
            Arc::make_mut(sheet).name = new.to_owned();
        }
        for sheet in &mut self.sheets {
            for chart in &mut Arc::make_mut(sheet).new_charts {
                for series in &mut chart.series {
                    if is_same_name(&series.sheet, old) {
                        series.sheet = new.to_owned();
                    }
                    if let Some(sheet) = &mut series.categories_sheet
                        && is_same_name(sheet, old)
                    {
                        *sheet = new.to_owned();
                    }
                }
            }
        }
        shift::pivot_sources(self, old, Some(new))?;
        self.changed.sheets = true;
        Ok(())
    }

    pub(super) fn delete_sheet(&mut self, name: &str) -> Result<(), Refusal> {
        let at = self.place(name)?;
        self.check_others_visible(at)?;
        shift::pivot_sources(self, name, None)?;
        let is_shown_elsewhere = self.sheets.iter().enumerate().any(|(place, sheet)| {
            let mut series = sheet.new_charts.iter().flat_map(|chart| &chart.series);
            place != at && series.any(|series| series.sheets().any(|it| is_same_name(it, name)))
        });
        if is_shown_elsewhere {
            return Err("a new chart on another sheet shows its cells".to_owned());
        }
        let removed = self.sheets.remove(at);
        let lost = |reference: &Reference| match &reference.sheet {
            Some(sheet) if is_same_name(sheet, name) => Change::Lost,
            _ => Change::Keep,
        };
        self.names.retain(|it| it.sheet != Some(at));
        let active = self.changed.active.filter(|it| *it != at);
        self.changed.active = active.map(|it| if it > at { it - 1 } else { it });
        for name in &mut self.names {
            name.sheet = name.sheet.map(|it| if it > at { it - 1 } else { it });
        }
        shift::everywhere(self, &|_, text| formula::rewrite(text, lost))?;
        if !removed.part.is_empty() {
            self.changed.removed.push(removed.part.clone());
            let owned = owned(self, &removed.part).map_err(|error| error.to_string())?;
            self.changed.removed.extend(owned);
        }
        let removed = &self.changed.removed;
        self.changed.parts.retain(|part, _| !removed.contains(part));
        self.changed.sheets = true;
        self.changed.names = true;
        self.changed.values = true;
        Ok(())
    }

    fn check_others_visible(&self, at: usize) -> Result<(), Refusal> {
        let is_other = |(place, sheet): (usize, &Arc<Sheet>)| {
            place != at && sheet.visibility == Visibility::Visible
        };
        match self.sheets.iter().enumerate().any(is_other) {
            true => Ok(()),
            false => Err("a workbook has at least one visible sheet".to_owned()),
        }
    }

    fn check_name(&self, name: &str, own: Option<usize>) -> Result<(), Refusal> {
        let length = name.encode_utf16().count();
        if !(1..=31).contains(&length) {
            return Err(format!(
                "the name of a sheet has 1 to 31 characters, `{name}` has {length}"
            ));
        }
        if name.contains(['[', ']', ':', '*', '?', '/', '\\']) || name.chars().any(char::is_control)
        {
            return Err(format!(
                "`{name}` has a character that names of sheets cannot have: [ ] : * ? / \\"
            ));
        }
        if name.starts_with('\'') || name.ends_with('\'') {
            return Err(format!("`{name}` begins or ends with an apostrophe"));
        }
        let taken = self
            .sheets
            .iter()
            .enumerate()
            .any(|(place, sheet)| Some(place) != own && is_same_name(&sheet.name, name));
        match taken {
            true => Err(format!("there is a sheet `{name}` already")),
            false => Ok(()),
        }
    }
}

/// References to a sheet, by its new name.
fn renamed(old: &str, new: &str) -> impl Fn(&Reference) -> Change {
    move |reference| match &reference.sheet {
        Some(sheet) if is_same_name(sheet, old) => Change::To(Reference {
            sheet: Some(new.to_owned()),
            ..reference.clone()
        }),
        _ => Change::Keep,
    }
}

/// Parts that belong to a sheet alone. Pictures may be shared and stay.
fn owned(book: &Workbook, part: &str) -> Result<Vec<String>, crate::error::Error> {
    let mut found = Vec::new();
    let mut next = vec![part.to_owned()];
    while let Some(part) = next.pop() {
        for relation in relations(&book.package, &part)? {
            let is_own = matches!(
                relation.kind.as_str(),
                "drawing"
                    | "chart"
                    | "table"
                    | "comments"
                    | "threadedComment"
                    | "vmlDrawing"
                    | "pivotTable"
                    | "chartStyle"
                    | "chartColorStyle"
                    | "printerSettings"
            );
            if is_own && !relation.is_external && !found.contains(&relation.target) {
                found.push(relation.target.clone());
                next.push(relation.target);
            }
        }
    }
    Ok(found)
}
