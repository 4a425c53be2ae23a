//! iCalendar parser (RFC 5545), as far as the calendar of one person needs it.
//!
//! A file may be hostile: lines, events and texts are capped, and what cannot be understood is an
//! error about that event, never a guess.

use jiff::{Timestamp, tz::TimeZone};
use superstep_recur::{Moment, RecurError, Rule};

use crate::{
    Address,
    parse::{email, one_line},
};

/// The most bytes of a file.
pub(super) const MAX_FILE: u64 = 32 << 20;

const MAX_LINES: usize = 1_000_000;
const MAX_EVENTS: usize = 100_000;

/// An event as a file has it; it may stand for many.
#[derive(Clone, Debug)]
pub(super) struct IcsEvent {
    pub(super) uid: String,
    pub(super) title: String,
    pub(super) start: Moment,
    pub(super) length: Length,
    pub(super) rule: Option<Rule>,
    pub(super) except: Vec<Moment>,
    /// The instance of the event of the same name that this one stands in for.
    pub(super) instead_of: Option<Moment>,
    pub(super) is_free: bool,
    pub(super) attendees: Vec<Address>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Length {
    Days(i64),
    Seconds(i64),
}

/// What a file has.
#[derive(Default)]
pub(super) struct IcsFile {
    pub(super) events: Vec<IcsEvent>,
    /// What is wrong with events that are left out.
    pub(super) problems: Vec<String>,
    /// Why not all of it was read.
    pub(super) cut: Option<String>,
}

/// Reads a file. Times without a zone are in `zone`.
pub(super) fn read(text: &str, zone: &TimeZone) -> IcsFile {
    let (mut events, mut problems, mut cut) = (Vec::new(), Vec::new(), None);
    if text.lines().nth(MAX_LINES).is_some() {
        cut = Some(format!("it has more than {MAX_LINES} lines"));
    }
    let mut open: Option<Vec<ContentLine>> = None;
    // Parts of an event, such as alarms, have lines of the same names.
    let mut inner = 0_usize;
    for line in unfolded(text) {
        let Some(line) = ContentLine::read(&line) else {
            continue;
        };
        match (
            &*line.name,
            line.value.to_ascii_uppercase().as_str(),
            &mut open,
        ) {
            ("BEGIN", "VEVENT", None) => open = Some(Vec::new()),
            ("END", "VEVENT", Some(_)) if inner == 0 => {
                let lines = open.take().unwrap_or_default();
                match entry(&lines, zone) {
                    Ok(Some(event)) => events.push(event),
                    Ok(None) => {}
                    Err(why) => problems.push(why),
                }
            }
            ("BEGIN", _, Some(_)) => inner += 1,
            ("END", _, Some(_)) => inner = inner.saturating_sub(1),
            (_, _, Some(lines)) if inner == 0 => lines.push(line),
            _ => {}
        }
        if events.len() > MAX_EVENTS {
            cut = Some(format!("it has more than {MAX_EVENTS} events"));
            break;
        }
    }
    if open.is_some() && cut.is_none() {
        problems.push("it breaks off within an event".into());
    }
    IcsFile {
        events,
        problems,
        cut,
    }
}

/// Lines whose continuations are joined to them.
fn unfolded(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().take(MAX_LINES) {
        let continued = line.strip_prefix([' ', '\t']);
        match (continued, lines.last_mut()) {
            (Some(more), Some(last)) if last.len() < (64 << 10) => last.push_str(more),
            _ => lines.push(line.trim_end_matches('\r').to_owned()),
        }
    }
    lines
}

/// A line as files have it: in pieces, each with its end.
pub(super) fn folded(line: &str) -> String {
    let (mut text, mut length) = (String::new(), 0);
    for c in line.chars() {
        if length + c.len_utf8() > 73 {
            text.push_str("\r\n ");
            length = 1;
        }
        text.push(c);
        length += c.len_utf8();
    }
    text + "\r\n"
}

struct ContentLine {
    name: String,
    params: Vec<(String, String)>,
    value: String,
}

impl ContentLine {
    fn read(line: &str) -> Option<Self> {
        let mut quoted = false;
        let colon = line.char_indices().find(|(_, c)| {
            quoted ^= *c == '"';
            *c == ':' && !quoted
        });
        let (head, value) = line.split_at_checked(colon?.0)?;
        let mut parts = head.split(';');
        let name = parts.next()?.trim().to_ascii_uppercase();
        let params = parts.filter_map(|part| {
            let (name, value) = part.split_once('=')?;
            Some((
                name.to_ascii_uppercase(),
                value.trim_matches('"').to_owned(),
            ))
        });
        Some(Self {
            name,
            params: params.collect(),
            value: value.strip_prefix(':')?.trim().to_owned(),
        })
    }

