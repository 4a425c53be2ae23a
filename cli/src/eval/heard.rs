//! A console without a person: it keeps what the agent says.

use std::sync::{Arc, Mutex};

use superstep::sync::lock;
use superstep_agent::{Block, Commands, Console, Line, Local, Notice, ReadLine};

use crate::error::Error;

/// What an agent said. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Heard(Arc<Mutex<String>>);

impl Heard {
    /// All of it, as text.
    pub(super) fn text(&self) -> String {
        lock(&self.0).clone()
    }

    fn add(&self, text: &str) {
        lock(&self.0).push_str(text);
    }

    fn block(&self, block: &Block) {
        match block {
            Block::Piece(text) => self.add(text),
            Block::EndOfPieces => self.add("\n"),
            Block::Table(table) => {
                for row in &table.rows {
                    self.add(&(row.join("\t") + "\n"));
                }
            }
            Block::File(_, file) => self.add(&format!("{}\n", file.name)),
            other => {
                for line in other.lines() {
                    line.iter().for_each(|span| self.add(span.text()));
                    self.add("\n");
                }
            }
        }
    }
}

impl Console for Heard {
    type Error = Error;

    fn show(&mut self, notice: &Notice) -> Result<(), Error> {
        for block in &notice.blocks {
            self.block(block);
        }
        Ok(())
    }

    fn read<'a>(&'a mut self, _: ReadLine<'a>) -> Local<'a, Result<Line, Error>> {
        Box::pin(async { Ok(Line::End) })
    }

    fn interrupted(&mut self) -> Local<'_, ()> {
        Box::pin(std::future::pending())
    }

    fn is_interactive(&self) -> bool {
        false
    }

    fn can_read(&self) -> bool {
        false
    }

    fn running(&mut self, _: bool) {}

    fn silent(&mut self, _: u64) {}

    fn failed(&mut self, _: &Error) {}

    fn stored(&self, _: Option<&Error>) -> Option<&'static str> {
        None
    }

    fn commands(&self) -> Commands {
        Arc::new(|words| words.join(" "))
    }
}
