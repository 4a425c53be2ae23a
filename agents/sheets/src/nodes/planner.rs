//! Node `planner_node`: the planner says what it thinks and names one action. A reply without an action
//! is answered with what is wrong, a few times in a row.

use std::sync::Arc;

use superstep::{
    Ctx, NodeError, Res, Snap,
    model::{
        Body, Label, Message, ToolCall, ToolSpec,
        message::{Reply, ToolReply, ToolStatus},
    },
    tools::{Tools, stream_reply},
};

use crate::{
    cell_errors::new_errors,
    error::{Error, node},
    progress::Progress,
    prompt, protocol,
    services::{Services, blocking},
    settings::MAX_FORMAT_ERRORS,
    state::{Problem, SheetsState, SheetsStateUpdate, Status},
    tools::{Action, FINISH, specs},
};

pub(crate) async fn planner_node(
    state: Snap<SheetsState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<SheetsStateUpdate, NodeError> {
    let is_begun_by_data = state.version.is_empty() || state.status != Status::Running;
    if is_begun_by_data {
        return load(&state, &services.0).await.map_err(node);
    }
    // The informer goes first; the route sees it too.
    if state.wants_info() {
        return Ok(SheetsState::update());
    }
    let (tools, _) = services.tools(&state.problem.file, None).map_err(node)?;
    let specs = specs(&tools);
    let request = prompt::request(
        &state,
        &services.settings,
        &*services.planner,
        specs.clone(),
    );
    let mut message = stream_reply(&ctx, &services.planner, &request).await?;
    let chosen = match &mut message.body {
        Body::Model(reply) => choose(reply, &tools, &specs, &ctx),
        _ => Chosen::Wrong(Vec::new(), "it is no reply".into()),
    };
    let thought = thought(&message);
    let mut added = vec![message];
    match chosen {
        Chosen::Action(action, others) => {
            added.extend(others);
            let (name, max_steps) = (action.name().to_owned(), state.last_step());
            let is_taken = matches!(action, Action::Finish(..)) || state.step < state.max_steps;
            ctx.emit(match is_taken {
                true => Progress::Planned {
                    step: state.taken().saturating_add(1),
                    max_steps,
                    thought,
                    action: name,
                },
                false => Progress::NotTaken {
                    max_steps,
                    thought,
                    action: name,
                },
            })
            .await;
            let update = begun(&state).format_errors(0_u32);
            let errors = match &action {
                Action::Finish(..) => unseen_errors(&state, &services.0).await.map_err(node)?,
                _ => Vec::new(),
            };
            Ok(match action {
                Action::Finish(call, _) if !errors.is_empty() => {
                    let why = format!(
                        "not finished yet: these cells show errors that the workbook did not have before:\n{}\n\
                         Correct them, or call Finish again and say in the answer why they are there.",
                        errors.join("\n")
                    );
                    // Which sheets there are is said by the workbook.
                    let told = reply_to(&call, ToolStatus::Error, &why).labeled(Label::Untrusted);
                    added.push(told);
                    update.messages(added)
                }
                Action::Finish(call, answer) => {
                    added.push(reply_to(&call, ToolStatus::Success, "the work ends here"));
                    update
                        .messages(added)
                        .answer(Some(answer))
                        .status(Status::Finished)
                }
                Action::Call(_) | Action::Inform(_) | Action::Undo(_) => update.messages(added),
            })
        }
        Chosen::Wrong(reported, why) => {
            added.extend(reported);
            let count = state.format_errors + 1;
            ctx.emit(Progress::FormatError { count, why }).await;
            let update = begun(&state).messages(added).format_errors(count);
            Ok(match count >= MAX_FORMAT_ERRORS {
                true => update.status(Status::FormatErrors),
                false => update,
            })
        }
    }
}

/// The new errors of the workbook if the planner has not tried to finish before in this instruction, and can still correct
/// something.
async fn unseen_errors(
    state: &SheetsState,
    services: &Arc<Services>,
) -> Result<Vec<String>, Error> {
    let said = state.messages.iter().rev();
    let has_tried = said
        .take_while(|message| !is_instruction(message))
        .any(|message| matches!(&message.body, Body::Tool(reply) if reply.name == FINISH));
    if has_tried || state.step >= state.max_steps || state.version == state.problem.workbook {
        return Ok(Vec::new());
    }
    let before = services.workbook(&state.problem.workbook).await?;
    let after = services.workbook(&state.version).await?;
    blocking(move || Ok(new_errors(&before, &after))).await
}

/// Whether a person said it, not the program in the user's turn.
fn is_instruction(message: &Message) -> bool {
    matches!(message.body, Body::User { .. }) && message.label() != Label::Model
}

/// Clears what new input leaves behind: input from outside cannot, since these fields are sealed.
fn begun(state: &SheetsState) -> SheetsStateUpdate {
    let update = SheetsState::update()
        .proposal(None)
        .given(state.problem.workbook.clone());
    let update = match state.step {
        0 => update.earlier(Vec::new()),
        _ => update,
    };
    let last = state.op_log.last();
    // Another workbook took the place of the one that was worked on.
    match last.is_none_or(|last| last.version != state.version) {
        true => update.overwritten(0_u64).own_sheets(Vec::new()),
        false => update,
    }
}

/// What the planner says about its action; what it thought aloud if it says nothing.
fn thought(message: &Message) -> String {
    let said = message.text();
    let reasoning = message.reply().map(|reply| reply.reasoning.as_slice());
    match said.trim().is_empty() {
        true => reasoning
            .unwrap_or_default()
            .iter()
            .map(|piece| piece.text.as_str())
            .collect(),
        false => said,
    }
}

/// The first look at a run that was begun by data alone: an instruction, and the hash of a workbook or none to continue
/// with what the thread has come to.
async fn load(state: &SheetsState, services: &Arc<Services>) -> Result<SheetsStateUpdate, Error> {
    let Problem {
        instruction,
        workbook,
        ..
    } = &state.problem;
    let (given, workbook) = match (workbook.is_empty(), state.given.is_empty()) {
        (false, _) => (workbook, workbook),
        (true, false) => (&state.given, &state.version),
        (true, true) => (&state.version, &state.version),
    };
    if workbook.is_empty() {
        return Err(Error::NoWorkbook);
    }
    if instruction.trim().is_empty() {
        return Err(Error::NoInstruction);
    }
    let book = services.workbook(workbook).await?;
    let settings = &services.settings;
    let names = book.sheets.iter().map(|sheet| sheet.name.clone());
    let problem = Problem {
        sheets: names.collect(),
        workbook: given.clone(),
        // Paths are no business of who sends data.
        input: None,
        output: None,
        ..state.problem.clone()
    };
    let update = SheetsState::update()
        .version(workbook.clone())
        .own_sheets(match *workbook == state.version {
            true => state.own_sheets.clone(),
            false => Vec::new(),
        })
        .step(0_u32)
        .key_info(None)
        .proposal(None)
        .overwritten(match *workbook == state.version {
            true => state.overwritten,
            false => 0,
        })
        .format_errors(0_u32)
        .answer(None)
        .status(Status::Running)
        .verification(None)
        .sheet_state(services.describe(&book))
        .with_informer(state.with_informer || settings.with_informer)
        .max_steps(match state.max_steps {
            0 => settings.max_steps,
            steps => steps,
        })
        .problem(problem);
    let is_another = state.status != Status::Running;
    Ok(match is_another || state.messages.is_empty() {
        true => update.messages(vec![Message::user(instruction.trim())]),
        false => update,
    })
}

/// What a reply comes to.
enum Chosen {
    /// An action, and what the model reads about others that it wanted at the same time.
    Action(Action, Vec<Message>),
    /// None: what the model reads about it, and what is wrong.
    Wrong(Vec<Message>, String),
}

/// The first action of a reply that can be taken. One that is in its text becomes a call.
fn choose(reply: &mut Reply, tools: &Tools, specs: &[ToolSpec], ctx: &Ctx) -> Chosen {
    let is_silent = reply.tool_calls.is_empty() && reply.invalid_tool_calls.is_empty();
    if is_silent {
        let text = reply.content.text();
        match protocol::parse(&text, specs) {
            Ok(Some(action)) => {
                let id = ctx.idempotency_key("action");
                reply.tool_calls.push(protocol::call(action, id));
            }
            Ok(None) => {
                return wrong(
                    "the reply names no action. Call exactly one tool. To end the work, call Finish, or reply with \
                     {\"name\": \"Finish\", \"arguments\": {\"answer\": \"what was done\"}}",
                );
            }
            Err(why) => return wrong(&why),
        }
    }
    let mut action = None;
    let mut others = Vec::new();
    let mut problems = Vec::new();
    for call in &reply.invalid_tool_calls {
        let why = format!("the arguments are not a JSON object: {}", call.error);
        others.push(Message::from(ToolReply {
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            content: why.clone().into(),
            status: ToolStatus::Error,
        }));
        problems.push(why);
    }
    for call in &reply.tool_calls {
        match (Action::of(call, tools), &action) {
            (Ok(first), None) => action = Some(first),
            (Ok(_), Some(_)) => {
                let why = "not taken: one action at a time";
                others.push(reply_to(call, ToolStatus::Error, why));
            }
            (Err(why), _) => {
                others.push(reply_to(call, ToolStatus::Error, &why));
                problems.push(why);
            }
        }
    }
    match action {
        Some(action) => Chosen::Action(action, others),
        None => Chosen::Wrong(others, problems.join("; ")),
    }
}

/// What the model reads in the user's turn; it is not the user who says it.
fn wrong(why: &str) -> Chosen {
    let reported = Message::user(format!("Format error: {why}.")).labeled(Label::Model);
    Chosen::Wrong(vec![reported], why.to_owned())
}

fn reply_to(call: &ToolCall, status: ToolStatus, text: &str) -> Message {
    Message::from(ToolReply {
        tool_call_id: call.id.clone(),
        name: call.name.clone(),
        content: text.into(),
        status,
    })
}
