//! Gmail, as far as an assistant uses it.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value as Json, json};
use superstep_loopback::Request;

use crate::{
    mime::{self, Shown},
    search,
    store::{ChangeKind, Mail, Mails},
    wire::Answer,
};

/// Labels that every account has.
const LABELS: [&str; 8] = [
    "INBOX", "SENT", "DRAFT", "UNREAD", "IMPORTANT", "STARRED", "SPAM", "TRASH",
];

pub(crate) fn answer(mails: &mut Mails, request: &Request, path: &[&str]) -> Answer {
    match (request.method.as_str(), path) {
        ("GET", ["profile"]) => profile(mails),
        ("GET", ["labels"]) => labels(),
        ("GET", ["history"]) => history(mails, request),
        ("GET", ["messages"]) => list(mails, request),
        ("POST", ["messages"]) => put(mails, request, &[]),
        ("POST", ["messages", "import"]) => put(mails, request, &["INBOX", "UNREAD"]),
        ("POST", ["messages", "send"]) => send(mails, &request.body),
        ("POST", ["messages", "batchModify"]) => modify_many(mails, &request.body),
        ("GET", ["messages", id]) => get(mails, request, id),
        ("POST", ["messages", id, "modify"]) => modify(mails, &request.body, id),
        ("POST", ["messages", id, "trash"]) => trash(mails, id),
        ("GET", ["messages", id, "attachments", part]) => attachment(mails, id, part),
        ("GET", ["threads"]) => threads(mails, request),
        ("GET", ["threads", id]) => thread(mails, request, id),
        ("POST", ["threads", id, "modify"]) => modify_thread(mails, &request.body, id),
        ("GET", ["drafts"]) => drafts(mails),
        ("POST", ["drafts"]) => draft(mails, &request.body),
        ("POST", ["drafts", "send"]) => send_draft(mails, &request.body),
        _ => missing(),
    }
}

fn profile(mails: &Mails) -> Answer {
    let all = mails.newest();
    let mut threads: Vec<&str> = all.iter().map(|mail| mail.thread.as_str()).collect();
    threads.sort_unstable();
    threads.dedup();
    Answer::ok(&json!({
        "emailAddress": mails.owner, "messagesTotal": all.len(),
        "threadsTotal": threads.len(), "historyId": mails.history.to_string(),
    }))
}

fn labels() -> Answer {
    let label = |name: &&str| json!({"id": name, "name": name, "type": "system"});
    let labels: Vec<Json> = LABELS.iter().map(label).collect();
    Answer::ok(&json!({"labels": labels}))
}

fn list(mails: &Mails, request: &Request) -> Answer {
    let found = match found(mails, request) {
        Ok(found) => found,
        Err(answer) => return answer,
    };
    let show = |mail: &&Mail| json!({"id": mail.id, "threadId": mail.thread});
    page(request, "messages", &found, show)
}

fn threads(mails: &Mails, request: &Request) -> Answer {
    let mut found = match found(mails, request) {
        Ok(found) => found,
        Err(answer) => return answer,
    };
    let mut known: Vec<String> = Vec::new();
    found.retain(|mail| {
        let is_new = !known.contains(&mail.thread);
        known.push(mail.thread.clone());
        is_new
    });
    let show = |mail: &&Mail| {
        json!({
            "id": mail.thread, "snippet": snippet(mail), "historyId": mail.history.to_string(),
        })
    };
    page(request, "threads", &found, show)
}

fn found<'a>(mails: &'a Mails, request: &Request) -> Result<Vec<&'a Mail>, Answer> {
    let q = request.query_value("q").unwrap_or_default();
    let Some(term) = search::read(&q) else {
        return Err(Answer::refused(400, "invalidArgument", "Invalid query"));
    };
    let labels: Vec<String> = request
        .query()
        .into_iter()
        .filter_map(|(name, value)| (name == "labelIds").then_some(value))
        .collect();
    let is_hidden = |mail: &Mail| {
        ["SPAM", "TRASH"].iter().any(|place| {
            let is_there = mail.labels.iter().any(|label| label == place);
            is_there && !term.names_place(place) && !term.names_place("anywhere")
        })
    };
    let mut found = mails.newest();
    found.retain(|mail| {
        let has_labels = labels.iter().all(|label| mail.labels.contains(label));
        let is_late = mails.is_lagging && mail.labels.iter().any(|label| label == "SENT");
        has_labels && !is_hidden(mail) && !is_late && term.finds(mail)
    });
    Ok(found)
}

