//! Errors of a thread.

use serde_json::json;
use superstep::{Checkpoint, Error as RunError, tools::OutcomeQuestion};
use superstep_agent::{Block, Notice, Weight, faint, plain, strong};

use super::presented::call_of;
use crate::{Atris, AtrisState, Error, Node};

/// The errors of a thread, most frequent first, then one by one. Calls of which it is unknown whether they happened
/// come before. `resume` is the command that resumes the thread.
pub fn thread_errors(
    known: &Checkpoint<AtrisState, Node>,
    resume: &str,
) -> Result<Vec<Notice>, RunError> {
    let state = &known.state;
    let is_unsettled = Atris::is_unsettled(&known.next, state);
    let mut notices = Vec::new();
    // A process ended during the call, and no person was asked yet.
    if known.asks.is_empty() && is_unsettled {
        let operation = state.best_api.as_ref().map(|api| api.id.clone());
        let why = format!("the question was not finished; `{resume}` does that");
        notices.push(open(operation.unwrap_or_default(), why));
    }
    let asks = known.asks.iter();
    for ask in asks.filter(|ask| ask.is::<OutcomeQuestion>()) {
        let question = ask.question::<OutcomeQuestion>()?;
        notices.push(open(call_of(&question), question.description));
    }
    for (code, count) in state.error_frequencies() {
        let line = vec![strong(&code), plain(format!("  {count} times"))];
        let event = Notice::event(json!({"code": code, "count": count}));
        notices.push(event.with(vec![Block::Line(Weight::Data, line)]));
    }
    for problem in &state.error_history {
        let operation = problem.operation.as_deref().unwrap_or("no operation");
        let line = vec![
            faint(format!("  {} {operation}: ", problem.node)),
            plain(&problem.message),
            faint(format!(" [{}]", problem.code)),
        ];
        let event = Notice::event(json!({"error": problem}));
        notices.push(event.with(vec![Block::Line(Weight::Data, line)]));
    }
    if state.error_history.is_empty() && !is_unsettled {
        notices.push(Notice::say([plain("no errors")]).for_people());
    }
    Ok(notices)
}

/// A call of which it is unknown whether it happened.
fn open(operation: String, why: String) -> Notice {
    let error = Error::UnknownOutcome { operation, why };
    let line = vec![
        strong("open: "),
        plain(&error),
        faint(format!(" [{}]", error.code())),
    ];
    let open = json!({"code": error.code(), "message": error.to_string()});
    Notice::event(json!({"open": open})).with(vec![Block::Line(Weight::Data, line)])
}
