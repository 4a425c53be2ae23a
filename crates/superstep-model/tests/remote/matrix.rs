//! What networks and servers do wrong: one row each, for both protocols.
//!
//! A row is a test. HTTP/2 is not built in, so its row shows that a server that insists on it is
//! told apart from one that answers.

use std::{future::Future, time::Duration};

use serde_json::json;
use superstep_loopback::{Act, Answer, Server};
use superstep_model::{ErrorKind, Phase};

use crate::side::{KEY, SIDES, Side, client_within, failure, greeting, hello, success};

/// Makes a test of every row, and a list of all.
macro_rules! matrix {
    ($($name:ident => $row:expr;)*) => {
        const ROWS: &[&str] = &[$(stringify!($name)),*];

        $(
            #[tokio::test]
            async fn $name() {
                both($row).await;
            }
        )*
    };
}

matrix! {
    a_refused_connection_is_told => refused;
    a_name_that_does_not_exist_is_told => no_such_name;
    a_server_without_tls_is_told => no_tls;
    silence_ends_when_the_caller_leaves => silence;
    a_trickle_ends_when_the_caller_leaves => trickle;
    a_reset_anywhere_cuts_the_reply => reset_anywhere;
    a_reply_byte_by_byte_is_whole => bytewise;
    line_ends_marks_and_comments_do_not_matter => line_ends;
    a_reply_ends_by_its_reason_not_by_its_mark => no_end_mark;
    an_error_inside_of_a_reply_is_an_error => error_inside;
    a_page_is_no_reply => page;
    a_packed_answer_is_not_unpacked => bomb;
    a_server_that_wants_http_2_is_told => http_2;
    a_redirect_is_not_followed => redirect;
    status_400_is_refused => |side| status(side, 400, "SS5003");
    status_401_is_about_the_key => |side| status(side, 401, "SS5001");
    status_403_is_about_the_key => |side| status(side, 403, "SS5001");
    status_404_is_about_the_model => |side| status(side, 404, "SS5002");
    status_408_may_pass => |side| status(side, 408, "SS5006");
    status_409_may_pass => |side| status(side, 409, "SS5006");
    status_413_is_too_long => |side| status(side, 413, "SS5004");
    status_422_is_refused => |side| status(side, 422, "SS5003");
    status_429_is_a_limit => |side| status(side, 429, "SS5005");
    status_500_may_pass => |side| status(side, 500, "SS5006");
    status_502_may_pass => |side| status(side, 502, "SS5006");
    status_503_may_pass => |side| status(side, 503, "SS5006");
    status_504_may_pass => |side| status(side, 504, "SS5006");
    status_529_may_pass => |side| status(side, 529, "SS5006");
    retry_after_in_seconds_is_read => |side| retry_after(side, Some("7"), Some(7));
    retry_after_as_a_date_is_read =>
        |side| retry_after(side, Some("Sun, 06 Nov 1994 08:49:37 GMT"), Some(0));
    retry_after_may_be_absent => |side| retry_after(side, None, None);
    retry_after_of_ages_is_passed_on =>
        |side| retry_after(side, Some("1000000000"), Some(1_000_000_000));
}

#[test]
fn the_matrix_has_all_its_rows() {
    assert_eq!(ROWS.len(), 32);
}

async fn both<F: Future<Output = ()>>(row: impl Fn(Side) -> F) {
    for side in SIDES {
        row(side).await;
    }
}

async fn refused(side: Side) {
    let server = Server::start([]).await.unwrap();
    let address = server.address();
    // A port that was free a moment ago and on which nobody listens now.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    assert!(!address.ends_with(&format!(":{port}")));
    let model = side.model_at(client_within(TEN), &format!("http://127.0.0.1:{port}"));
    let error = failure(&*model).await;
    assert_eq!(error.code(), "SS5007", "{error}");
    assert!(error.is_transient());
}

async fn no_such_name(side: Side) {
    let model = side.model_at(client_within(TEN), "http://superstep.invalid");
    let error = failure(&*model).await;
    // A machine whose resolver is silent instead of knowing better gets to the same in time.
    let is_told = match error.kind() {
        ErrorKind::Connect { host, .. } => host == "superstep.invalid",
        ErrorKind::TimedOut { phase, .. } => *phase == Phase::Connection,
        _ => false,
    };
    assert!(is_told, "{error:?}");
}

async fn no_tls(side: Side) {
    let garbage = Answer::raw("HTTP/1.1 400 this is no TLS\r\n\r\n");
    let server = Server::on_connection(garbage).await.unwrap();
    let model = side.model_at(client_within(TEN), &format!("https://{}", server.host()));
    let error = failure(&*model).await;
    assert_eq!(error.code(), "SS5007", "{error}");
    assert_eq!(server.connections(), 1);
}

