//! Choosing the thread to resume: from a short list at a terminal, else the one that was used last.

use super::{
    Status, ThreadReader,
    list::{self, Row},
};
use crate::{
    app::App,
    error::Error,
    output::{faint, plain, shown, strong},
    terminal::{Line, Topic},
    thread_reader::LAST,
};

/// How many threads are offered.
const OFFERED: usize = 9;

pub(crate) async fn run(reader: &ThreadReader, app: &mut App<'_>) -> Result<String, Error> {
    if !app.terminal.is_interactive() {
        return reader.named(LAST).await;
    }
    let rows = offered(reader).await?;
    if rows.is_empty() {
        return reader.named(LAST).await;
    }
    for (number, row) in (1..).zip(&rows) {
        app.output.say(&[
            strong(format!("{number}  ")),
            plain(format!("{:<20} ", shown(&row.thread))),
            faint(format!(
                "{:<11}  {:<10}",
                row.status.map_or("?", Status::as_str),
                row.when()
            )),
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

/// The threads that were used last, those that can be resumed before the others.
async fn offered(reader: &ThreadReader) -> Result<Vec<Row>, Error> {
    let (mut open, mut others) = (Vec::new(), Vec::new());
    let mut threads = reader.by_use();
    while let Some(thread) = threads.next().await? {
        if open.len() == OFFERED {
            break;
        }
        let row = list::row(reader, thread).await;
        match row.status {
            Some(Status::Done) | None => others.push(row),
            Some(_) => open.push(row),
        }
    }
    open.extend(others);
    open.truncate(OFFERED);
    Ok(open)
}