fn page<'a>(
    request: &Request,
    name: &str,
    found: &[&'a Mail],
    show: impl Fn(&&'a Mail) -> Json,
) -> Answer {
    let size = request
        .query_value("maxResults")
        .and_then(|size| size.parse().ok());
    let size: usize = size.unwrap_or(100).clamp(1, 500);
    let start = match request.query_value("pageToken") {
        None => 0,
        Some(token) => match token.strip_prefix("page-").and_then(|at| at.parse().ok()) {
            Some(start) => start,
            None => return Answer::refused(400, "invalidArgument", "Invalid pageToken"),
        },
    };
    let shown: Vec<Json> = found.iter().skip(start).take(size).map(show).collect();
    let mut shown_body = Map::new();
    let end = start + shown.len();
    // An empty page has no list at all, as the service does it.
    if !shown.is_empty() {
        shown_body.insert(name.to_owned(), shown.into());
    }
    if end < found.len() {
        shown_body.insert("nextPageToken".into(), format!("page-{end}").into());
    }
    shown_body.insert("resultSizeEstimate".into(), found.len().into());
    Answer::ok(&shown_body.into())
}

fn get(mails: &Mails, request: &Request, id: &str) -> Answer {
    match mails.get(id) {
        Some(mail) => {
            shown(mail, request).map_or_else(|answer| answer, |shown_body| Answer::ok(&shown_body))
        }
        None => missing(),
    }
}

fn thread(mails: &Mails, request: &Request, id: &str) -> Answer {
    let mails = mails.thread(id);
    let Some(last) = mails.last() else {
        return missing();
    };
    if request.query_value("format").as_deref() == Some("raw") {
        return Answer::refused(400, "invalidArgument", "Invalid format");
    }
    let history = last.history.to_string();
    let shown_body: Result<Vec<Json>, Answer> =
        mails.iter().map(|mail| shown(mail, request)).collect();
    match shown_body {
        Ok(shown_body) => {
            Answer::ok(&json!({"id": id, "historyId": history, "messages": shown_body}))
        }
        Err(answer) => answer,
    }
}

fn shown(mail: &Mail, request: &Request) -> Result<Json, Answer> {
    let mut shown_body = json!({
        "id": mail.id, "threadId": mail.thread, "labelIds": mail.labels,
        "snippet": snippet(mail), "historyId": mail.history.to_string(),
        "internalDate": mail.arrived.to_string(), "sizeEstimate": mail.raw.len(),
    });
    let mut add = |name: &str, value: Json| {
        if let Json::Object(fields) = &mut shown_body {
            fields.insert(name.to_owned(), value);
        }
    };
    match request.query_value("format").as_deref() {
        None | Some("full") => add("payload", mime::tree(&mail.raw, Shown::All)),
        Some("minimal") => {}
        Some("raw") => add("raw", URL_SAFE_NO_PAD.encode(&mail.raw).into()),
        Some("metadata") => {
            let wanted: Vec<String> = request
                .query()
                .into_iter()
                .filter_map(|(name, value)| (name == "metadataHeaders").then_some(value))
                .collect();
            let mut tree = mime::tree(&mail.raw, Shown::Headers);
            if let Some(Json::Array(headers)) = tree.get_mut("headers")
                && !wanted.is_empty()
            {
                headers.retain(|header| {
                    let name = header
                        .get("name")
                        .and_then(Json::as_str)
                        .unwrap_or_default();
                    wanted
                        .iter()
                        .any(|wanted| wanted.eq_ignore_ascii_case(name))
                });
            }
            add("payload", tree);
        }
        Some(_) => return Err(Answer::refused(400, "invalidArgument", "Invalid format")),
    }
    Ok(shown_body)
}

fn snippet(mail: &Mail) -> String {
    let text = String::from_utf8_lossy(&mail.raw);
    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    body.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(100)
        .collect()
}

fn raw_of(body: &Json) -> Result<Vec<u8>, Answer> {
    let raw = body.get("raw").and_then(Json::as_str).unwrap_or_default();
    let raw = URL_SAFE_NO_PAD.decode(raw.trim_end_matches('='));
    match raw {
        Ok(raw) if !raw.is_empty() => Ok(raw),
        _ => Err(Answer::refused(
            400,
            "invalidArgument",
            "'raw' RFC822 payload required",
        )),
    }
}

fn send(mails: &mut Mails, body: &Json) -> Answer {
    let raw = match raw_of(body) {
        Ok(raw) => raw,
        Err(answer) => return answer,
    };
    if crate::header::value(&raw, "To").is_none_or(|to| to.trim().is_empty()) {
        return Answer::refused(400, "invalidArgument", "Recipient address required");
    }
    let thread = body.get("threadId").and_then(Json::as_str);
    if thread.is_some_and(|thread| mails.thread(thread).is_empty()) {
        return missing();
    }
    let id = mails.send(&raw, thread);
    brief(mails, &id)
}

fn put(mails: &mut Mails, request: &Request, labels: &[&str]) -> Answer {
    let raw = match raw_of(&request.body) {
        Ok(raw) => raw,
        Err(answer) => return answer,
    };
    let thread = request.body.get("threadId").and_then(Json::as_str);
    let now = jiff::Timestamp::now().as_millisecond();
    let id = mails.put(&raw, thread.map(str::to_owned), now, labels);
    mails.label(&id, &names(&request.body, "labelIds"), &[]);
    brief(mails, &id)
}

fn modify(mails: &mut Mails, body: &Json, id: &str) -> Answer {
    let (add, remove) = (names(body, "addLabelIds"), names(body, "removeLabelIds"));
    if mails.label(id, &add, &remove) {
        return brief(mails, id);
    }
    missing()
}

fn modify_many(mails: &mut Mails, body: &Json) -> Answer {
    let (add, remove) = (names(body, "addLabelIds"), names(body, "removeLabelIds"));
    for id in names(body, "ids") {
        mails.label(&id, &add, &remove);
    }
    Answer::empty()
}

fn modify_thread(mails: &mut Mails, body: &Json, id: &str) -> Answer {
    let ids: Vec<String> = mails
        .thread(id)
        .iter()
        .map(|mail| mail.id.clone())
        .collect();
    if ids.is_empty() {
        return missing();
    }
    let (add, remove) = (names(body, "addLabelIds"), names(body, "removeLabelIds"));
    for id in &ids {
        mails.label(id, &add, &remove);
    }
    let shown_body: Vec<Json> = ids.iter().map(|id| json!({"id": id})).collect();
    Answer::ok(&json!({"id": id, "messages": shown_body}))
}

fn trash(mails: &mut Mails, id: &str) -> Answer {
    if mails.label(id, &["TRASH".into()], &["INBOX".into()]) {
        return brief(mails, id);
    }
    missing()
}

fn attachment(mails: &Mails, id: &str, part: &str) -> Answer {
    let found = mails
        .get(id)
        .and_then(|mail| mime::attachment(&mail.raw, part));
    found.map_or_else(missing, |shown_body| Answer::ok(&shown_body))
}

fn drafts(mails: &Mails) -> Answer {
    let drafts: Vec<Json> = mails
        .drafts
        .iter()
        .map(|(id, mail)| json!({"id": id, "message": {"id": mail}}))
        .collect();
    Answer::ok(&json!({"resultSizeEstimate": drafts.len(), "drafts": drafts}))
}

fn draft(mails: &mut Mails, body: &Json) -> Answer {
    let message = body.get("message").cloned().unwrap_or_default();
    let raw = match raw_of(&message) {
        Ok(raw) => raw,
        Err(answer) => return answer,
    };
    let thread = message.get("threadId").and_then(Json::as_str);
    let now = jiff::Timestamp::now().as_millisecond();
    let mail = mails.put(&raw, thread.map(str::to_owned), now, &["DRAFT"]);
    let id = format!("r{mail}");
    mails.drafts.insert(id.clone(), mail.clone());
    Answer::ok(&json!({"id": id, "message": {"id": mail, "labelIds": ["DRAFT"]}}))
}

fn send_draft(mails: &mut Mails, body: &Json) -> Answer {
    let id = body.get("id").and_then(Json::as_str).unwrap_or_default();
    let Some(draft) = mails.drafts.remove(id) else {
        return missing();
    };
    let Some(mail) = mails.get(&draft).cloned() else {
        return missing();
    };
    mails.remove(&draft);
    let id = mails.send(&mail.raw, Some(&mail.thread));
    brief(mails, &id)
}

fn history(mails: &Mails, request: &Request) -> Answer {
    let start: Option<u64> = request
        .query_value("startHistoryId")
        .and_then(|id| id.parse().ok());
    let Some(start) = start else {
        return Answer::refused(400, "invalidArgument", "startHistoryId is required");
    };
    if start < mails.oldest_history {
        return missing();
    }
    let mut items = Vec::new();
    for change in mails.changes.iter().filter(|change| change.at > start) {
        let thread = mails.get(&change.mail).map(|mail| mail.thread.clone());
        let message = json!({"id": change.mail, "threadId": thread});
        let (name, entry) = match &change.kind {
            ChangeKind::Arrived => ("messagesAdded", json!([{"message": message}])),
            ChangeKind::Labeled(labels) => (
                "labelsAdded",
                json!([{"message": message, "labelIds": labels}]),
            ),
            ChangeKind::Unlabelled(labels) => (
                "labelsRemoved",
                json!([{"message": message, "labelIds": labels}]),
            ),
        };
        items.push(json!({"id": change.at.to_string(), "messages": [message], name: entry}));
    }
    Answer::ok(&json!({"history": items, "historyId": mails.history.to_string()}))
}

fn names(body: &Json, name: &str) -> Vec<String> {
    let names = body.get(name).and_then(Json::as_array);
    let names = names.into_iter().flatten().filter_map(Json::as_str);
    names.map(str::to_owned).collect()
}

fn brief(mails: &Mails, id: &str) -> Answer {
    match mails.get(id) {
        Some(mail) => Answer::ok(&json!({
            "id": mail.id, "threadId": mail.thread, "labelIds": mail.labels,
        })),
        None => missing(),
    }
}

fn missing() -> Answer {
    Answer::refused(404, "notFound", "Requested entity was not found.")
}
