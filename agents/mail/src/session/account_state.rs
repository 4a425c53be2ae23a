//! The state of an account: its mail, its meetings, and files that cannot be read.

use jiff::{Timestamp, ToSpan};
use serde_json::json;
use superstep::text::single_line;
use superstep_agent::{Block, Notice, Weight, bad, faint, good, plain, strong};

use crate::{
    PageToken, Query, Span,
    account::{AccountError, MailAccount, OpenedAccount},
};

/// More mail than this is not counted.
const MOST: usize = 1_000;

impl MailAccount {
    /// The mail and the meetings that can be reached. Changes nothing.
    pub async fn state_notice(&self) -> Result<Notice, AccountError> {
        let opened = self.open().await?;
        let unread = count(&opened).await?;
        let owner = &opened.mailbox.owner().email;
        let meetings = match opened.has_calendar {
            true => Some(this_week(&opened).await?),
            false => None,
        };
        let problems = self.problems().await?;
        let listed = problems.iter().map(|(file, error)| {
            json!({"file": file, "code": error.code(), "message": error.to_string()})
        });
        let event = json!({
            "mailbox": opened.mailbox.place(), "owner": owner, "unread": unread,
            "calendar": opened.has_calendar.then(|| opened.calendar.place()),
            "meetings": meetings, "dry_run": self.is_dry(), "problems": listed.collect::<Vec<_>>(),
        });
        let more = if unread >= MOST { " or more" } else { "" };
        let mut lines = vec![
            vec![
                good("mailbox   "),
                plain(opened.mailbox.place()),
                faint(format!("  of {owner}, {unread}{more} unread")),
            ],
            match meetings {
                Some(count) => vec![
                    good("calendar  "),
                    plain(opened.calendar.place()),
                    faint(format!("  {count} in the next 7 days")),
                ],
                None => vec![
                    strong("calendar  "),
                    plain("none; the assistant proposes no times"),
                ],
            },
        ];
        lines.extend(problems.iter().map(|(file, error)| {
            let why = single_line(&format!("{file}: {error}"));
            vec![bad("unreadable "), plain(why)]
        }));
        let lines = lines
            .into_iter()
            .map(|line| Block::Line(Weight::Data, line));
        let mode = Block::Line(Weight::Say, self.mode_line().into());
        Ok(Notice::event(event).with(lines.chain([mode]).collect()))
    }
}

async fn count(opened: &OpenedAccount) -> Result<usize, AccountError> {
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

async fn this_week(opened: &OpenedAccount) -> Result<usize, AccountError> {
    let start = Timestamp::now();
    let end = start.saturating_add((7 * 24).hours()).unwrap_or(start);
    Ok(opened.calendar.events(Span { start, end }).await?.len())
}
