//! Which formulas read which cells: those that read a cell that was not calculated are not calculated, either.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::copy::Place;
use crate::{
    address::{Area, CellRef},
    book::{Workbook, is_same_name},
    formula::{Change, Reference, Word, rewrite, words},
    sheet::FormulaKind,
};

/// How often two areas are compared before all formulas are taken to read what is left out.
const MOST: usize = 100_000_000;

/// How many names may stand for one another.
const DEEPEST: usize = 200;

/// What a formula reads.
#[derive(Clone, Debug, Default)]
struct Reads {
    areas: Vec<(usize, Area)>,
    /// Whether that is only known when it is calculated.
    is_open: bool,
}

/// The formulas that are left out, and all that read them, directly or by others. The second are those that are left
/// because it is not known whether they do.
pub(super) fn with_readers(
    book: &Workbook,
    formulas: &[Place],
    left: &BTreeMap<Place, String>,
) -> (BTreeSet<Place>, Vec<Place>) {
    let mut all: BTreeSet<Place> = left.keys().copied().collect();
    if left.is_empty() {
        return (all, Vec::new());
    }
    let mut tracer = Tracer {
        book,
        names: HashMap::new(),
        open: HashSet::new(),
    };
    let mut cells: HashMap<Place, Vec<usize>> = HashMap::new();
    let mut areas: HashMap<usize, Vec<(Area, usize)>> = HashMap::new();
    let mut open = Vec::new();
    for (number, place) in formulas.iter().enumerate() {
        if all.contains(place) {
            continue;
        }
        let reads = tracer.reads(place);
        if reads.is_open {
            open.push(number);
        }
        for (sheet, area) in reads.areas {
            match area.first == area.last {
                true => cells.entry((sheet, area.first)).or_default().push(number),
                false => areas.entry(sheet).or_default().push((area, number)),
            }
        }
    }
    let mut queue: Vec<Place> = all.iter().copied().collect();
    let mut compared = 0;
    let add = |number: usize, all: &mut BTreeSet<Place>, queue: &mut Vec<Place>| {
        if let Some(place) = formulas.get(number)
            && all.insert(*place)
        {
            queue.push(*place);
        }
    };
    let named = open.iter().filter_map(|number| formulas.get(*number));
    let named: Vec<Place> = named.copied().collect();
    for number in open {
        add(number, &mut all, &mut queue);
    }
    while let Some(place) = queue.pop() {
        let filled = filled(book, &place);
        let singles = match filled.first == filled.last {
            true => cells.get(&place).map(Vec::as_slice).unwrap_or_default(),
            false => &[],
        };
        for number in singles {
            add(*number, &mut all, &mut queue);
        }
        if filled.first != filled.last {
            for ((sheet, at), numbers) in &cells {
                if *sheet == place.0 && filled.contains(*at) {
                    for number in numbers {
                        add(*number, &mut all, &mut queue);
                    }
                }
            }
        }
        let on_sheet = areas.get(&place.0).map(Vec::as_slice).unwrap_or_default();
        compared += on_sheet.len();
        if compared > MOST {
            return (formulas.iter().copied().collect(), named);
        }
        for (area, number) in on_sheet {
            if area.overlaps(&filled) {
                add(*number, &mut all, &mut queue);
            }
        }
    }
    (all, named)
}

/// The cells that a formula fills.
fn filled(book: &Workbook, (sheet, at): &Place) -> Area {
    let sheet = book.sheets.get(*sheet);
    let formula = sheet
        .and_then(|sheet| sheet.cell(*at))
        .and_then(|cell| cell.formula());
    match formula.map(|formula| &formula.kind) {
        Some(FormulaKind::Array(area)) => *area,
        _ => Area::from(*at),
    }
}

struct Tracer<'a> {
    book: &'a Workbook,
    /// What names stand for, by their place among the names.
    names: HashMap<usize, Reads>,
    /// Names that are being read: one that stands for itself stands for nothing.
    open: HashSet<usize>,
}

impl Tracer<'_> {
    fn reads(&mut self, (number, at): &Place) -> Reads {
        let book = self.book;
        let sheet = book.sheets.get(*number);
        let formula = sheet
            .and_then(|sheet| sheet.cell(*at))
            .and_then(|cell| cell.formula());
        match formula {
            Some(formula) => self.text(&formula.text, *number, Some(*at)),
            None => Reads::default(),
        }
    }

    fn text(&mut self, formula: &str, own: usize, at: Option<CellRef>) -> Reads {
        let book = self.book;
        let mut reads = Reads::default();
        rewrite(formula, |reference| {
            match sheet_of(book, reference, own) {
                Some(sheet) => reads.areas.push((sheet, reference.area())),
                None => reads.is_open = true,
            }
            Change::Keep
        });
        let mut used = Vec::new();
        words(formula, |word| match word {
            Word::Function(name) => {
                let name = name.rsplit('.').next().unwrap_or(name);
                reads.is_open |= ["INDIRECT", "OFFSET"]
                    .iter()
                    .any(|it| it.eq_ignore_ascii_case(name));
                used.extend(self.name(name, own));
            }
            Word::Other(name) => used.extend(self.name(name, own)),
            Word::Table(name) => {
                let mut found = false;
                for (number, sheet) in book.sheets.iter().enumerate() {
                    for table in &sheet.tables {
                        if table.name.eq_ignore_ascii_case(name) {
                            found = true;
                            reads.areas.push((number, table.area));
                        }
                    }
                }
                reads.is_open |= !found;
            }
            Word::OwnTable => {
                let tables = book.sheets.get(own).map(|sheet| sheet.tables.as_slice());
                let mut tables = tables.unwrap_or_default().iter();
                let table = at.and_then(|at| tables.find(|table| table.area.contains(at)));
                match table {
                    Some(table) => reads.areas.push((own, table.area)),
                    None => reads.is_open = true,
                }
            }
            Word::Elsewhere => {}
        });
        used.sort_unstable();
        used.dedup();
        for name in used {
            let more = self.named(name, own);
            reads.is_open |= more.is_open;
            reads.areas.extend(more.areas);
        }
        reads.areas.sort_unstable();
        reads.areas.dedup();
        reads
    }

    /// The name that a word is, as it is known on a sheet.
    fn name(&self, word: &str, own: usize) -> Option<usize> {
        let is_meant = |sheet: Option<usize>| {
            let mut names = self.book.names.iter();
            names.position(|name| name.sheet == sheet && name.name.eq_ignore_ascii_case(word))
        };
        is_meant(Some(own)).or_else(|| is_meant(None))
    }

    fn named(&mut self, number: usize, own: usize) -> Reads {
        if let Some(known) = self.names.get(&number) {
            return known.clone();
        }
        let Some(name) = self.book.names.get(number) else {
            return Reads::default();
        };
        if self.open.len() > DEEPEST {
            return Reads {
                is_open: true,
                ..Reads::default()
            };
        }
        if !self.open.insert(number) {
            return Reads::default();
        }
        let refers_to = name.refers_to.clone();
        let reads = self.text(&refers_to, name.sheet.unwrap_or(own), None);
        self.open.remove(&number);
        self.names.insert(number, reads.clone());
        reads
    }
}

fn sheet_of(book: &Workbook, reference: &Reference, own: usize) -> Option<usize> {
    match &reference.sheet {
        None => Some(own),
        Some(name) => book
            .sheets
            .iter()
            .position(|sheet| is_same_name(&sheet.name, name)),
    }
}
