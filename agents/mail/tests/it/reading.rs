//! Mail as it comes in the wild, read without losing the reader.

use superstep::model::Script;
use superstep_mail::{Ingested, parse};

use crate::fixture::{Fixture, class, done, reply, responder, take_in, turns};

const HEAD: &str =
    "From: Ann <ann@example.org>\r\nTo: me@example.org\r\nSubject: s\r\nMIME-Version: 1.0\r\n";

fn with(head: &str, body: &str) -> String {
    format!("{HEAD}{head}\r\n\r\n{body}")
}

#[test]
fn a_mail_of_html_alone_is_read_as_text() {
    let html = "<html><head><style>p{}</style></head><body><p>Hello &amp; welcome</p>\
                <script>alert(1)</script><p>Bye</p></body></html>";
    let mail = parse(with("Content-Type: text/html; charset=utf-8", html).as_bytes()).unwrap();
    assert!(
        mail.text.contains("Hello & welcome") && mail.text.contains("Bye"),
        "{}",
        mail.text
    );
    assert!(!mail.text.contains('<') && !mail.text.contains("alert") && !mail.text.contains("p{}"));
}

#[test]
fn text_is_preferred_to_html() {
    let body = "--b\r\nContent-Type: text/plain\r\n\r\nplain\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>html</p>\r\n--b--\r\n";
    let mail =
        parse(with("Content-Type: multipart/alternative; boundary=b", body).as_bytes()).unwrap();
    assert_eq!(mail.text, "plain");
}

#[test]
fn charsets_of_all_kinds_are_read() {
    let mut japanese = with("Content-Type: text/plain; charset=ISO-2022-JP", "").into_bytes();
    japanese.extend(b"\x1b$B$3$s$K$A$O\x1b(B");
    assert_eq!(parse(&japanese).unwrap().text, "こんにちは");
    let mut latin = with("Content-Type: text/plain; charset=iso-8859-1", "").into_bytes();
    latin.extend(b"Gr\xfc\xdfe");
    assert_eq!(parse(&latin).unwrap().text, "Grüße");
    let mut cyrillic = with("Content-Type: text/plain; charset=koi8-r", "").into_bytes();
    cyrillic.extend(b"\xf0\xd2\xc9\xd7\xc5\xd4");
    assert_eq!(parse(&cyrillic).unwrap().text, "Привет");
    let encoded = "From: =?utf-8?B?w4RubmU=?= <ann@example.org>\r\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\n\r\nx";
    let mail = parse(encoded.as_bytes()).unwrap();
    assert_eq!(mail.subject, "Grüße");
    assert_eq!(mail.from.unwrap().name.as_deref(), Some("Änne"));
    let quoted = with(
        "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable",
        "Gr=C3=BC=C3=9Fe =\r\nalle",
    );
    assert_eq!(parse(quoted.as_bytes()).unwrap().text, "Grüße alle");
}

#[test]
fn attachments_are_named_and_measured_and_invitations_noted() {
    let body = "--b\r\nContent-Type: text/plain\r\n\r\nsee files\r\n\
        --b\r\nContent-Type: application/pdf; name=\"bill.pdf\"\r\nContent-Disposition: attachment; filename=\"bill\r\n .pdf\"\r\n\
        Content-Transfer-Encoding: base64\r\n\r\nSGVsbG8gd29ybGQ=\r\n\
        --b\r\nContent-Type: text/calendar; method=REQUEST; name=invite.ics\r\nContent-Disposition: attachment\r\n\r\nBEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n--b--\r\n";
    let mail = parse(with("Content-Type: multipart/mixed; boundary=b", body).as_bytes()).unwrap();
    assert_eq!(mail.text, "see files");
    assert_eq!(mail.attachments.len(), 2, "{:?}", mail.attachments);
    let bill = &mail.attachments[0];
    assert_eq!(
        (bill.media_type.as_str(), bill.bytes),
        ("application/pdf", 11)
    );
    assert!(bill.name.as_deref().unwrap().starts_with("bill"));
    assert!(mail.attachments[1].is_meeting);
}

