//! Mails of a generator, well-formed and damaged: what is read of them, and that nothing breaks.
//!
//! A failure names its seed. `SUPERSTEP_MAIL_SEED=N` runs that one again; `SUPERSTEP_MAIL_ROUNDS=N`
//! runs more of them.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

use std::fmt::Write as _;

use mail_parser::{Message, MessageParser, MimeHeaders, PartType};

use super::{
    Mail, parse,
    scan::{MAX_NESTING, MAX_PARTS, scan},
    split,
};

/// A seeded generator.
struct Random(fastrand::Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    fn below(&mut self, count: usize) -> usize {
        self.0.usize(..count)
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// Runs a check for many seeds, or for the one that is asked for.
fn with_seeds(rounds: u64, check: impl Fn(u64)) {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    if let Some(seed) = number("SUPERSTEP_MAIL_SEED") {
        return check(seed);
    }
    for seed in 0..number("SUPERSTEP_MAIL_ROUNDS").unwrap_or(rounds) {
        check(seed);
    }
}

/// A part of a well-formed mail, its headers first.
fn part(random: &mut Random, depth: usize, number: &mut usize) -> String {
    *number += 1;
    let own = *number;
    if depth < 4 && random.below(3) > 0 {
        let kind = random.of(&["mixed", "alternative", "related", "report", "digest"]);
        let mut text =
            format!("Content-Type: multipart/{kind}; boundary=\"=_{own:06}\"\r\n\r\npreamble\r\n");
        for _ in 0..=random.below(3) {
            let inner = part(random, depth + 1, number);
            write!(text, "--=_{own:06}\r\n{inner}\r\n").unwrap();
        }
        write!(text, "--=_{own:06}--\r\n").unwrap();
        text.push_str(random.of(&["", "epilogue\r\n", "\r\n\r\n"]));
        return text;
    }
    if depth < 4 && random.below(8) == 0 {
        // A leaf: the parser loses its way behind an attached mail of several parts.
        let inner = part(random, usize::MAX, number);
        return format!("Content-Type: message/rfc822\r\n\r\nSubject: attached {own}\r\n{inner}");
    }
    let kind = random.of(&[
        "text/plain",
        "text/html; charset=utf-8",
        "text/plain; name=note.txt",
        "text/calendar; method=REQUEST",
        "image/png; name=a.png",
        "application/pdf",
    ]);
    let disposition = random.of(&[
        "",
        "",
        "Content-Disposition: attachment; filename=file\r\n",
        "Content-Disposition: inline\r\n",
    ]);
    let (encoding, body) = match random.below(3) {
        0 => ("base64", "PHA+dGV4dCBvZiBhIHBhcnQ8L3A+".to_owned()),
        1 => ("quoted-printable", format!("<p>caf=C3=A9 {own}=\r\n</p>")),
        _ => (
            "8bit",
            format!("<p>words of part {own}</p>\r\n\r\n-- \r\nme"),
        ),
    };
    format!(
        "Content-Type: {kind}\r\n{disposition}Content-Transfer-Encoding: {encoding}\r\n\r\n{body}"
    )
}

fn mail(seed: u64) -> Vec<u8> {
    let body = part(&mut Random::new(seed), 0, &mut 0);
    format!("From: a@b.example\r\nTo: c@d.example\r\nSubject: {seed}\r\n{body}").into_bytes()
}

/// What the parser reads of the whole mail: the text, and the attachments by name and type.
fn whole(bytes: &[u8]) -> (String, Vec<(Option<String>, String)>) {
    let message: Message<'_> = MessageParser::default().parse(bytes).unwrap();
    let mut text = String::new();
    for at in 0..message.text_body_count() {
        let part = message.body_text(at).unwrap_or_default();
        if part.trim().is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&part);
    }
    let text = text.replace("\r\n", "\n").replace(['\r', '\0'], "\n");
    let kind = |part: &mail_parser::MessagePart<'_>| match part.content_type() {
        Some(kind) => format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default()),
        None if matches!(part.body, PartType::Message(_)) => "message/rfc822".into(),
        None => "text/plain".into(),
    };
    let attachments = message.attachments();
    let attachments =
        attachments.map(|part| (part.attachment_name().map(str::to_owned), kind(part)));
    (split(text.trim_end()).0, attachments.collect())
}

