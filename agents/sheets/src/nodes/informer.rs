//! Node `informer_node`: looks something up in the workbook by SQL, because the planner asks for it or
//! because each version is looked at before the planner sees it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use superstep::{
    Ctx, NodeError, Res, Snap,
    model::{Message, Request, Schema, structured},
    tools::Traced,
};

use super::tool::Step;
use crate::{
    error::{Error, node},
    mirror::{Mirror, Rows},
    progress::Progress,
    services::{Services, blocking},
    state::{KeyInfo, SheetsState, SheetsStateUpdate},
    tools::Inform,
};
/// The usual instructions of the informer.
const INFORMER: &str = include_str!("../../prompts/informer.md");

/// How often a query may be written.
const TRIES: usize = 3;

/// How many tokens a query may have.
const MAX_TOKENS: u32 = 600;

/// The longest list of tables that a model reads, in bytes.
const SCHEMA: usize = 12_000;

#[derive(Deserialize)]
struct Wanted {
    sql: String,
}

pub(crate) async fn informer_node(
    state: Snap<SheetsState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<SheetsStateUpdate, NodeError> {
    let services = services.0;
    let call = state.open_call().cloned();
    let question = call.as_ref().and_then(|call| {
        let args = serde_json::Value::Object(call.args.clone());
        serde_json::from_value::<Inform>(args).ok()
    });
    let book = services.workbook(&state.version).await.map_err(node)?;
    let limits = services.settings.query;
    let mirror = blocking(move || Mirror::of(&book, limits)).await;
    let mirror = Arc::new(mirror.map_err(node)?);
    let question = question.map(|inform| inform.question);
    let found = look_up(&state, &services, &ctx, &mirror, question.as_deref()).await?;
    let (sql, text) = match found {
        QueryResult::Nothing => (None, "nothing needs to be looked up".to_owned()),
        QueryResult::Rows(sql, rows) => (Some(sql), rows.to_string()),
        QueryResult::Failed(why) => (None, format!("no query could be made: {why}")),
    };
    ctx.emit(Progress::Informed {
        sql: sql.clone(),
        text: text.clone(),
    })
    .await;
    let Some(call) = call else {
        let info = KeyInfo {
            version: state.version.clone(),
            // What is not found out does not help.
            text: sql.as_ref().map(|_| text).unwrap_or_default(),
            sql,
        };
        return Ok(SheetsState::update().key_info(Some(info)));
    };
    let step = Step {
        state: &state,
        services: &services,
        ctx: &ctx,
        call: &call,
    };
    match sql {
        Some(sql) => step.observed(format!("{sql}\n{text}")).await,
        None => step.observed(text).await,
    }
}

enum QueryResult {
    Nothing,
    Rows(String, Rows),
    Failed(String),
}

/// Has the informer write a query, and again if it cannot be made.
async fn look_up(
    state: &SheetsState,
    services: &Services,
    ctx: &Ctx,
    mirror: &Arc<Mirror>,
    question: Option<&str>,
) -> Result<QueryResult, NodeError> {
    let system = services.settings.informer_prompt.as_deref();
    let schema = mirror.schema();
    let end = schema.floor_char_boundary(SCHEMA);
    let wanted = match question {
        Some(question) => format!("What is asked: {question}"),
        None => "Find out what helps with the next step.".to_owned(),
    };
    let last = state.messages.last().map(Message::text).unwrap_or_default();
    let last_end = last.floor_char_boundary(1_000);
    let mut messages = vec![
        Message::system(system.unwrap_or(INFORMER)),
        Message::user(format!("The instruction: {}", state.problem.instruction)),
        Message::untrusted(format!(
            "The tables:\n{}\nWhat happened last: {}",
            schema.get(..end).unwrap_or(&schema),
            last.get(..last_end).unwrap_or_default(),
        )),
        Message::user(wanted),
    ];
    let shape = json!({
        "type": "object",
        "properties": {"sql": {"type": "string"}},
        "required": ["sql"],
        "additionalProperties": false,
    });
    let shape = Schema::new("query", shape).map_err(|error| {
        node(Error::Settings {
            why: error.to_string(),
        })
    })?;
    let model = Traced {
        model: &*services.informer,
        ctx,
    };
    let mut why = String::new();
    for _ in 0..TRIES {
        let request = Request {
            max_tokens: Some(MAX_TOKENS),
            temperature: Some(0.0),
            ..Request::new(messages.clone())
        };
        let query = structured::<Wanted>(&model, request, &shape).await?.value;
        let sql = query.sql.trim().to_owned();
        if sql.is_empty() {
            return Ok(QueryResult::Nothing);
        }
        let (mirror, asked) = (mirror.clone(), sql.clone());
        match blocking(move || mirror.query(&asked)).await {
            Ok(rows) => return Ok(QueryResult::Rows(sql, rows)),
            Err(error) => {
                why = error.to_string();
                messages.push(Message::model(json!({"sql": sql}).to_string()));
                messages.push(Message::user(format!("It failed: {why}. Correct it.")));
            }
        }
    }
    Ok(QueryResult::Failed(why))
}
