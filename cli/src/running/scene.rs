//! The demo of an agent: its files, its script and its commands.

/// Demo of an agent.
pub(crate) struct Scene {
    /// A line about it, then commands without `superstep`, each below a comment that is printed before it. The word
    /// `QUESTION` is the id of the first open question that can be accepted; `KILLED` begins a command that does not end by
    /// itself.
    pub(crate) script: &'static str,
    /// Files, by their names below the folder of the scene.
    pub(crate) files: &'static [(&'static str, &'static [u8])],
    /// Folders below that of the scene whose files are shown at the end.
    pub(crate) leaves: &'static [&'static str],
}

impl Scene {
    /// The line about the agent.
    pub(crate) fn about(&self) -> &'static str {
        self.script.lines().next().unwrap_or_default()
    }

    /// The commands, each behind its comment.
    pub(crate) fn commands(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let mut about = "";
        let lines = self.script.lines().skip(1).filter(|line| !line.is_empty());
        lines.filter_map(move |line| match line.strip_prefix("# ") {
            Some(comment) => {
                about = comment;
                None
            }
            None => Some((about, line)),
        })
    }
}