fn seen(mail: &Mail) -> (String, Vec<(Option<String>, String)>) {
    let attachments = mail.attachments.iter();
    let attachments = attachments.map(|it| (it.name.clone(), it.media_type.clone()));
    (mail.text.clone(), attachments.collect())
}

#[test]
fn well_formed_mails_are_read_as_the_parser_reads_them_whole() {
    with_seeds(2_000, |seed| {
        let bytes = mail(seed);
        let shown = String::from_utf8_lossy(&bytes);
        let read = parse(&bytes).unwrap();
        assert_eq!(
            seen(&read),
            whole(&bytes),
            "SUPERSTEP_MAIL_SEED={seed}\n{shown}"
        );
    });
}

/// Bytes with some changed, pieces moved, repeated and cut.
fn damaged(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..=random.below(12) {
        let at = random.below(bytes.len().max(1));
        let end = (at + random.below(200)).min(bytes.len());
        match random.below(7) {
            0 if at < bytes.len() => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len().max(1));
                let times = 1 + random.below(40);
                bytes.splice(to..to, piece.repeat(times));
            }
            3 => bytes.truncate(at + 1),
            4 => {
                let piece = random.of(&["\r\n\r\n", "\n", "--", "--=_000001", "--=_000001--\r\n"]);
                bytes.splice(at..at, piece.bytes());
            }
            5 => {
                let piece = random.of(&[
                    "\r\nContent-Type: message/rfc822\r\n\r\n",
                    "\r\nContent-Type: multipart/digest; boundary=\"=_000001\"\r\n\r\n",
                    "\r\nContent-Type: multipart/mixed; boundary*0=\"=_\"; boundary*1=\"000001\"\r\n\r\n",
                    "\r\nContent-Transfer-Encoding: base64\r\n",
                ]);
                let times = 1 + random.below(80);
                bytes.splice(at..at, piece.repeat(times).bytes());
            }
            _ => bytes.reverse(),
        }
        bytes.truncate(1 << 20);
    }
    bytes
}

