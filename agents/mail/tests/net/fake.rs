//! The fake Google itself: it answers as the service does, so that what passes here passes there.

use serde_json::{Value as Json, json};
use superstep_fake_google::Google;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{mails::mail, setup::server};

/// A call, with the status and the body of its answer.
async fn call(server: &Google, method: &str, path: &str, body: Json) -> (u16, Json) {
    let address = server.address();
    let mut stream = TcpStream::connect(address.strip_prefix("http://").unwrap())
        .await
        .unwrap();
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let token = server.token()["token"].as_str().unwrap().to_owned();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nauthorization: Bearer {token}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_default())
}

async fn get(server: &Google, path: &str) -> Json {
    let (status, body) = call(server, "GET", path, Json::Null).await;
    assert_eq!(status, 200, "{path}: {body}");
    body
}

const MAIL: &str = "/gmail/v1/users/me";
const CALENDAR: &str = "/calendar/v3";

#[tokio::test]
async fn lists_have_ids_alone_and_go_by_pages() {
    let server = server().await;
    for n in 0..5 {
        server.deliver(&mail("b@b.example", "s", &format!("{n}@b")), 1000 + n);
    }
    let first = get(&server, &format!("{MAIL}/messages?maxResults=2")).await;
    let entry = &first["messages"][0];
    let names: Vec<&String> = entry.as_object().unwrap().keys().collect();
    assert_eq!(names, ["id", "threadId"]);
    let token = first["nextPageToken"].as_str().unwrap();
    let path = format!("{MAIL}/messages?maxResults=3&pageToken={token}");
    let second = get(&server, &path).await;
    assert_eq!(second["messages"].as_array().unwrap().len(), 3);
    assert!(second.get("nextPageToken").is_none());
    let none = get(&server, &format!("{MAIL}/messages?q=from:nobody")).await;
    assert!(none.get("messages").is_none(), "an empty list is left out");
    let (status, message) = call(
        &server,
        "GET",
        &format!("{MAIL}/messages?pageToken=x"),
        Json::Null,
    )
    .await;
    assert_eq!(
        (status, message["error"]["code"].as_u64()),
        (400, Some(400))
    );
    assert_eq!(message["error"]["errors"][0]["reason"], "invalidArgument");
}

#[tokio::test]
async fn a_mail_comes_in_four_forms() {
    let server = server().await;
    let text = "From: b@b.example\r\nSubject: s\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n\
        --x\r\nContent-Type: text/plain\r\n\r\nhello\r\n--x\r\n\
        Content-Type: application/pdf; name=\"a.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\n\
        aGV5\r\n--x--\r\n";
    let id = server.deliver(text.as_bytes(), 1000);
    let form =
        async |form: &str| get(&server, &format!("{MAIL}/messages/{id}?format={form}")).await;
    let full = form("full").await;
    assert_eq!(full["payload"]["mimeType"], "multipart/mixed");
    assert_eq!(full["internalDate"], "1000000");
    assert_eq!(full["payload"]["parts"][0]["body"]["data"], "aGVsbG8NCg==");
    let attachment = &full["payload"]["parts"][1]["body"]["attachmentId"];
    let attachment = attachment.as_str().unwrap();
    let file = get(
        &server,
        &format!("{MAIL}/messages/{id}/attachments/{attachment}"),
    )
    .await;
    assert_eq!(file["data"], "aGV5");
    let metadata = form("metadata&metadataHeaders=subject").await;
    assert_eq!(
        metadata["payload"]["headers"],
        json!([{"name": "Subject", "value": "s"}])
    );
    assert!(metadata["payload"].get("parts").is_none());
    let minimal = form("minimal").await;
    assert!(minimal.get("payload").is_none() && minimal.get("raw").is_none());
    assert!(form("raw").await["raw"].is_string());
}

#[tokio::test]
async fn what_changed_is_told_until_it_is_too_old() {
    let server = server().await;
    let start = get(&server, &format!("{MAIL}/profile")).await["historyId"].clone();
    let start = start.as_str().unwrap();
    let id = server.deliver(&mail("b@b.example", "s", "1@b"), 1000);
    let body = json!({"removeLabelIds": ["UNREAD"]});
    call(
        &server,
        "POST",
        &format!("{MAIL}/messages/{id}/modify"),
        body,
    )
    .await;
    let path = format!("{MAIL}/history?startHistoryId={start}");
    let reported = get(&server, &path).await;
    assert_eq!(
        reported["history"][0]["messagesAdded"][0]["message"]["id"],
        id.as_str()
    );
    assert_eq!(
        reported["history"][1]["labelsRemoved"][0]["labelIds"],
        json!(["UNREAD"])
    );
    server.forget_history();
    assert_eq!(call(&server, "GET", &path, Json::Null).await.0, 404);
}

