//! Keys of the inbox screen, and which count as an answer.
//!
//! An answer is for what was on the screen when its key was pressed. So keys that answer are dropped if
//! they were pressed before the question was drawn, and a key that repeats itself answers nothing.

use std::{
    collections::VecDeque,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use superstep_agent::Verb;

use crate::{
    error::Error,
    terminal::{Terminal, typeahead},
};

/// How often a reader of keys checks whether it is cancelled.
const LOOK: Duration = Duration::from_millis(50);

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// It answers the selected question.
    Answer(Verb),
    /// It accepts what was not shown in full.
    Confirm,
    /// It leaves, whatever is on the screen.
    Stop,
    /// Anything else.
    Other(KeyCode),
}

/// The keys that answer.
const ANSWERS: [(char, Key); 6] = [
    ('a', Key::Answer(Verb::Accept)),
    ('e', Key::Answer(Verb::Edit)),
    ('r', Key::Answer(Verb::Respond)),
    ('i', Key::Answer(Verb::Ignore)),
    ('m', Key::Answer(Verb::Read)),
    ('y', Key::Confirm),
];

impl Key {
    /// What was pressed; nothing for what is to be ignored.
    fn of(key: KeyEvent) -> Option<Self> {
        let with = key.modifiers;
        if key.kind == KeyEventKind::Release {
            return None;
        }
        if with.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Some(Self::Stop);
        }
        // Another key than the one that is listed, whatever its letter is.
        if with.intersects(!KeyModifiers::SHIFT) {
            return None;
        }
        let mut answers = ANSWERS.iter();
        let known = answers.find(|(letter, _)| key.code == KeyCode::Char(*letter));
        let Some((_, answer)) = known else {
            return Some(Self::Other(key.code));
        };
        // A key that is held down means one answer.
        (key.kind == KeyEventKind::Press).then_some(*answer)
    }

    /// The letter that was typed, for a line of text.
    pub(super) fn letter(self) -> Option<char> {
        match self {
            Self::Other(KeyCode::Char(letter)) => Some(letter),
            key => {
                let mut answers = ANSWERS.iter();
                answers.find_map(|(letter, answer)| (*answer == key).then_some(*letter))
            }
        }
    }

    fn answers(self) -> bool {
        matches!(self, Self::Answer(_) | Self::Confirm)
    }
}

/// Something that happened at the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pressed {
    Key(Key),
    /// The screen has another size, or there is nothing to do.
    Nothing,
}

/// Keys, in the order in which they were pressed.
#[derive(Default)]
pub(super) struct Keys {
    /// Pressed before the last drawing, and still wanted.
    waiting: VecDeque<Key>,
    /// Who reads the next one; it keeps its turn while something else is looked after.
    reader: Option<Reader>,
}

impl Keys {
    /// Drops the answers that were pressed until now: they are for something else than what was just
    /// drawn. Other keys keep their turn.
    pub(super) async fn drop_answers(&mut self) -> Result<(), Error> {
        self.waiting.retain(|key| !key.answers());
        let mut events = Vec::new();
        // What is being read was pressed before, too.
        if let Some(mut reader) = self.reader.take() {
            reader.unwanted.store(true, Ordering::Relaxed);
            events.extend(reader.found().await?);
        }
        events.extend(typeahead::events()?);
        for event in events {
            if let Event::Key(key) = event {
                let key = Key::of(key).filter(|key| !key.answers());
                self.waiting.extend(key);
            }
        }
        Ok(())
    }

    pub(super) async fn next(&mut self, terminal: &mut Terminal) -> Result<Pressed, Error> {
        if let Some(key) = self.waiting.pop_front() {
            return Ok(Pressed::Key(key));
        }
        let reader = self.reader.get_or_insert_with(Reader::begin);
        let event = tokio::select! {
            event = reader.found() => event?,
            () = terminal.ctrl_c() => None,
        };
        self.reader = None;
        let key = match event.ok_or(Error::Cancelled)? {
            Event::Key(key) => Key::of(key),
            _ => None,
        };
        Ok(key.map_or(Pressed::Nothing, Pressed::Key))
    }
}

/// Reads a terminal event on a thread of its own, unless it is cancelled.
struct Reader {
    unwanted: Arc<AtomicBool>,
    reading: tokio::task::JoinHandle<io::Result<Option<Event>>>,
}

impl Reader {
    fn begin() -> Self {
        let unwanted = Arc::new(AtomicBool::new(false));
        let stop = unwanted.clone();
        let reading = tokio::task::spawn_blocking(move || {
            while !stop.load(Ordering::Relaxed) {
                if event::poll(LOOK)? {
                    return event::read().map(Some);
                }
            }
            Ok(None)
        });
        Self { unwanted, reading }
    }

    /// What was looked for; nothing if nobody wanted it any more.
    async fn found(&mut self) -> Result<Option<Event>, Error> {
        let read = (&mut self.reading).await;
        Ok(read.map_err(io::Error::other)??)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.unwanted.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: char, with: KeyModifiers, kind: KeyEventKind) -> Option<Key> {
        Key::of(KeyEvent::new_with_kind(KeyCode::Char(code), with, kind))
    }

    #[test]
    fn a_key_that_repeats_itself_or_has_another_meaning_answers_nothing() {
        let none = KeyModifiers::NONE;
        for code in ['a', 'e', 'r', 'i', 'y'] {
            assert!(key(code, none, KeyEventKind::Press).is_some_and(Key::answers));
            assert_eq!(key(code, none, KeyEventKind::Repeat), None);
            assert_eq!(key(code, none, KeyEventKind::Release), None);
            for with in [
                KeyModifiers::CONTROL,
                KeyModifiers::ALT,
                KeyModifiers::SUPER,
                KeyModifiers::META | KeyModifiers::SHIFT,
            ] {
                assert_eq!(
                    key(code, with, KeyEventKind::Press),
                    None,
                    "{code} {with:?}"
                );
            }
        }
        // Moving and leaving may be repeated.
        let down = Key::Other(KeyCode::Char('j'));
        assert_eq!(key('j', none, KeyEventKind::Repeat), Some(down));
        assert_eq!(
            key('c', KeyModifiers::CONTROL, KeyEventKind::Repeat),
            Some(Key::Stop)
        );
        assert_eq!(
            key('A', KeyModifiers::SHIFT, KeyEventKind::Press),
            Some(Key::Other(KeyCode::Char('A')))
        );
    }
}
