//! Changes of an event in its `.ics` file: its times or its status, and no other line.

use std::{fs, path::Path};

use jiff::{Timestamp, tz::TimeZone};
use superstep::fs::{Rights, Staged, read_regular};

use super::{
    ics::{self, MAX_FILE, folded},
    place,
    write::failed,
};
use crate::{Changed, EventChange, MailError, parse::one_line};

/// The lines of an event that a change replaces.
const TIMES: [&str; 3] = ["DTSTART", "DTEND", "DURATION"];

/// Makes the change in the file that has the event.
pub(super) fn run(root: &Path, zone: &TimeZone, change: &EventChange) -> Result<(), MailError> {
    let there = fs::read_dir(root).map_err(|error| failed(&place(root), root, &error))?;
    for found in there.flatten() {
        let path = found.path();
        let is_ics = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("ics"));
        let text = match is_ics {
            true => read_regular(&path, MAX_FILE)
                .ok()
                .and_then(|it| String::from_utf8(it).ok()),
            false => None,
        };
        let Some(text) = text else {
            continue;
        };
        let events = ics::read(&text, zone).events;
        if !events.iter().any(|event| event.uid == change.id.0) {
            continue;
        }
        let changed = rewritten(&text, change)?;
        let written = Staged::new(&path, changed.as_bytes(), Rights::Kept);
        return written
            .and_then(Staged::replace)
            .map_err(|error| failed(&place(root), &path, &error));
    }
    Err(MailError::Missing {
        place: place(root),
        what: format!("meeting `{}`", one_line(&change.id.0, 200)),
    })
}

/// The file with the lines of the change in the place of the old ones.
fn rewritten(text: &str, change: &EventChange) -> Result<String, MailError> {
    let (dropped, added) = lines(change)?;
    let mut all = String::with_capacity(text.len() + 200);
    // The lines of the open event, whether it is the one, and how many parts are open within it.
    let (mut event, mut inner) = (None::<String>, 0_usize);
    let (mut is_it, mut is_dropped) = (false, false);
    for line in text.lines() {
        let is_continued = line.starts_with([' ', '\t']);
        let upper = line.trim_end().to_ascii_uppercase();
        let name = upper.split([':', ';']).next().unwrap_or_default();
        let whole = format!("{line}\r\n");
        match (&mut event, upper.as_str()) {
            (None, "BEGIN:VEVENT") => {
                (event, is_it) = (Some(whole), false);
                continue;
            }
            (Some(lines), "END:VEVENT") if inner == 0 => {
                all.push_str(lines);
                if is_it {
                    added.iter().for_each(|line| all.push_str(&folded(line)));
                }
                all.push_str(&whole);
                event = None;
                continue;
            }
            (Some(lines), _) => {
                inner += usize::from(name == "BEGIN");
                inner -= usize::from(name == "END" && inner > 0);
                let uid = line.split_once(':').map(|(_, uid)| uid.trim());
                is_it |= inner == 0 && name == "UID" && uid == Some(&change.id.0);
                is_dropped = match is_continued {
                    true => is_dropped,
                    false => inner == 0 && dropped.contains(&name),
                };
                if !is_dropped {
                    lines.push_str(&whole);
                }
            }
            (None, _) => all.push_str(&whole),
        }
    }
    Ok(all)
}

/// The names of the lines that go, and the lines that come.
fn lines(change: &EventChange) -> Result<(Vec<&'static str>, Vec<String>), MailError> {
    let now = format!(
        "LAST-MODIFIED:{}",
        Timestamp::now().strftime("%Y%m%dT%H%M%SZ")
    );
    let (mut dropped, mut added) = (vec!["LAST-MODIFIED"], vec![now]);
    match &change.to {
        Changed::Cancelled => {
            dropped.push("STATUS");
            added.push("STATUS:CANCELLED".into());
        }
        Changed::Moved { span, time_zone } => {
            let zone = TimeZone::get(time_zone).map_err(|_| MailError::Refused {
                place: "the calendar".into(),
                why: format!("`{}` is no time zone", one_line(time_zone, 60)),
            })?;
            let name = one_line(time_zone, 60);
            dropped.extend(TIMES);
            for (line, at) in [("DTSTART", span.start), ("DTEND", span.end)] {
                let local = at.to_zoned(zone.clone()).strftime("%Y%m%dT%H%M%S");
                added.push(format!("{line};TZID={name}:{local}"));
            }
        }
    }
    Ok((dropped, added))
}
