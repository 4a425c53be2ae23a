//! Questions for inboxes that know one form only: below `/inbox` every open question is a `HumanInterrupt`.
//!
//! A question that has that form stays as it is. Any other one comes as the arguments of an action, with an answer in
//! words allowed (`allow_respond`); such an answer reaches the graph as what its question takes. An answer is bound to
//! its question by id before the run is accepted (`runs::inbox_answer` does that for questions in the form on the other paths).

use std::{collections::HashMap, sync::Arc};

use axum::{
    body::{Body, to_bytes},
    extract::{FromRequest as _, Path, Request, State},
    http::header::CONTENT_LENGTH,
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use serde_json::{Map, Value as Json, json};
use superstep::dynamic::{DynAsk, state::Depth};

use crate::{
    app::App,
    owners::visitor::Visitor,
    refusal::Refusal,
    request::payload::Payload,
    runs::inbox_answer::{InboxAnswer, action},
};

/// What an action is called that is no more than a question.
const QUESTION: &str = "question";

/// The longest text that describes a question.
const LONGEST: usize = 4000;

/// Shows threads and states with every question in the form.
pub(crate) async fn shown(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    if !response.status().is_success() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Refusal::missing("the answer cannot be read").into_response();
    };
    let Ok(mut answer) = serde_json::from_slice::<Json>(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    wrap_all(&mut answer);
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(answer.to_string()))
}

