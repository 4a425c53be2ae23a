//! The selected question, and how much of it was on the screen.

/// Which rows of a question a screen shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The first row.
    pub(super) first: usize,
    /// The row behind the last one that can be read.
    pub(super) end: usize,
    /// How many there are.
    pub(super) count: usize,
    /// How wide the screen is: rows of another width are other rows.
    pub(super) width: usize,
}

/// A selected question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Selected {
    /// Its place among the questions.
    pub(super) at: usize,
    /// How many of its rows are above the screen.
    pub(super) above: usize,
    /// So many rows from its beginning were shown, none of them left out.
    seen: usize,
    last: Option<Extent>,
}

impl Selected {
    pub(super) fn new(at: usize) -> Self {
        Self {
            at,
            above: 0,
            seen: 0,
            last: None,
        }
    }

    /// The same question at another place.
    pub(super) fn moved_to(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// Whether a screen shows anything of the question that was not shown before.
    pub(super) fn is_news(&self, extent: Extent) -> bool {
        let is_same = self.last.is_some_and(|last| last.width == extent.width);
        !is_same || (extent.first <= self.seen && extent.end > self.seen)
    }

    /// Notes what a screen shows.
    pub(super) fn saw(&mut self, extent: Extent) {
        if self.last.is_none_or(|last| last.width != extent.width) {
            self.seen = 0;
        }
        if extent.first <= self.seen {
            self.seen = self.seen.max(extent.end);
        }
        self.above = extent.first;
        self.last = Some(extent);
    }

    /// How many rows were not shown yet; all of them before it is drawn.
    pub(super) fn unseen(&self) -> usize {
        match self.last {
            Some(last) => last.count.saturating_sub(self.seen),
            None => usize::MAX,
        }
    }

    pub(super) fn scroll_down(&mut self, rows: usize) {
        self.above = self.above.saturating_add(rows);
    }

    pub(super) fn scroll_up(&mut self, rows: usize) {
        self.above = self.above.saturating_sub(rows);
    }

    /// So many rows that the next screen begins where this one ends.
    pub(super) fn page(&self) -> usize {
        self.last.map_or(1, |last| (last.end - last.first).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(first: usize, end: usize, width: usize) -> Extent {
        Extent {
            first,
            end,
            count: 30,
            width,
        }
    }

    #[test]
    fn rows_that_were_jumped_over_were_not_shown() {
        let mut selected = Selected::new(0);
        assert_eq!(selected.unseen(), usize::MAX);
        assert!(selected.is_news(extent(0, 10, 80)));
        selected.saw(extent(0, 10, 80));
        assert!(!selected.is_news(extent(0, 10, 80)));
        selected.saw(extent(20, 30, 80));
        assert_eq!(selected.unseen(), 20, "rows 10 to 20 are missing");
        selected.saw(extent(10, 20, 80));
        selected.saw(extent(20, 30, 80));
        assert_eq!(selected.unseen(), 0);
        // Rows of another width break elsewhere.
        assert!(selected.is_news(extent(0, 10, 40)));
        selected.saw(extent(0, 10, 40));
        assert_eq!(selected.unseen(), 20);
    }
}
