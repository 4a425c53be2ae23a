//! The child process of an MCP server, in a process group of its own.

use std::process::Stdio;

use tokio::process::{Child, Command as Tokio};

use super::at::Command;

/// Variables that every server gets, if they are set: enough to find programs and files.
pub(super) const PASSED: [&str; 9] = [
    "PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "TEMP", "USERPROFILE",
];

/// Starts a server. It sees no variable but those it was given.
pub(super) fn spawn(command: &Command) -> std::io::Result<(Child, Group)> {
    let mut tokio = Tokio::new(&command.program);
    tokio
        .args(&command.args)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let passed = PASSED
        .into_iter()
        .chain(command.pass.iter().map(|it| &**it));
    for name in passed {
        if let Some(value) = std::env::var_os(name) {
            tokio.env(name, value);
        }
    }
    tokio.envs(&command.env);
    if let Some(dir) = &command.dir {
        tokio.current_dir(dir);
    }
    #[cfg(unix)]
    tokio.process_group(0);
    let child = tokio.spawn()?;
    let group = Group::of(&child);
    Ok((child, group))
}

/// The processes that a server started, itself included. Dropping it ends them.
///
/// A group can be named by number as long as its first process has not been waited for, so it must
/// be ended before that.
pub(super) struct Group(#[cfg(unix)] Option<rustix::process::Pid>);

impl Group {
    #[cfg(unix)]
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(rustix::process::Pid::from_raw))
    }

    #[cfg(not(unix))]
    fn of(_: &Child) -> Self {
        Self()
    }

    /// Ends the group now.
    pub(super) fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.0.take() {
            // It may have ended by itself.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
