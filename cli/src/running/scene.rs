//! The demo of an agent: its files, its script and its commands.

/// What is shown of an agent.
pub(crate) struct Scene {
    /// What it is about.
    pub(crate) about: &'static str,
    /// Files, by their names below the folder of the scene.
    pub(crate) files: &'static [(&'static str, &'static [u8])],
    /// Commands without `superstep`, and a comment to print before each. The word `QUESTION` is the id of
    /// the open questions of the e-mail assistant about a reply; `KILLED` begins one that does not end by itself.
    pub(crate) commands: &'static [(&'static str, &'static str)],
    /// Folders below that of the scene whose files are shown at the end.
    pub(crate) leaves: &'static [&'static str],
}
