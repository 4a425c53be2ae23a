//! An open question as screens show it: how the agent presents it, and the answers to choose from.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::{
    OpenAsk, ThreadId,
    dynamic::{DynAsk, Snapshot},
};
use superstep_agent::{Context, OpenAgent, short_id};

/// The most questions of a thread that are presented.
const MOST: usize = 100;

/// The surroundings of an agent on a server. Commands that it names are those of the command line.
pub(crate) fn context(thread: &ThreadId) -> Context {
    Context {
        thread: thread.as_str().to_owned(),
        commands: Arc::new(|words| format!("superstep {}", words.join(" "))),
    }
}

/// The open questions of a thread.
pub(crate) fn questions(agent: &mut dyn OpenAgent, state: &Snapshot) -> Vec<Json> {
    let Some(thread) = &state.thread else {
        return Vec::new();
    };
    let with = context(thread);
    let open = state.tasks.iter();
    let open = open.flat_map(|task| task.asks.iter().map(move |ask| (&*task.name, ask)));
    open.take(MOST)
        .map(|(node, ask)| question(agent, node, ask, &with))
        .collect()
}

/// Puts each question beside its interrupt in a state as clients see it, as `view`.
pub(crate) fn add_views(shown: &mut Json, questions: &[Json]) {
    let view_of = |interrupt: &Json| {
        let id = interrupt.get("id")?;
        let mut questions = questions.iter();
        questions.find(|question| question.get("interrupt_id") == Some(id))
    };
    let add = |interrupt: &mut Json| {
        let view = view_of(interrupt).cloned();
        if let (Some(view), Json::Object(fields)) = (view, interrupt) {
            fields.insert("view".to_owned(), view);
        }
    };
    let interrupts = |of: &mut Json| {
        let found = of.get_mut("interrupts").and_then(Json::as_array_mut);
        found.into_iter().flatten().for_each(add);
    };
    interrupts(shown);
    let tasks = shown.get_mut("tasks").and_then(Json::as_array_mut);
    tasks.into_iter().flatten().for_each(interrupts);
}

fn question(agent: &mut dyn OpenAgent, node: &str, ask: &DynAsk, with: &Context) -> Json {
    let open = OpenAsk::from(ask);
    let prompt = agent.present(&open, with).ok().map(|mut prompt| {
        // How to answer at a terminal.
        prompt.later.clear();
        prompt
    });
    let mut question = json!(agent.question_view(&open));
    if let Json::Object(fields) = &mut question {
        fields.insert("id".to_owned(), short_id(ask.id).into());
        fields.insert("interrupt_id".to_owned(), ask.id.to_string().into());
        fields.insert("node".to_owned(), node.into());
        fields.insert("prompt".to_owned(), json!(prompt));
    }
    question
}