async fn silence(side: Side) {
    // No connection: the handshake is never answered.
    let server = Server::on_connection(Answer::hang()).await.unwrap();
    let limit = Duration::from_millis(50);
    let model = side.model_at(client_within(limit), &format!("https://{}", server.host()));
    let error = failure(&*model).await;
    let expected = ErrorKind::TimedOut {
        phase: Phase::Connection,
        after: limit,
    };
    assert_eq!(error.kind(), &expected);

    // A connection, but no answer: the call lasts until it is dropped.
    let server = Server::start([Answer::hang()]).await.unwrap();
    let model = side.model(&server);
    let request = hello();
    tokio::select! {
        _ = model.invoke(&request) => panic!("there is no answer"),
        () = server.asked(1) => {}
    }
    server.left(1).await;
}

async fn trickle(side: Side) {
    let text = side.stream(&greeting());
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    for sent in [&head[..1], head, &format!("{head}{}", &text[..1])] {
        let slow = Answer(vec![Act::Send(sent.as_bytes().to_vec()), Act::Hang]);
        let server = Server::start([slow]).await.unwrap();
        let model = side.model(&server);
        let request = hello();
        tokio::select! {
            _ = model.invoke(&request) => panic!("a part of an answer was taken for one"),
            () = server.hangs(1) => {}
        }
        server.left(1).await;
    }
}

async fn reset_anywhere(side: Side) {
    let text = side.stream(&greeting());
    let pieces: Vec<&[u8]> = text.split_inclusive("\n\n").map(str::as_bytes).collect();
    let ends = [r#""finish_reason":"stop""#, r#""stop_reason":"end_turn""#];
    for how in [Act::Reset, Act::Send(Vec::new())] {
        for sent in 0..pieces.len() {
            let said = String::from_utf8_lossy(&pieces[..sent].concat()).into_owned();
            let answer = Answer::then(pieces[..sent].iter().copied(), how.clone());
            let server = Server::start([answer]).await.unwrap();
            let reply = side.model(&server).invoke(&hello()).await;
            let has_end = ends.iter().any(|end| said.contains(end));
            match reply {
                Ok(reply) => {
                    assert!(has_end, "{side:?}: half a reply was taken for a whole one");
                    assert_eq!(reply.content, greeting().content);
                }
                Err(error) => assert_eq!(error.code(), "SS5009", "{side:?} {how:?} {sent}"),
            }
        }
    }
}

async fn bytewise(side: Side) {
    let answer = Answer::bytewise(&side.stream(&greeting()));
    let server = Server::start([answer]).await.unwrap();
    success(&*side.model(&server)).await;
}

async fn line_ends(side: Side) {
    let text = side.stream(&greeting());
    let variants = [
        text.replace('\n', "\r"),
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        format!(": welcome\n\n:\n{}", text.replace("\n\n", "\n\n: ping\n\n")),
        text.replace("data: ", "data:"),
        format!("\n\n{text}"),
    ];
    for variant in variants {
        let server = Server::start([Answer::events(&variant), Answer::bytewise(&variant)]).await;
        let server = server.unwrap();
        let model = side.model(&server);
        success(&*model).await;
        success(&*model).await;
    }
}

async fn no_end_mark(side: Side) {
    let text = side.stream(&greeting());
    let (marks, reasons) = match side {
        Side::OpenAi => ("data: [DONE]", "\"finish_reason\":\"stop\""),
        Side::Anthropic => ("event: message_stop", "event: message_delta"),
    };
    let without_mark = &text[..text.find(marks).unwrap()];
    let server = Server::start([Answer::events(without_mark)]).await.unwrap();
    success(&*side.model(&server)).await;

    let events = text.split_inclusive("\n\n");
    let (mark, reason): (Vec<&str>, Vec<&str>) = (vec![marks], vec![reasons]);
    let is_end = |event: &&str| mark.iter().chain(&reason).any(|end| event.contains(end));
    let cut: String = events.take_while(|event| !is_end(event)).collect();
    // Without chunks the end of the connection is the end of the answer: nothing else tells.
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    for answer in [Answer::events(&cut), Answer::raw(format!("{head}{cut}"))] {
        let server = Server::start([answer]).await.unwrap();
        let error = failure(&*side.model(&server)).await;
        assert_eq!(error.code(), "SS5009", "{error}");
    }
}

async fn error_inside(side: Side) {
    let text = side.stream(&greeting());
    let (first, _) = text.split_once("\n\n").unwrap();
    let kinds = [
        ("overloaded_error", "SS5006"),
        ("rate_limit_error", "SS5005"),
        ("server_error", "SS5006"),
        ("authentication_error", "SS5001"),
        ("context_length_exceeded", "SS5004"),
    ];
    for (kind, code) in kinds {
        let error = side.error(kind, &format!("no, {KEY}"));
        let stream = format!("{first}\n\nevent: error\ndata: {error}\n\n");
        let server = Server::start([Answer::events(&stream), Answer::json(200, &error)]).await;
        let server = server.unwrap();
        let model = side.model(&server);
        assert_eq!(failure(&*model).await.code(), code, "{kind}");
        assert_eq!(failure(&*model).await.code(), code, "{kind}, in one piece");
    }
}

async fn page(side: Side) {
    for media_type in ["text/html", "text/event-stream", "application/json"] {
        let page = "<!doctype html><title>Log in</title>";
        let answer = Answer::status(200, &[("content-type", media_type)], page);
        let server = Server::start([answer]).await.unwrap();
        let error = failure(&*side.model(&server)).await;
        assert_eq!(error.code(), "SS5010", "{error}");
        assert!(error.to_string().contains("HTML"), "{error}");
    }
}

async fn bomb(side: Side) {
    for encoding in ["gzip", "br", "zstd", "deflate"] {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: {encoding}\r\n\r\n"
        );
        let acts = vec![
            Act::Send(head.into_bytes()),
            Act::Repeat(vec![0; 4096], 4096),
        ];
        let server = Server::start([Answer(acts)]).await.unwrap();
        let error = failure(&*side.model(&server)).await;
        assert_eq!(error.code(), "SS5010", "{error}");
        assert_eq!(server.requests()[0].header("accept-encoding"), None);
    }
    // A bomb that is not packed: a line without an end.
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ";
    let acts = vec![
        Act::Send(head.as_bytes().to_vec()),
        Act::Repeat(vec![b'x'; 1 << 16], 1 << 10),
    ];
    let server = Server::start([Answer(acts)]).await.unwrap();
    assert_eq!(failure(&*side.model(&server)).await.code(), "SS5011");
}

