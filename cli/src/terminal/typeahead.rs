//! Typeahead: input that was typed before the prompt was shown.
//!
//! An answer is for what was shown. What is typed while a model still streams, or while something else
//! is on the screen, answers nothing that comes after it.

use std::{io, time::Duration};

use crossterm::{
    event::{self, Event, KeyCode, KeyEventKind, KeyModifiers},
    terminal::enable_raw_mode,
};

/// A reader of events takes what it can at once and may leave the rest until the next key is pressed.
/// From so many on there may be a rest.
const MANY: usize = 100;

/// At most this many events are read.
const MOST: usize = 10_000;

/// Everything that was typed until now, of a terminal in raw mode.
pub(crate) fn events() -> io::Result<Vec<Event>> {
    let mut events = Vec::new();
    while events.len() < MOST && event::poll(Duration::ZERO)? {
        events.push(event::read()?);
    }
    if events.len() >= MANY {
        drop_rest();
    }
    Ok(events)
}

/// The text that was typed until now; no key of it does anything. The terminal is in raw mode then.
pub(super) fn text() -> io::Result<String> {
    enable_raw_mode()?;
    let mut text = String::new();
    for event in events()? {
        let Event::Key(key) = event else { continue };
        let is_text = !key.modifiers.intersects(!KeyModifiers::SHIFT);
        match key.code {
            _ if key.kind == KeyEventKind::Release => {}
            // What was typed before raw mode has the ends of its lines as a terminal stores them.
            KeyCode::Char('j') if key.modifiers == KeyModifiers::CONTROL => text.push('\n'),
            _ if !is_text => {}
            KeyCode::Char(c) => text.push(c),
            KeyCode::Enter => text.push('\n'),
            KeyCode::Backspace => {
                text.pop();
            }
            _ => {}
        }
    }
    Ok(text.trim_end().to_owned())
}

#[cfg(unix)]
fn drop_rest() {
    use rustix::termios::{QueueSelector, tcflush};
    // A terminal that is gone has nothing left to read.
    let _dropped = tcflush(io::stdin(), QueueSelector::IFlush);
}

#[cfg(not(unix))]
fn drop_rest() {}