    fn param(&self, name: &str) -> Option<&str> {
        let mut all = self.params.iter();
        all.find(|(it, _)| it == name)
            .map(|(_, value)| value.as_str())
    }
}

fn entry(lines: &[ContentLine], zone: &TimeZone) -> Result<Option<IcsEvent>, String> {
    let find = |name: &str| lines.iter().find(|line| line.name == name);
    let text = |name: &str| find(name).map(|line| line.value.as_str());
    if text("STATUS").is_some_and(|it| it.eq_ignore_ascii_case("CANCELLED")) {
        return Ok(None);
    }
    let uid = one_line(text("UID").unwrap_or_default(), 255);
    let title = one_line(&unescaped(text("SUMMARY").unwrap_or_default()), 500);
    let in_event = |why: String| format!("event `{title}`: {why}");
    let start = find("DTSTART").ok_or_else(|| in_event("it has no start".into()))?;
    let start = moment(start, zone).map_err(in_event)?;
    let length = length(lines, &start, zone).map_err(in_event)?;
    let rule = match text("RRULE") {
        Some(rule) => Some(Rule::read(rule, zone).map_err(unread).map_err(in_event)?),
        None => None,
    };
    let mut except = Vec::new();
    for line in lines.iter().filter(|line| line.name == "EXDATE") {
        for value in line.value.split(',').take(5_000) {
            except.push(moment_of(value, line, zone).map_err(in_event)?);
        }
    }
    let attendees = lines.iter().filter(|line| line.name == "ATTENDEE");
    let attendees = attendees.take(500).filter_map(|line| {
        let (scheme, address) = line.value.split_once(':')?;
        Some(Address {
            email: email(address).filter(|_| scheme.eq_ignore_ascii_case("mailto"))?,
            name: line.param("CN").map(|name| one_line(name, 200)),
        })
    });
    Ok(Some(IcsEvent {
        instead_of: match find("RECURRENCE-ID") {
            Some(line) => Some(moment(line, zone).map_err(in_event)?),
            None => None,
        },
        is_free: text("TRANSP").is_some_and(|it| it.eq_ignore_ascii_case("TRANSPARENT")),
        attendees: attendees.collect(),
        uid,
        title,
        start,
        length,
        rule,
        except,
    }))
}

fn length(lines: &[ContentLine], start: &Moment, zone: &TimeZone) -> Result<Length, String> {
    let find = |name: &str| lines.iter().find(|line| line.name == name);
    if let Some(end) = find("DTEND") {
        let end = moment(end, zone)?;
        return match (start, &end) {
            (Moment::Day(first), Moment::Day(end)) => {
                let days = (*end - *first).get_days();
                Ok(Length::Days(i64::from(days).max(1)))
            }
            _ => {
                let seconds = |moment: &Moment| moment.instant(zone).map(Timestamp::as_second);
                let (Some(from), Some(to)) = (seconds(start), seconds(&end)) else {
                    return Err("its times are out of range".into());
                };
                match to >= from {
                    true => Ok(Length::Seconds(to - from)),
                    false => Err("it ends before it begins".into()),
                }
            }
        };
    }
    match (find("DURATION"), start) {
        (Some(line), _) => {
            let span: jiff::SignedDuration = line
                .value
                .parse::<jiff::Span>()
                .and_then(|span| span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()))
                .map_err(|_| {
                    format!(
                        "its duration `{}` makes no sense",
                        one_line(&line.value, 40)
                    )
                })?;
            let seconds = span.as_secs().max(0);
            Ok(match start {
                Moment::Day(_) => Length::Days((seconds / 86_400).max(1)),
                Moment::At(..) => Length::Seconds(seconds),
            })
        }
        (None, Moment::Day(_)) => Ok(Length::Days(1)),
        (None, Moment::At(..)) => Ok(Length::Seconds(0)),
    }
}

fn moment(line: &ContentLine, zone: &TimeZone) -> Result<Moment, String> {
    moment_of(&line.value, line, zone)
}

fn moment_of(value: &str, line: &ContentLine, zone: &TimeZone) -> Result<Moment, String> {
    let zone = match line.param("TZID") {
        Some(name) => zone_of(name)?,
        None => zone.clone(),
    };
    Moment::read(value, &zone).map_err(unread)
}

/// The refusal of a text in one line: the text in it may be of any length.
fn unread(error: RecurError) -> String {
    one_line(&error.to_string(), 100)
}

/// A zone by the names that calendars use.
fn zone_of(name: &str) -> Result<TimeZone, String> {
    let known = match name {
        "W. Europe Standard Time" => "Europe/Berlin",
        "Romance Standard Time" => "Europe/Paris",
        "GMT Standard Time" => "Europe/London",
        "Eastern Standard Time" => "America/New_York",
        "Central Standard Time" => "America/Chicago",
        "Mountain Standard Time" => "America/Denver",
        "Pacific Standard Time" => "America/Los_Angeles",
        "Tokyo Standard Time" => "Asia/Tokyo",
        "India Standard Time" => "Asia/Kolkata",
        other => other,
    };
    // Some programs put the name of a database in front.
    let mut parts = known.rsplitn(3, '/');
    let (city, area) = (parts.next(), parts.next());
    let short = area.zip(city).map(|(area, city)| format!("{area}/{city}"));
    TimeZone::get(known)
        .or_else(|error| short.map_or(Err(error), |short| TimeZone::get(&short)))
        .map_err(|_| format!("the time zone `{}` is not known", one_line(name, 60)))
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n' | 'N') => plain.push('\n'),
                Some(other) => plain.push(other),
                None => {}
            },
            (c, false) => plain.push(c),
        }
    }
    plain
}
