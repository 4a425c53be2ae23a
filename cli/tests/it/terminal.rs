//! A terminal that a test types into and looks at.

use std::{
    io::{ErrorKind, Read, Write},
    sync::{Arc, Condvar, Mutex},
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::env::TestEnv;

/// How long anything may take before a test fails. Nothing waits that long when all is well.
const PATIENCE: Duration = Duration::from_secs(60);

const ROWS: u16 = 50;
const COLUMNS: u16 = 100;

/// A command in a terminal.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    /// Dropped last: a terminal that is gone ends the command.
    _master: Box<dyn MasterPty + Send>,
    keys: Arc<Mutex<Box<dyn Write + Send>>>,
    seen: Arc<Seen>,
}

struct Seen {
    state: Mutex<State>,
    grown: Condvar,
}

struct State {
    screen: vt100::Parser,
    /// All bytes that were ever written.
    raw: Vec<u8>,
    is_over: bool,
}

impl Terminal {
    /// Runs a command line of a env, words apart by spaces; `_` in a word is a space.
    pub(crate) fn run(env: &TestEnv, line: &str) -> Self {
        Self::sized(env, line, ROWS, COLUMNS)
    }

    /// The same after keys were typed that no command has read yet.
    pub(crate) fn typed_ahead(env: &TestEnv, line: &str, keys: &str) -> Self {
        Self::start(env, line, ROWS, COLUMNS, keys)
    }

    /// The same in a terminal of so many rows and columns.
    pub(crate) fn sized(env: &TestEnv, line: &str, rows: u16, columns: u16) -> Self {
        Self::start(env, line, rows, columns, "")
    }

    fn start(env: &TestEnv, line: &str, rows: u16, columns: u16, ahead: &str) -> Self {
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let command = env.command(line);
        let mut builder = CommandBuilder::new(command.get_program());
        builder.args(
            command
                .get_args()
                .map(|word| word.to_str().unwrap().replace('_', " ")),
        );
        builder.env_clear();
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                builder.env(name, value);
            }
        }
        builder.env("TERM", "xterm-256color");
        builder.cwd(command.get_current_dir().unwrap());
        let mut writer = pair.master.take_writer().unwrap();
        writer.write_all(ahead.as_bytes()).unwrap();
        let child = pair.slave.spawn_command(builder).unwrap();
        drop(pair.slave);
        let keys = Arc::new(Mutex::new(writer));
        let seen = Arc::new(Seen {
            state: Mutex::new(State {
                screen: vt100::Parser::new(
                    rows.try_into().unwrap(),
                    columns.try_into().unwrap(),
                    0,
                ),
                raw: Vec::new(),
                is_over: false,
            }),
            grown: Condvar::new(),
        });
        let reader = pair.master.try_clone_reader().unwrap();
        watch(reader, seen.clone(), keys.clone());
        Self {
            child,
            _master: pair.master,
            keys,
            seen,
        }
    }

    pub(crate) fn press(&self, keys: &str) -> &Self {
        let mut writer = self.keys.lock().unwrap();
        writer.write_all(keys.as_bytes()).unwrap();
        writer.flush().unwrap();
        self
    }

    /// Types words and Enter.
    pub(crate) fn say(&self, words: &str) -> &Self {
        self.press(words).press("\r")
    }

    /// Waits until the screen shows this.
    pub(crate) fn shows(&self, wanted: &str) -> &Self {
        self.until(wanted, |state| {
            has(&state.screen.screen().contents(), wanted)
        })
    }

    /// Waits until the screen does not show this any more.
    #[cfg(unix)]
    pub(crate) fn hides(&self, unwanted: &str) -> &Self {
        self.until(&format!("screen without {unwanted}"), |state| {
            !has(&state.screen.screen().contents(), unwanted)
        })
    }

    /// Waits until this is the last thing on the screen.
    pub(crate) fn ends_with(&self, wanted: &str) -> &Self {
        self.until(wanted, |state| {
            let shown = state.screen.screen().contents();
            shown.trim_end().ends_with(wanted)
        })
    }

    /// Waits until this was written so many times in all, whatever is on the screen now.
    pub(crate) fn has_shown(&self, wanted: &str, times: usize) -> &Self {
        self.until(wanted, |state| {
            String::from_utf8_lossy(&state.raw).matches(wanted).count() >= times
        })
    }

    /// Waits until the command asks for the n-th time: what is typed before that is lost.
    pub(crate) fn prompts(&self, times: usize) -> &Self {
        // An editor says so when it begins to read.
        self.has_shown("\u{1b}[?2004h", times)
    }

    fn until(&self, wanted: &str, holds: impl Fn(&State) -> bool) -> &Self {
        let end = Instant::now() + PATIENCE;
        let mut state = self.seen.state.lock().unwrap();
        while !holds(&state) {
            let screen = state.screen.screen().contents();
            assert!(!state.is_over, "it ended without `{wanted}`:\n{screen}");
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "no `{wanted}` on the screen:\n{screen}");
            state = self.seen.grown.wait_timeout(state, left).unwrap().0;
        }
        drop(state);
        self
    }

    pub(crate) fn screen(&self) -> String {
        self.seen.state.lock().unwrap().screen.screen().contents()
    }

    /// The lines of the screen, as they are broken there.
    pub(crate) fn rows(&self) -> Vec<String> {
        let state = self.seen.state.lock().unwrap();
        state.screen.screen().rows(0, COLUMNS).collect()
    }

    pub(crate) fn raw(&self) -> Vec<u8> {
        self.seen.state.lock().unwrap().raw.clone()
    }

    /// Ends the command as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the end; its exit code.
    pub(crate) fn end(mut self) -> u32 {
        let state = self.seen.state.lock().unwrap();
        let (state, waited) = (self.seen.grown)
            .wait_timeout_while(state, PATIENCE, |state| !state.is_over)
            .unwrap();
        let screen = state.screen.screen().contents();
        drop(state);
        if waited.timed_out() {
            self.child.kill().unwrap();
            panic!("it does not end:\n{screen}");
        }
        self.child.wait().unwrap().exit_code()
    }
}

/// Reads what the command writes, and answers when it asks where the cursor is.
fn watch(
    mut reader: Box<dyn Read + Send>,
    seen: Arc<Seen>,
    keys: Arc<Mutex<Box<dyn Write + Send>>>,
) {
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        loop {
            // A terminal can say that its other end is closed between two looks at what was written
            // there. After that nothing more is written, so a second read has what is left.
            let mut count = read_some(&mut reader, &mut buffer);
            if count == 0 {
                count = read_some(&mut reader, &mut buffer);
            }
            let mut state = seen.state.lock().unwrap();
            if count == 0 {
                state.is_over = true;
                seen.grown.notify_all();
                return;
            }
            let new = &buffer[..count];
            state.screen.process(new);
            state.raw.extend_from_slice(new);
            let (row, column) = state.screen.screen().cursor_position();
            drop(state);
            seen.grown.notify_all();
            let asked = new.windows(4).filter(|bytes| bytes == b"\x1b[6n").count();
            for _ in 0..asked {
                let answer = format!("\x1b[{};{}R", row + 1, column + 1);
                let _ = keys.lock().unwrap().write_all(answer.as_bytes());
            }
        }
    });
}

/// How many bytes were read; none at the end, which a terminal may tell as an error.
fn read_some(reader: &mut dyn Read, buffer: &mut [u8]) -> usize {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read.unwrap_or(0),
        }
    }
}

/// Whether a screen has words, wherever its lines are broken.
fn has(screen: &str, words: &str) -> bool {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    screen.contains(words) || flat(screen).contains(&flat(words))
}