/// Takes the answer of an inbox for the question that it fits.
pub(crate) async fn answered(
    State(app): State<Arc<App>>,
    Path(names): Path<HashMap<String, String>>,
    caller: Visitor,
    request: Request,
    next: Next,
) -> Response {
    let id = names.get("id").map(String::as_str).unwrap_or_default();
    match app.bound(&caller, id, request).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

impl App {
    /// The request with its answer bound to a question, if it has one of an inbox.
    async fn bound(
        &self,
        caller: &Visitor,
        thread: &str,
        request: Request,
    ) -> Result<Request, Refusal> {
        let (mut parts, body) = request.into_parts();
        let whole = Request::from_parts(parts.clone(), body);
        let mut fields: Map<String, Json> = Payload::from_request(whole, &()).await?.whole()?;
        let given = fields.get("command").and_then(|it| it.get("resume"));
        if let Some(answer) = given.and_then(InboxAnswer::of)
            && let Some(ask) = self.meant(caller, thread, &answer).await?
        {
            let value = understood(&ask, &answer)?;
            let bound = Map::from_iter([(ask.id.to_string(), value)]);
            if let Some(Json::Object(command)) = fields.get_mut("command") {
                command.insert("resume".to_owned(), Json::Object(bound));
            }
        }
        parts.headers.remove(CONTENT_LENGTH);
        let body = Json::Object(fields).to_string();
        Ok(Request::from_parts(parts, Body::from(body)))
    }

    /// The first open question of a thread that an answer fits; nothing if none is open, which the run is refused for.
    async fn meant(
        &self,
        caller: &Visitor,
        thread: &str,
        answer: &InboxAnswer<'_>,
    ) -> Result<Option<DynAsk>, Refusal> {
        // What is wrong with the thread its handler says.
        let Ok((id, record)) = self.find_thread(caller, thread).await else {
            return Ok(None);
        };
        let Some(Ok(hosted)) = record.graph().map(|graph| self.registry.graph(graph)) else {
            return Ok(None);
        };
        let thread = record.thread(&id);
        let state = hosted.graph.state(&thread, None, Depth::Here).await?;
        let asks: Vec<&DynAsk> = state.asks().collect();
        let fits = |ask: &&DynAsk| {
            let value = ask.value.to_json();
            match is_known(&value) {
                true => answer
                    .about
                    .is_none_or(|about| action(&value) == Some(about)),
                false => answer.kind == "response",
            }
        };
        let found = asks.iter().copied().find(fits);
        Ok(found.or(asks.first().copied()).cloned())
    }
}

/// What an answer says to a question, as its graph takes it.
fn understood(ask: &DynAsk, answer: &InboxAnswer<'_>) -> Result<Json, Refusal> {
    if is_known(&ask.value.to_json()) {
        return Ok(answer.whole.clone());
    }
    let words = || {
        Refusal::invalid(
            "this question takes an answer in words: `[{\"type\": \"response\", \"args\": TEXT}]`. To leave it, end the \
             thread: an update of its state as the node `__end__`",
        )
    };
    let text = answer.args.as_str().filter(|_| answer.kind == "response");
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    let text = text.ok_or_else(words)?;
    let schema = ask.schema.as_ref().map(|schema| schema.to_json());
    Ok(typed(text, schema.as_ref()))
}

/// A text as what a schema wants: a person writes `yes`, `12` or JSON where that is no text.
fn typed(text: &str, schema: Option<&Json>) -> Json {
    let as_text = || Json::String(text.to_owned());
    let is_of = |kind: &str| {
        let named = schema.and_then(|schema| schema.get("type"));
        match named {
            Some(Json::String(one)) => one == kind,
            Some(Json::Array(many)) => many.iter().any(|one| one == kind),
            _ => false,
        }
    };
    if schema.is_none() || is_of("string") {
        return as_text();
    }
    if is_of("boolean") {
        match &*text.to_lowercase() {
            "yes" | "y" | "true" | "ok" => return Json::Bool(true),
            "no" | "n" | "false" => return Json::Bool(false),
            _ => {}
        }
    }
    serde_json::from_str(text).unwrap_or_else(|_| as_text())
}

/// Puts every question of threads and states into the form.
fn wrap_all(answer: &mut Json) {
    match answer {
        Json::Array(many) => many.iter_mut().for_each(wrap_all),
        Json::Object(fields) => {
            if let Some(asked) = fields.get_mut("interrupts") {
                match asked {
                    Json::Object(by_task) => by_task.values_mut().for_each(wrap_list),
                    list => wrap_list(list),
                }
            }
            if let Some(Json::Array(tasks)) = fields.get_mut("tasks") {
                tasks.iter_mut().for_each(wrap_all);
            }
            // The state of a graph inside.
            if let Some(inner @ Json::Object(_)) = fields.get_mut("state") {
                wrap_all(inner);
            }
        }
        _ => {}
    }
}

fn wrap_list(asked: &mut Json) {
    for one in asked.as_array_mut().into_iter().flatten() {
        if let Some(value) = one.get_mut("value")
            && !is_known(value)
        {
            *value = wrapped(value);
        }
    }
}

/// Whether inboxes know what to do with a question.
fn is_known(value: &Json) -> bool {
    let has_form = |value: &Json| {
        action(value).is_some() || value.get("action_requests").is_some_and(Json::is_array)
    };
    match value {
        Json::String(text) => serde_json::from_str(text).is_ok_and(|read| has_form(&read)),
        value => has_form(value),
    }
}

/// A question in the form, which can be answered in words.
fn wrapped(value: &Json) -> Json {
    let args = match value {
        Json::Object(fields) => Json::Object(fields.clone()),
        other => json!({ "question": other }),
    };
    let asks = ["question", "query", "prompt", "message"];
    let text = match value {
        Json::String(text) => Some(text.as_str()),
        value => asks.iter().find_map(|name| value.get(name)?.as_str()),
    };
    let text = text.map(str::to_owned).unwrap_or_else(|| value.to_string());
    let text: String = text.chars().take(LONGEST).collect();
    json!([{
        "action_request": { "action": QUESTION, "args": args },
        "config": {
            "allow_accept": false,
            "allow_edit": false,
            "allow_respond": true,
            "allow_ignore": false,
        },
        "description": escaped(&text),
    }])
}

/// A text as Markdown that shows it as it is: nothing in it is a link, an image or HTML.
fn escaped(text: &str) -> String {
    let mut markdown = String::with_capacity(text.len() * 2);
    for sign in text.chars() {
        match sign {
            '\n' => markdown.push_str("  \n"),
            sign if sign.is_ascii_punctuation() => markdown.extend(['\\', sign]),
            sign => markdown.push(sign),
        }
    }
    markdown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_in_the_form_stays_as_it_is() {
        let item = json!({"action_request": {"action": "send", "args": {}}, "config": {}});
        for known in [
            item.clone(),
            json!([item]),
            json!(item.to_string()),
            json!({"action_requests": [], "review_configs": []}),
        ] {
            let mut answer = json!([{"interrupts": {"t": [{"id": "a", "value": known}]}}]);
            let before = answer.clone();
            wrap_all(&mut answer);
            assert_eq!(answer, before);
        }
    }

    #[test]
    fn any_other_question_can_be_answered_in_words() {
        let mut answer = json!({
            "interrupts": [{"id": "a", "value": "Which one? ![x](http://a.example/p.png)"}],
            "tasks": [{"interrupts": [{"id": "a", "value": {"draft": "d", "question": "ok?"}}]}],
        });
        wrap_all(&mut answer);
        let first = &answer["interrupts"][0]["value"][0];
        assert_eq!(first["config"]["allow_respond"], true);
        let about = first["description"].as_str().unwrap();
        assert!(about.contains("\\!\\[x\\]\\(http\\:\\/\\/"), "{about}");
        let second = &answer["tasks"][0]["interrupts"][0]["value"][0];
        assert_eq!(second["action_request"]["args"]["draft"], "d");
        assert_eq!(second["description"], "ok\\?");
    }

    #[test]
    fn words_become_what_the_question_takes() {
        let of = |kind: &str| json!({ "type": kind });
        assert_eq!(typed("yes", None), json!("yes"));
        assert_eq!(typed("12", Some(&of("string"))), json!("12"));
        assert_eq!(typed("12", Some(&of("integer"))), json!(12));
        assert_eq!(typed("Yes", Some(&of("boolean"))), json!(true));
        assert_eq!(typed("no", Some(&of("boolean"))), json!(false));
        assert_eq!(typed("perhaps", Some(&of("boolean"))), json!("perhaps"));
        assert_eq!(typed("{\"a\": 1}", Some(&of("object"))), json!({"a": 1}));
    }
}
