//! A console whose lines are written down, and whose output is kept.

use std::{collections::VecDeque, sync::Arc};

use superstep_agent::{
    AgentError, Block, Commands, Console, ForPrograms, Line, Local, Notice, ReadLine, Span,
};

/// A person who types what was written for them.
#[derive(Default)]
pub(crate) struct Typist {
    pub(crate) lines: VecDeque<Line>,
    pub(crate) shown: Vec<String>,
    pub(crate) events: Vec<serde_json::Value>,
    /// Whether the lines come through a pipe.
    pub(crate) is_piped: bool,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error("run: {0}")]
    Run(superstep::Error),
    #[error("agent: {0}")]
    Agent(AgentError),
}

impl From<superstep::Error> for Failed {
    fn from(error: superstep::Error) -> Self {
        Self::Run(error)
    }
}

impl From<AgentError> for Failed {
    fn from(error: AgentError) -> Self {
        Self::Agent(error)
    }
}

impl Typist {
    pub(crate) fn typing<const N: usize>(lines: [&str; N]) -> Self {
        let lines = lines.map(|line| Line::Text(line.to_owned()));
        Self {
            lines: lines.into(),
            ..Self::default()
        }
    }
}

impl Console for &mut Typist {
    type Error = Failed;

    fn show(&mut self, notice: &Notice) -> Result<(), Failed> {
        if let ForPrograms::Event(event) = &notice.programs {
            self.events.push(event.clone());
        }
        for block in &notice.blocks {
            match block {
                Block::Line(_, spans) => {
                    self.shown.push(spans.iter().map(Span::text).collect());
                }
                Block::Piece(text) => self.shown.push(text.clone()),
                _ => {}
            }
        }
        Ok(())
    }

    fn read<'a>(&'a mut self, line: ReadLine<'a>) -> Local<'a, Result<Line, Failed>> {
        self.shown.push(line.input.to_owned());
        let line = self.lines.pop_front().unwrap_or(Line::End);
        Box::pin(async { Ok(line) })
    }

    fn interrupted(&mut self) -> Local<'_, ()> {
        Box::pin(std::future::pending())
    }

    fn is_interactive(&self) -> bool {
        !self.is_piped
    }

    fn can_read(&self) -> bool {
        true
    }

    fn running(&mut self, _: bool) {}

    fn silent(&mut self, _: u64) {}

    fn failed(&mut self, error: &Failed) {
        self.shown.push(error.to_string());
    }

    fn stored(&self, _: Option<&Failed>) -> Option<&'static str> {
        Some("Saved. Resume with: ")
    }

    fn commands(&self) -> Commands {
        Arc::new(|words| format!("app {}", words.join(" ")))
    }
}
