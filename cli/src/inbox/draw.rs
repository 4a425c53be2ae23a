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

use crate::{
    args::Color,
    output::{Span, painted},
    wrap::cut,
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
