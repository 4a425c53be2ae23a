//! Parsing and validation of a proposed meeting.

use jiff::{Timestamp, Zoned, civil::DateTime};
use serde::Deserialize;
use serde_json::Value as Json;

use super::addresses;
use crate::{Address, Span, parse::one_line, settings::Zone};

const LONGEST: i64 = 14 * 24 * 60 * 60;

/// A meeting at a time that exists, in a zone that is known.
#[derive(Clone, Debug)]
pub(crate) struct Meeting {
    pub(crate) title: String,
    pub(crate) attendees: Vec<Address>,
    pub(crate) span: Span,
    pub(crate) zone: Zone,
    pub(crate) place: Option<String>,
    pub(crate) note: Option<String>,
}

#[derive(Deserialize)]
struct Args {
    attendees: Vec<String>,
    title: String,
    start_time: String,
    end_time: String,
    timezone: Option<String>,
    place: Option<String>,
    note: Option<String>,
}

impl Meeting {
    pub(super) fn read(args: Json, own: &Zone) -> Result<Self, String> {
        let args: Args = serde_json::from_value(args).map_err(|error| error.to_string())?;
        let times = [args.start_time.as_str(), &args.end_time];
        let (span, zone) = span(times, args.timezone.as_deref(), own)?;
        let filled = |text: &String| !text.trim().is_empty();
        Ok(Self {
            title: one_line(&args.title, 200),
            attendees: addresses(&args.attendees)?,
            span,
            zone,
            place: args.place.filter(filled).map(|it| one_line(&it, 300)),
            note: args.note.filter(filled),
        })
    }

    /// When it is, in words.
    pub(crate) fn describe(&self) -> String {
        described(self.span, &self.zone)
    }
}

/// A stretch of time in a zone that is known, from the texts of both.
pub(super) fn span(
    [start, end]: [&str; 2],
    zone: Option<&str>,
    own: &Zone,
) -> Result<(Span, Zone), String> {
    let name = zone.map(str::trim).filter(|it| !it.is_empty());
    let zone = match name {
        None => own.clone(),
        Some(name) => Zone::find(name).ok_or_else(|| {
            format!(
                "`{}` is no time zone; write one such as {}",
                one_line(name, 60),
                own.name
            )
        })?,
    };
    let span = Span {
        start: instant(start, &zone)?,
        end: instant(end, &zone)?,
    };
    let seconds = span.end.as_second() - span.start.as_second();
    match (1..=LONGEST).contains(&seconds) {
        true => Ok((span, zone)),
        false => Err("`end_time` is after `start_time`, and at most two weeks".into()),
    }
}

/// A stretch of time in words.
pub(super) fn described(span: Span, zone: &Zone) -> String {
    let at = |at: Timestamp| at.to_zoned(zone.zone.clone());
    let (start, end) = (at(span.start), at(span.end));
    let end = match start.date() == end.date() {
        true => end.strftime("%H:%M").to_string(),
        false => end.strftime("%A %d-%m-%Y %H:%M").to_string(),
    };
    let start = start.strftime("%A %d-%m-%Y %H:%M");
    format!("{start} to {end} ({})", zone.name)
}

/// A time of day in a zone, or one that says its distance from UTC itself.
fn instant(text: &str, zone: &Zone) -> Result<Timestamp, String> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    if let Ok(time) = text.parse::<Zoned>() {
        return Ok(time.timestamp());
    }
    let wrong = || {
        format!(
            "`{}` is no time: write one such as 2026-11-16T10:00:00",
            one_line(text, 60)
        )
    };
    let time: DateTime = text.parse().map_err(|_| wrong())?;
    let found = zone.zone.to_ambiguous_timestamp(time);
    if let jiff::tz::AmbiguousOffset::Gap { .. } = found.offset() {
        return Err(format!(
            "{} does not exist in {}: the clocks are put forward then",
            time.strftime("%H:%M on %d-%m-%Y"),
            zone.name
        ));
    }
    found.compatible().map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_meant_in_its_zone_and_must_exist_there() {
        let Some(zone) = Zone::find("Europe/Berlin") else {
            unreachable!("the zone is known");
        };
        let at = |text| instant(text, &zone).map(|it| it.to_string());
        assert_eq!(
            at("2026-07-01T10:00:00").as_deref(),
            Ok("2026-07-01T08:00:00Z")
        );
        assert_eq!(
            at("2026-12-01T10:00").as_deref(),
            Ok("2026-12-01T09:00:00Z")
        );
        assert_eq!(
            at("2026-12-01T10:00:00-05:00").as_deref(),
            Ok("2026-12-01T15:00:00Z")
        );
        assert!(at("2026-03-29T02:30:00").is_err());
        assert!(at("tomorrow").is_err());
    }
}