#[test]
fn damaged_mails_are_read_within_limits_or_refused_with_a_code() {
    let (read, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    with_seeds(3_000, |seed| {
        let mut random = Random::new(seed ^ 0x5eed);
        let bytes = damaged(&mut random, mail(seed));
        match parse(&bytes) {
            Ok(mail) => {
                read.set(read.get() + 1);
                assert!(mail.attachments.len() <= 100, "SUPERSTEP_MAIL_SEED={seed}");
                assert!(
                    !mail.subject.contains(['\r', '\n']),
                    "SUPERSTEP_MAIL_SEED={seed}"
                );
                assert_eq!(
                    parse(&bytes).as_ref(),
                    Ok(&mail),
                    "SUPERSTEP_MAIL_SEED={seed}"
                );
            }
            Err(error) => {
                // A panic of the parser would be SS7006.
                assert_eq!(
                    error.code(),
                    "SS7020",
                    "SUPERSTEP_MAIL_SEED={seed}: {error}"
                );
                refused.set(refused.get() + 1);
            }
        }
    });
    assert!(read.get() >= refused.get(), "most are refused");
}

/// A mail whose parts nest so deep, every level with these headers.
fn nested(levels: usize, level: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = String::from("From: a@b.example\r\nSubject: s\r\n");
    for at in 0..levels {
        text.push_str(&level(at));
    }
    text.push_str("\r\nthe end\r\n");
    text.into_bytes()
}

#[test]
fn fifty_levels_are_read_and_one_more_is_refused() {
    let message = |_| "Content-Type: message/rfc822\r\n\r\n".to_owned();
    let multipart =
        |at| format!("Content-Type: multipart/mixed; boundary=b{at}\r\n\r\n--b{at}\r\n");
    let digest = |at| match at % 2 {
        0 => format!("Content-Type: multipart/digest; boundary=b{at}\r\n\r\n--b{at}\r\n"),
        _ => "\r\n".to_owned(),
    };
    let tricks = |at| match at % 4 {
        0 => "CONTENT-TYPE : (a (b)) Message / RFC822 ; x=y\n\n".to_owned(),
        1 => {
            format!("Content-Type:\r\n\tmultipart/x;\r\n boundary*=utf-8''b{at}\r\n\r\n--b{at}\r\n")
        }
        2 => "Content-Type: text/plain\r\nContent-Type: message/global\r\n\r\n".to_owned(),
        _ => "Content-Type: multipart/mixed; boundary=\"same\"\r\n\r\n--same\r\n".to_owned(),
    };
    let all: [&dyn Fn(usize) -> String; 4] = [&message, &multipart, &digest, &tricks];
    for (way, level) in all.into_iter().enumerate() {
        assert!(parse(&nested(MAX_NESTING, level)).is_ok(), "way {way}");
        for deep in [MAX_NESTING + 1, 130_000] {
            let error = parse(&nested(deep, level)).unwrap_err();
            assert_eq!(error.code(), "SS7020", "way {way}");
            assert!(error.to_string().contains("50 levels"), "{error}");
        }
    }
}

#[test]
fn an_encoded_mail_that_is_attached_is_not_opened() {
    // Fifty thousand levels, encoded.
    let inner = b"Q29udGVudC1UeXBlOiBtZXNzYWdlL3JmYzgyMg0KDQpD\r\n".repeat(50_000);
    let mut bytes = b"From: a@b.example\r\nContent-Type: message/rfc822\r\n\
        Content-Transfer-Encoding: base64\r\n\r\n"
        .to_vec();
    bytes.extend(&inner);
    let mail = parse(&bytes).unwrap();
    assert_eq!(mail.attachments.len(), 1);
    assert_eq!(mail.attachments[0].bytes, 50_000 * 33);
}

#[test]
fn too_many_parts_or_headers_are_refused_before_anything_is_parsed() {
    let parts = |count: usize| {
        let mut text = String::from("Content-Type: multipart/mixed; boundary=b\r\n\r\n");
        text.push_str(&"--b\r\n\r\nx\r\n".repeat(count));
        text.into_bytes()
    };
    assert!(scan(&parts(MAX_PARTS - 1)).is_ok());
    assert_eq!(scan(&parts(MAX_PARTS)).unwrap_err().code(), "SS7020");
    for bytes in [
        b"X: y\r\n".repeat(3_000),
        format!("X: {}\r\n", "y".repeat(600_000)).into_bytes(),
        format!("Content-Type: a/b; {}\r\n\r\nx", "a=b; ".repeat(10_000)).into_bytes(),
        // Each of its headers is short enough.
        format!(
            "Content-Type: multipart/mixed; boundary=b\r\n\r\n{}",
            format!(
                "--b\r\nContent-Type: a/b; {}\r\n\r\nx\r\n",
                "a=b; ".repeat(3_000)
            )
            .repeat(300)
        )
        .into_bytes(),
    ] {
        assert_eq!(parse(&bytes).unwrap_err().code(), "SS7020");
    }
}

#[test]
fn boundaries_that_look_alike_are_told_apart_and_lines_of_dashes_are_text() {
    let text = "From: a@b.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
        --b\r\nContent-Type: multipart/alternative; boundary=b2\r\n\r\n--b2\r\n\r\none\r\n--bb\r\n\
        ----\r\n--\r\ntwo --b2 three\r\n--b2--\r\n--b\r\n\r\nfour\r\n--b--\r\n--b\r\n\r\nfive\r\n";
    let mail = parse(text.as_bytes()).unwrap();
    assert_eq!(mail.text, "one\n--bb\n----\n--\ntwo --b2 three\n\nfour");
    assert_eq!(mail.problems, Vec::<String>::new());
}

#[test]
fn a_text_of_a_hundred_megabytes_is_decoded_in_part() {
    let mut bytes = b"From: a@b.example\r\nContent-Type: text/html\r\n\r\n".to_vec();
    bytes.extend(b"<style></style>\n".repeat(100 << 16));
    let mail = parse(&bytes).unwrap();
    let is_told = mail.problems.iter().any(|it| it.contains("cut"));
    assert!(is_told, "{:?}", mail.problems);
}
