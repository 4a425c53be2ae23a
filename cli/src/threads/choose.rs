//! Choosing the thread to resume: from a short list at a terminal, else the one that was used last.

use super::{Status, ThreadReader, list};
use crate::{
    app::App,
    error::Error,
    output::{faint, plain, shown, strong},
    terminal::{Line, Topic},
    thread_reader::LAST,
};

/// How many threads are offered.
const OFFERED: usize = 9;

pub(super) async fn run(reader: &ThreadReader, app: &mut App<'_>) -> Result<String, Error> {
    if !app.terminal.is_interactive() {
        return reader.named(LAST).await;
    }
    let is_open = |status: Option<Status>| !matches!(status, Some(Status::Done) | None);
    let mut rows = list::rows(reader).await?;
    // Those that can be resumed come first; the order is kept otherwise.
    rows.sort_by_key(|row| !is_open(row.status));
    rows.truncate(OFFERED);
    if rows.is_empty() {
        return reader.named(LAST).await;
    }
    for (number, row) in (1..).zip(&rows) {
        app.output.say(&[
            strong(format!("{number}  ")),
            plain(format!("{:<20} ", shown(&row.thread))),
            faint(row.status.map_or("?", Status::as_str)),
            plain(format!("  {}", row.title)),
        ]);
    }
    let prompt = "Resume which one? [1] ";
    loop {
        let said = app
            .terminal
            .read_line(Topic::Detail, prompt, app.output)
            .await?;
        let words = match said {
            Line::Text(words) => words,
            Line::CtrlC | Line::End => return Err(Error::Cancelled),
        };
        let number = match words.trim() {
            "" => Ok(1),
            number => number.parse::<usize>(),
        };
        let chosen = number
            .ok()
            .and_then(|number| rows.get(number.checked_sub(1)?));
        match chosen {
            Some(row) => return Ok(row.thread.as_str().to_owned()),
            None if words.contains('-') => return reader.named(words.trim()).await,
            None => app
                .output
                .say(&[plain(format!("a number from 1 to {}", rows.len()))]),
        }
    }
}