async fn http_2(side: Side) {
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    let goaway = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let frames = Answer::raw([settings.as_slice(), goaway.as_slice()].concat());
    let server = Server::start([frames]).await.unwrap();
    let error = failure(&*side.model(&server)).await;
    assert_eq!(error.code(), "SS5010", "{error}");
}

async fn redirect(side: Side) {
    let other = Server::with(move |_| Answer::events(&side.stream(&greeting()))).await;
    let other = other.unwrap();
    for status in [301, 302, 303, 307, 308] {
        let to = format!("{}/v1/elsewhere", other.address());
        let server = Server::start([Answer::status(status, &[("location", &to)], "")]).await;
        let server = server.unwrap();
        let error = failure(&*side.model(&server)).await;
        let host = server.host();
        assert_eq!(error.kind(), &ErrorKind::Redirected { host });
        assert_eq!(server.requests().len(), 1);
    }
    assert_eq!(other.connections(), 0, "the key went to another server");
}

async fn status(side: Side, status: u16, code: &str) {
    let message = format!("the model cannot, {KEY} and sk-plant***cdef \u{1b}[31m");
    let reported = side.error("told", &message).to_string();
    let page = "<html>model</html>".to_owned();
    for body in [reported, page, String::new()] {
        let server = Server::start([Answer::status(status, &[], &body)])
            .await
            .unwrap();
        let error = failure(&*side.model(&server)).await;
        // A page says nothing about a model.
        let expected = match (status, body.starts_with('{')) {
            (404, false) => "SS5003",
            _ => code,
        };
        assert_eq!(error.code(), expected, "{error}");
        let transient = matches!(status, 408 | 409 | 429 | 500..);
        assert_eq!(error.is_transient(), transient, "{error}");
        assert_eq!(server.requests().len(), 1, "one attempt a call");
        assert!(!error.to_string().contains('\u{1b}'));
    }
    let too_long = match side {
        Side::OpenAi => json!({"error": {"message": "x", "code": "context_length_exceeded"}}),
        Side::Anthropic => side.error("invalid_request_error", "prompt is too long: 9 > 8"),
    };
    if matches!(status, 400 | 413 | 422) {
        let server = Server::start([Answer::json(status, &too_long)])
            .await
            .unwrap();
        let error = failure(&*side.model(&server)).await;
        assert_eq!(error.code(), "SS5004", "{error}");
    }
}

async fn retry_after(side: Side, header: Option<&str>, seconds: Option<u64>) {
    let headers: Vec<(&str, &str)> = header
        .map(|value| ("retry-after", value))
        .into_iter()
        .collect();
    let expected = seconds.map(Duration::from_secs);
    for status in [429, 503, 529] {
        let server = Server::start([Answer::status(status, &headers, "")])
            .await
            .unwrap();
        let error = failure(&*side.model(&server)).await;
        match error.kind() {
            ErrorKind::Limited { after, .. } | ErrorKind::Server { after, .. } => {
                assert_eq!(*after, expected);
            }
            other => panic!("{other:?}"),
        }
    }
}

const TEN: Duration = Duration::from_secs(10);