#[tokio::test]
async fn drafts_labels_threads_and_the_trash_are_there() {
    let server = server().await;
    let id = server.deliver(&mail("b@b.example", "Lunch", "first@b.example"), 1000);
    let labels = get(&server, &format!("{MAIL}/labels")).await;
    assert_eq!(labels["labels"][0]["id"], "INBOX");
    // To: c@c.example, Subject: d, an empty line and a word.
    let raw = "VG86IGNAYy5leGFtcGxlDQpTdWJqZWN0OiBkDQoNCmhleQ";
    let (_, draft) = call(
        &server,
        "POST",
        &format!("{MAIL}/drafts"),
        json!({"message": {"raw": raw}}),
    )
    .await;
    let drafts = get(&server, &format!("{MAIL}/drafts")).await;
    assert_eq!(drafts["drafts"][0]["id"], draft["id"]);
    let body = json!({"id": draft["id"]});
    let (status, sent) = call(&server, "POST", &format!("{MAIL}/drafts/send"), body).await;
    assert_eq!((status, &sent["labelIds"]), (200, &json!(["SENT"])));
    assert_eq!(server.sent().len(), 1);
    let threads = get(&server, &format!("{MAIL}/threads")).await;
    assert_eq!(threads["threads"].as_array().unwrap().len(), 2);
    let body = json!({"addLabelIds": ["STARRED"]});
    call(
        &server,
        "POST",
        &format!("{MAIL}/threads/{id}/modify"),
        body,
    )
    .await;
    let body = json!({"ids": [id], "removeLabelIds": ["UNREAD"]});
    let (status, _) = call(
        &server,
        "POST",
        &format!("{MAIL}/messages/batchModify"),
        body,
    )
    .await;
    assert_eq!(
        (status, server.labels(&id)),
        (204, vec!["INBOX".to_owned(), "STARRED".to_owned()])
    );
    call(
        &server,
        "POST",
        &format!("{MAIL}/messages/{id}/trash"),
        Json::Null,
    )
    .await;
    let found = get(&server, &format!("{MAIL}/messages?q=subject:lunch")).await;
    assert!(
        found.get("messages").is_none(),
        "what is in the trash is not found"
    );
    let found = get(
        &server,
        &format!("{MAIL}/messages?q=in:trash+subject:lunch"),
    )
    .await;
    assert_eq!(found["messages"][0]["id"], id.as_str());
    let (status, reported) = call(
        &server,
        "POST",
        &format!("{MAIL}/messages/send"),
        json!({"raw": "Zm9v"}),
    )
    .await;
    assert_eq!(
        (status, &reported["error"]["message"]),
        (400, &json!("Recipient address required"))
    );
}

#[tokio::test]
async fn events_are_changed_deleted_and_not_made_twice() {
    let server = server().await;
    let events = format!("{CALENDAR}/calendars/primary/events");
    let event = json!({
        "id": "abcde", "summary": "Lunch", "attendees": [{"email": "b@b.example"}],
        "start": {"dateTime": "2026-03-30T12:00:00+02:00"},
        "end": {"dateTime": "2026-03-30T13:00:00+02:00"},
    });
    let (status, _) = call(&server, "POST", &events, event.clone()).await;
    assert_eq!(
        (status, server.invited().len()),
        (200, 0),
        "nobody is message unless it is asked for"
    );
    let (status, reported) = call(&server, "POST", &events, event.clone()).await;
    assert_eq!(
        (status, &reported["error"]["status"]),
        (409, &json!("ALREADY_EXISTS"))
    );
    let one = format!("{events}/abcde");
    let (_, changed) = call(&server, "PATCH", &one, json!({"summary": "Dinner"})).await;
    assert_eq!(changed["summary"], "Dinner");
    let unordered = format!("{events}?orderBy=startTime");
    assert_eq!(call(&server, "GET", &unordered, Json::Null).await.0, 400);
    assert_eq!(call(&server, "DELETE", &one, Json::Null).await.0, 204);
    assert_eq!(call(&server, "DELETE", &one, Json::Null).await.0, 410);
    assert_eq!(
        call(&server, "POST", &events, event).await.0,
        409,
        "its id stays taken"
    );
    let listed = get(&server, &format!("{events}?singleEvents=true")).await;
    assert_eq!(listed["items"], json!([]));
    let calendars = get(&server, &format!("{CALENDAR}/users/me/calendarList")).await;
    assert_eq!(calendars["items"][0]["timeZone"], "Europe/Berlin");
    let body = json!({
        "timeMin": "2026-03-30T00:00:00Z", "timeMax": "2026-03-31T00:00:00Z",
        "items": [{"id": "nobody@example.org"}],
    });
    let (_, busy) = call(&server, "POST", &format!("{CALENDAR}/freeBusy"), body).await;
    let errors = &busy["calendars"]["nobody@example.org"]["errors"];
    assert_eq!(errors[0]["reason"], "notFound");
}
