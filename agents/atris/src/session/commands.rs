//! Lines of a session that are no questions and no answers.

use superstep_agent::{Notice, Reply, faint, plain, shown};

/// Leaves a question of the agent.
pub const SKIP: &str = "/skip";

/// Lists what can be said.
const HELP: &str = "/help";

const HELP_LINES: [&str; 8] = [
    "Ask about tracks, artists, playlists, coins, contests and genres on Audius, such as",
    "  top 10 trending tracks this week",
    "  how many followers does @novakane have?",
    "  compare plays of \"First Light\" and \"Paper Moons\"",
    "  their tracks; how long is the second one: about the answer before",
    "/skip  leaves a question that you are asked",
    "/help  shows this",
    "exit   ends the session, as Ctrl-D does",
];

/// The help, or that there is no such command.
pub fn help_of(command: &str) -> Vec<Notice> {
    if command == HELP {
        return HELP_LINES.map(|line| Notice::say([plain(line)])).to_vec();
    }
    let command = shown(command);
    let none = format!("there is no command {command}; {HELP} lists them");
    vec![Notice::say([plain(none)])]
}

/// The reply to a command; nothing if the line is none.
pub(super) fn reply(text: &str) -> Option<Reply> {
    match text {
        SKIP => {
            let left = Notice::say([faint("the question is left open")]);
            Some(Reply::Skip(vec![left]))
        }
        _ if text.starts_with('/') => Some(Reply::Shown(help_of(text))),
        _ => None,
    }
}
