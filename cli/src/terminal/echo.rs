//! Echo of the terminal: off while a reply streams, so that what is typed meanwhile is not printed into it.
//!
//! Nothing typed is lost: it becomes the draft of the next message (`typeahead`). Ctrl-C works as before.

#[cfg(unix)]
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// The terminal does not echo until this is dropped.
pub(crate) struct Unechoed {
    #[cfg(unix)]
    before: Option<Termios>,
}

#[cfg(unix)]
impl Unechoed {
    pub(crate) fn begin() -> Self {
        // What is no terminal has no echo.
        let before = tcgetattr(std::io::stdin()).ok();
        if let Some(before) = &before {
            let mut silent = before.clone();
            silent.local_modes.remove(LocalModes::ECHO);
            // Ctrl-C throws away what was typed before it, otherwise.
            silent.local_modes.insert(LocalModes::NOFLSH);
            let _gone = tcsetattr(std::io::stdin(), OptionalActions::Now, &silent);
        }
        Self { before }
    }
}

#[cfg(unix)]
impl Drop for Unechoed {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _gone = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}

#[cfg(not(unix))]
impl Unechoed {
    pub(crate) fn begin() -> Self {
        Self {}
    }
}
