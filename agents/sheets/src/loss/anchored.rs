//! Charts, pictures and shapes that go with rows and columns: those that lie within them, and charts that show nothing
//! else.

use superstep_workbook::{Anchored, Area, Workbook};

/// What is lost of them, and what is moved, in words.
#[derive(Debug, Default)]
pub(super) struct Drawings {
    pub(super) lost: Vec<String>,
    pub(super) moved: Vec<String>,
}

impl Drawings {
    /// What happens when areas of a sheet are deleted.
    pub(super) fn in_deleted(book: &Workbook, sheet: &str, areas: &[Area]) -> Self {
        let mut found = Self::default();
        let is_within = |area: &Area| {
            let mut areas = areas.iter();
            areas.any(|removed| removed.contains(area.first) && removed.contains(area.last))
        };
        for home in &book.sheets {
            let is_here = super::is_same(&home.name, sheet);
            // What cannot be read is refused when it is moved.
            for it in book.anchored(home).unwrap_or_default() {
                let area = it.area.filter(|area| is_here && is_within(area));
                let shown = it.reads.iter().filter(|(of, _)| super::is_same(of, sheet));
                let is_empty = !it.reads.is_empty()
                    && shown.filter(|(_, area)| is_within(area)).count() == it.reads.len();
                match area {
                    Some(area) if it.is_sized => {
                        found.lost.push(format!("{} over {area}", named(&it)));
                    }
                    _ if is_empty => {
                        found.lost.push(format!("all that {} shows", named(&it)));
                    }
                    Some(area) => found
                        .moved
                        .push(format!("{} at {}", named(&it), area.first)),
                    None => {}
                }
            }
        }
        found
    }
}

fn named(it: &Anchored) -> String {
    match it.name.is_empty() {
        true => format!("a {}", it.kind),
        false => format!("the {} {:?}", it.kind, it.name),
    }
}
