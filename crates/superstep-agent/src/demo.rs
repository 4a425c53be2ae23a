//! The demo of an agent: files, a script of commands, and what a front end without a model may answer from it.

/// Demo of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demo {
    /// A line about it, then commands without the name of the program, each below a comment. The word `QUESTION` is the id
    /// of the first open question that can be accepted; `KILLED` begins a command that does not end by itself.
    pub script: &'static str,
    /// Files, by their names below the folder of the demo. `replies.jsonl` are the replies of its model.
    pub files: &'static [(&'static str, &'static [u8])],
    /// Folders below that of the demo whose files are shown at the end.
    pub leaves: &'static [&'static str],
    /// Parts of its input, of which each call has one and other calls have none. Without them only the script plays it.
    pub marks: &'static [&'static str],
}

/// Files of the folder `demo` of a crate, by their names in it.
#[macro_export]
macro_rules! demo_files {
    ($($name:literal),* $(,)?) => {
        &[$((
            $name,
            include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/demo/", $name)),
        )),*]
    };
}

impl Demo {
    /// The line about the agent.
    pub fn about(&self) -> &'static str {
        self.script.lines().next().unwrap_or_default()
    }

    /// The commands, each behind its comment.
    pub fn commands(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
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
