//! The keys of the inbox screen, as its help lists them.

use crate::{
    output::{Span, plain, strong},
    wrap::indented,
};

/// A line for each key, behind a bar what it does.
const HELP: &str = "\
j k ↓ ↑|move; scroll the whole question
g G|the first, the last; PageUp and PageDown move by ten
Enter|show the whole question; again: back
a|accept the proposal
y|after a: yes, send it, or accept what was not shown in full
e|edit the arguments in $EDITOR, review the changes, accept; a dry run keeps them with the question
d|show what you edited, line by line
r|reject (final, even in a dry run), and give the assistant feedback
i|reject (final, even in a dry run), and leave the mail alone; u takes it back for some seconds
m|mark a mail that is shown as read; unlike i it teaches nothing
Space *|mark a question; mark all, or none
A|accept all that are marked, after naming who gets a mail; those with a warning (!) are left out
/|search: only questions with these words; Esc shows all
u|take the last i back; else look for changes of other programs
?|this list
Ctrl-C|stops runs that continue, or leaves; answers are kept
q|leave";

pub(super) fn help(width: usize) -> Vec<Vec<Span>> {
    let rows = HELP.lines().filter_map(|line| line.split_once('|'));
    let rows = rows.map(|(keys, about)| [strong(format!("  {keys:<10}")), plain(about)]);
    rows.flat_map(|row| indented(&row, width)).collect()
}