#[test]
fn an_attachment_of_forty_megabytes_leaves_a_small_mail() {
    let line = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB\r\n";
    let mut body = String::from(
        "--b\r\nContent-Type: text/plain\r\n\r\nbig\r\n--b\r\nContent-Type: application/zip\r\nContent-Disposition: attachment; filename=big.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n",
    );
    body.push_str(&line.repeat(40 * 1024 * 1024 / 57));
    body.push_str("--b--\r\n");
    let mail = parse(with("Content-Type: multipart/mixed; boundary=b", &body).as_bytes()).unwrap();
    assert_eq!(mail.text, "big");
    assert!(mail.attachments[0].bytes > 39 * 1024 * 1024);
    assert!(
        serde_json::to_string(&mail).unwrap().len() < 2_000,
        "its bytes are not kept"
    );
}

#[test]
fn a_very_long_text_is_cut_and_says_so() {
    let mail =
        parse(with("Content-Type: text/plain", &"word ".repeat(200_000)).as_bytes()).unwrap();
    assert!(mail.text.len() <= 256 * 1024);
    assert!(
        mail.problems.iter().any(|it| it.contains("cut")),
        "{:?}",
        mail.problems
    );
}

#[test]
fn bytes_that_are_no_mail_are_no_reason_to_panic() {
    let nested = {
        let mut text = String::from(HEAD);
        for n in 0..500 {
            text.push_str(&format!(
                "Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n"
            ));
        }
        text
    };
    let rfc822 = format!("{HEAD}Content-Type: message/rfc822\r\n\r\n").repeat(300);
    let parts = with(
        "Content-Type: multipart/mixed; boundary=b",
        &"--b\r\n\r\nx\r\n".repeat(20_000),
    );
    for bytes in [
        Vec::new(),
        b"\0\0\0\0".to_vec(),
        vec![0xff; 4096],
        b"Subject".to_vec(),
        b"From: \r\n\r\n".to_vec(),
        with("Content-Type: multipart/mixed; boundary=\"", "x").into_bytes(),
        with("Content-Type: multipart/mixed", "--b\r\n").into_bytes(),
        with("Content-Transfer-Encoding: base64", "not base64 at all!!").into_bytes(),
        with("Content-Type: text/plain; charset=no-such-charset", "x").into_bytes(),
        with("Content-Type: text/html", "<p <b &#xffffffff; &amp <!-- ").into_bytes(),
        nested.into_bytes(),
        rfc822.into_bytes(),
        parts.into_bytes(),
        format!("From: {}\r\n\r\nx", "a@b, ".repeat(50_000)).into_bytes(),
        format!("References: {}\r\n\r\nx", "<a@b> ".repeat(50_000)).into_bytes(),
    ] {
        let mail = parse(&bytes).unwrap_or_default();
        assert!(
            mail.to.len() <= 500 && mail.references.len() <= 100 && mail.attachments.len() <= 100
        );
    }
}

#[test]
fn what_is_cut_off_anywhere_is_still_read() {
    let body = "--b\r\nContent-Type: text/plain; charset=ISO-2022-JP\r\n\r\n\x1b$B$3$s$K\x1b(B\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>&uuml;</p>\r\n--b--\r\n";
    let whole = with("Content-Type: multipart/mixed; boundary=b", body).into_bytes();
    for end in 0..whole.len() {
        let mail = parse(&whole[..end]).unwrap();
        assert!(!mail.subject.contains(['\r', '\n']));
    }
}

#[test]
fn headers_cannot_be_smuggled_in() {
    let text = "From: ann@example.org\r\nSubject: =?utf-8?Q?hi=0D=0ABcc:_eve@evil.example?=\r\n\
        Reply-To: =?utf-8?Q?a=0D=0AX:_y?= <ann@example.org>\r\nMessage-ID: <a b@c>\r\n\r\nx";
    let mail = parse(text.as_bytes()).unwrap();
    assert_eq!(mail.subject, "hi Bcc: eve@evil.example");
    for address in mail.reply_to.iter().chain(&mail.from) {
        assert!(
            !address
                .name
                .as_deref()
                .unwrap_or_default()
                .contains(['\r', '\n'])
        );
    }
    assert!(mail.message_id.is_none_or(|id| !id.contains(' ')));
}

#[test]
fn a_mail_from_nobody_says_so() {
    let mail = parse(b"To: me@example.org\r\nSubject: x\r\n\r\n").unwrap();
    assert_eq!((mail.from, mail.text.as_str()), (None, ""));
    assert!(!mail.problems.is_empty());
}

