//! Earlier mail that has some words.

use superstep::{text::sanitize, tools::ToolError};

use super::{SearchArgs, context::CallContext};
use crate::{
    Query,
    parse::{clipped, one_line, parse},
    prompt::{day_and_time, gutter, person},
};

/// How many mails are shown.
const MOST: usize = 8;

/// How much of each is shown.
const BEGINNING: usize = 1_200;

pub(super) async fn run(args: &SearchArgs, context: &CallContext) -> Result<String, ToolError> {
    let services = &context.services;
    let failed =
        |error: crate::MailError| ToolError::Failed(format!("nothing was searched: {error}"));
    let words = args.words.iter().map(|word| one_line(word, 100));
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return Err(ToolError::failed("`words` has none"));
    }
    let from = args.from.iter().map(|from| one_line(from, 320));
    let query = Query {
        include_read: true,
        from: from.filter(|from| !from.is_empty()).collect(),
        words,
        ..Query::default()
    };
    let (mut found, mut page) = (Vec::new(), None);
    loop {
        let listed = services
            .mailbox
            .list(&query, page.as_ref())
            .await
            .map_err(failed)?;
        found.extend(listed.arrivals);
        let is_last = listed.next.is_none() || listed.next == page;
        page = listed.next;
        if is_last {
            break;
        }
    }
    found.retain(|arrival| arrival.id != context.input.id);
    let count = found.len();
    let mut text = match count {
        0 => "No other mail in the inbox has all of these words.".to_owned(),
        1 => "1 mail:\n".to_owned(),
        _ if count > MOST => format!("{count} mails, of which these are the newest:\n"),
        _ => format!("{count} mails:\n"),
    };
    for arrival in found.iter().rev().take(MOST) {
        let raw = services.mailbox.fetch(&arrival.id).await;
        let mail = match raw {
            Ok(raw) => tokio::task::spawn_blocking(move || parse(&raw.bytes)).await,
            Err(error) => Ok(Err(error)),
        };
        let mail = match mail {
            Ok(Ok(mail)) => mail,
            Ok(Err(error)) => {
                text.push_str(&format!("\n(one cannot be read: {error})\n"));
                continue;
            }
            Err(error) => return Err(ToolError::Failed(error.to_string())),
        };
        let from = mail.from.as_ref().map_or_else(|| "(nobody)".into(), person);
        let date = mail.date.map(|at| day_and_time(at, &services.zone));
        let said = sanitize(&mail.text);
        let said_there = format!(
            "From: {from}\nSubject: {}\n\n{}",
            mail.subject,
            clipped(&said, BEGINNING)
        );
        text.push_str(&format!(
            "\n== {}\n{}\n",
            date.unwrap_or_else(|| "(no date)".into()),
            gutter(&said_there)
        ));
        if said.len() > BEGINNING {
            text.push_str("(the rest is left out)\n");
        }
    }
    Ok(text)
}
