//! Alternate screen of the terminal, which the inbox is drawn on.
//!
//! Everything that is drawn comes in pieces, which `output` cleans. The terminal is given back when
//! this is dropped, whatever happened.

use std::io::{self, Write};

use crossterm::{
    cursor::{Hide, MoveTo, Show},
    queue,
    style::Print,
    terminal::{
        Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
        enable_raw_mode, size,
    },
};
use unicode_width::UnicodeWidthChar;

use crate::{
    args::Color,
    output::{Span, painted},
};

/// The rows and columns that are drawn at least.
const SMALLEST: (usize, usize) = (8, 20);

/// The screen while it is ours.
pub(super) struct Canvas {
    color: Color,
    is_open: bool,
}

impl Canvas {
    pub(super) fn enter(color: Color) -> io::Result<Self> {
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
        let color = match color {
            Color::Auto if is_plain => Color::Never,
            other => other,
        };
        let mut canvas = Self {
            color,
            is_open: false,
        };
        canvas.open()?;
        Ok(canvas)
    }

    /// Takes the screen, again after [`Canvas::close`].
    pub(super) fn open(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        self.is_open = true;
        let mut out = io::stdout().lock();
        queue!(out, EnterAlternateScreen, Hide, Clear(ClearType::All))?;
        out.flush()
    }

    /// Gives the screen back.
    pub(super) fn close(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.is_open) {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let shown = queue!(out, Show, LeaveAlternateScreen).and_then(|()| out.flush());
        disable_raw_mode().and(shown)
    }

    /// How many rows and columns are drawn.
    pub(super) fn size(&self) -> (usize, usize) {
        let (columns, rows) = size().unwrap_or((80, 24));
        let (rows, columns) = (usize::from(rows), usize::from(columns));
        (rows.max(SMALLEST.0), columns.max(SMALLEST.1))
    }

    /// Whether all that is drawn can be seen.
    pub(super) fn is_large_enough(&self) -> bool {
        let (columns, rows) = size().unwrap_or_default();
        usize::from(rows) >= SMALLEST.0 && usize::from(columns) >= SMALLEST.1
    }

    /// Draws rows; what is too long or too much is cut. The last one, which lists the keys, is drawn
    /// first, so that keys that are not listed are gone before anything else changes.
    pub(super) fn paint(&self, rows: &[&[Span]]) -> io::Result<()> {
        let (height, width) = self.size();
        let mut out = io::stdout().lock();
        for y in (0..height).rev() {
            let row = rows.get(y).map(|row| cut(row, width)).unwrap_or_default();
            let at = u16::try_from(y).unwrap_or(u16::MAX);
            queue!(out, MoveTo(0, at), Clear(ClearType::UntilNewLine))?;
            queue!(out, Print(painted(&row, self.color)))?;
        }
        out.flush()
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing back.
        let _closed = self.close();
    }
}

/// The mark of lines of a model.
const GUTTER: &str = "│ ";

/// A line in as many rows as it needs, broken between words where that is possible. Each row of a line
/// that is marked as a model's has the mark.
pub(super) fn wrapped(line: &[Span], width: usize) -> Vec<Vec<Span>> {
    if let [only] = line
        && let Some(said) = only.text().strip_prefix(GUTTER)
    {
        let mut rows = broken(
            &[only.with(said.to_owned())],
            width.saturating_sub(2).max(1),
        );
        for row in &mut rows {
            row.insert(0, only.with(GUTTER.to_owned()));
        }
        return rows;
    }
    broken(line, width)
}

fn broken(line: &[Span], width: usize) -> Vec<Vec<Span>> {
    let letters = line.iter().flat_map(|span| {
        let letters = span.text().chars();
        letters.map(move |c| (span, c, c.width().unwrap_or(0)))
    });
    let mut rows = Vec::new();
    let (mut row, mut used) = (Vec::new(), 0);
    for letter in letters {
        if used + letter.2 > width {
            let is_space = |(_, c, _): &(&Span, char, usize)| *c == ' ';
            let cut = match row.iter().rposition(is_space) {
                Some(space) if letter.1 != ' ' => space + 1,
                _ => row.len(),
            };
            let rest = row.split_off(cut);
            rows.push(std::mem::replace(&mut row, rest));
            used = row.iter().map(|(_, _, wide)| wide).sum();
        }
        row.push(letter);
        used += letter.2;
    }
    rows.push(row);
    rows.iter().map(|row| joined(row)).collect()
}

/// Letters as pieces again.
fn joined(row: &[(&Span, char, usize)]) -> Vec<Span> {
    let same =
        |one: &(&Span, char, usize), other: &(&Span, char, usize)| std::ptr::eq(one.0, other.0);
    let span = |run: &[(&Span, char, usize)]| {
        let text = run.iter().map(|(_, c, _)| c).collect();
        run.first().map(|(span, _, _)| span.with(text))
    };
    row.chunk_by(same).filter_map(span).collect()
}

/// As much of a line as fits into a row.
fn cut(line: &[Span], width: usize) -> Vec<Span> {
    let mut left = width;
    let mut row = Vec::new();
    for span in line {
        let fits = |c: &char| {
            let rest = left.checked_sub(c.width().unwrap_or(0));
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        row.push(span.with(span.text().chars().take_while(fits).collect()));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{plain, strong};

    #[test]
    fn lines_break_where_the_screen_ends_also_for_wide_letters() {
        let rows = wrapped(&[plain("abc"), strong("日本語")], 6);
        let texts: Vec<String> = rows
            .iter()
            .map(|row| row.iter().map(Span::text).collect())
            .collect();
        assert_eq!(texts, ["abc日", "本語"]);
        assert_eq!(wrapped(&[], 6).len(), 1);
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        let rows = wrapped(&[plain("one two "), strong("three fourteen")], 8);
        let texts: Vec<String> = rows
            .iter()
            .map(|row| row.iter().map(Span::text).collect())
            .collect();
        assert_eq!(texts, ["one two ", "three ", "fourteen"]);
    }

    #[test]
    fn every_row_of_a_line_of_a_model_is_marked() {
        let rows = wrapped(&[plain("│ fine --- From: ann")], 7);
        let texts: Vec<String> = rows
            .iter()
            .map(|row| row.iter().map(Span::text).collect())
            .collect();
        assert!(texts.len() > 2, "{texts:?}");
        assert!(texts.iter().all(|row| row.starts_with("│ ")), "{texts:?}");
    }
}