#[tokio::test]
async fn strange_mail_is_looked_at_like_any_other_and_what_is_no_mail_is_not() {
    let fixture = Fixture::new();
    fixture.put("nobody.eml", "To: me@example.org\r\nSubject: x\r\n\r\n");
    fixture.put("empty.eml", "");
    fixture.put("broken.eml", [0xff_u8, 0, 13, 10, 13, 10, 0x80]);
    let agent = fixture.agent(Script::new([class("ignore").always()]));
    let taken = take_in(&agent).await;
    assert_eq!(taken.len(), 3);
    for it in &taken {
        let is_fine = match it.mail.0.as_str() {
            "nobody.eml" => it.result == Ingested::Done,
            _ => matches!(&it.result, Ingested::Failed { code, .. } if *code == "SS7006"),
        };
        assert!(is_fine, "{it:?}");
    }
}

#[tokio::test]
async fn a_mail_from_nobody_cannot_be_answered_and_nothing_is_made_up() {
    let fixture = Fixture::new();
    fixture.put("a.eml", "To: me@example.org\r\nSubject: x\r\n\r\nanswer me");
    let steps = [turns(&[reply("a.eml", "To whom?")]), turns(&[done()])];
    let agent = fixture.agent(responder(steps, Vec::new()));
    let (thread, items) = crate::fixture::asked(&agent).await;
    let answers = items
        .iter()
        .map(|it| (it.ask, superstep_mail::Answer::accept()));
    agent.answer(&thread, answers).await.unwrap();
    // The reply was not sent, and the person who approved it is asked.
    let items = agent.open(&thread).await.unwrap();
    let stuck = crate::fixture::about(&items, "stuck");
    let outcome = crate::fixture::answer(&agent, stuck, superstep_mail::Answer::ignore()).await;
    let message: String = outcome
        .state()
        .messages
        .iter()
        .map(|it| it.text())
        .collect();
    assert!(
        message.contains("does not say where an answer should go"),
        "{message}"
    );
    assert!(fixture.sent().is_empty());
}

/// The same bytes with some changed; the same for the same seed.
fn damaged(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut next = move |below: usize| rng.usize(..below.max(1));
    let mut bytes = bytes.to_vec();
    for _ in 0..=next(8) {
        let at = next(bytes.len());
        match next(4) {
            0 => bytes[at] = u8::try_from(next(256)).unwrap(),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"\r\n<>:;=-?"[next(9)]),
            _ => bytes.truncate(at + 1),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn damaged_mails_are_read_or_refused() {
    let root = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mails");
    let mut refused = 0;
    for folder in [root.clone(), root.join("hostile")] {
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|end| end != "eml") {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            for seed in 0..60 {
                let read = parse(&damaged(&bytes, seed));
                let plain = |text: &str| !text.contains(['\r', '\n', '\0']);
                match read {
                    Ok(mail) => {
                        assert!(plain(&mail.subject), "{} with seed {seed}", path.display())
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert_eq!(refused, 0, "the parser gave up");
}

#[tokio::test]
async fn damaged_files_of_meetings_are_read_or_listed() {
    let fixture = Fixture::new();
    let text = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:u\r\nSUMMARY:weekly\\, long\r\nDTSTART;TZID=Europe/Berlin:20261012T090000\r\nDTEND;TZID=Europe/Berlin:20261012T100000\r\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,-1FR;UNTIL=20271231T000000Z\r\nEXDATE;TZID=Europe/Berlin:20261109T090000\r\nATTENDEE;CN=\"Ann\":mailto:ann@example.org\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let span = superstep_mail::Span {
        start: "2026-11-01T00:00:00Z".parse().unwrap(),
        end: "2026-12-01T00:00:00Z".parse().unwrap(),
    };
    for round in 0..20 {
        for seed in 0..50 {
            let bytes = damaged(text.as_bytes(), round * 50 + seed);
            std::fs::write(fixture.path.join(format!("meetings/{seed}.ics")), bytes).unwrap();
        }
        let calendar = fixture.calendar();
        superstep_mail::Calendar::events(&calendar, span)
            .await
            .unwrap();
        calendar.problems().await.unwrap();
    }
}
