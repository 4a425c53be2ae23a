//! `superstep mail check`: whether the account can be reached, and what is in it. Changes nothing.

use jiff::{Timestamp, ToSpan};
use serde_json::json;
use superstep::text::single_line;
use superstep_mail::{
    PageToken, Query, Span,
    account::{MailAccount, OpenedAccount},
};

use super::account;
use crate::{
    app::App,
    args::AccountArgs,
    error::Error,
    output::{Form, Output, bad, faint, good, plain, strong},
};

/// More mail than this is not counted.
const MOST: usize = 1_000;

pub(super) async fn run(args: &AccountArgs, app: &mut App<'_>) -> Result<(), Error> {
    let account = account::read(args, app.global)?;
    tokio::select! {
        checked = check(&account, app.output) => checked,
        () = app.terminal.ctrl_c() => Err(Error::Cancelled),
    }
}

async fn check(account: &MailAccount, output: &Output) -> Result<(), Error> {
    let opened = account.open().await?;
    let unread = count(&opened).await?;
    let owner = &opened.mailbox.owner().email;
    let meetings = match opened.has_calendar {
        true => Some(this_week(&opened).await?),
        false => None,
    };
    let problems = account.problems().await?;
    if output.form == Form::Json {
        let problems: Vec<_> = problems
            .iter()
            .map(|(file, error)| json!({"file": file, "code": error.code(), "message": error.to_string()}))
            .collect();
        return output.json(&json!({
            "mailbox": opened.mailbox.place(), "owner": owner, "unread": unread,
            "calendar": opened.has_calendar.then(|| opened.calendar.place()),
            "meetings": meetings, "dry_run": account.is_dry(), "problems": problems,
        }));
    }
    let more = if unread >= MOST { " or more" } else { "" };
    output.data(&[
        good("mailbox   "),
        plain(opened.mailbox.place()),
        faint(format!("  of {owner}, {unread}{more} unread")),
    ])?;
    match meetings {
        Some(count) => output.data(&[
            good("calendar  "),
            plain(opened.calendar.place()),
            faint(format!("  {count} in the next 7 days")),
        ])?,
        None => output.data(&[
            strong("calendar  "),
            plain("none; the assistant proposes no times"),
        ])?,
    }
    for (file, error) in problems {
        output.data(&[
            bad("unreadable "),
            plain(single_line(&format!("{file}: {error}"))),
        ])?;
    }
    output.say(&account.mode_line());
    Ok(())
}

async fn count(opened: &OpenedAccount) -> Result<usize, Error> {
    let query = Query::default();
    let (mut count, mut page): (usize, Option<PageToken>) = (0, None);
    loop {
        let found = opened.mailbox.list(&query, page.as_ref()).await?;
        count += found.arrivals.len();
        let is_over = found.next.is_none() || found.next == page;
        page = found.next;
        if is_over || count >= MOST {
            return Ok(count);
        }
    }
}

async fn this_week(opened: &OpenedAccount) -> Result<usize, Error> {
    let start = Timestamp::now();
    let end = start.checked_add((7 * 24).hours());
    let end = end.map_err(std::io::Error::other)?;
    Ok(opened.calendar.events(Span { start, end }).await?.len())
}
