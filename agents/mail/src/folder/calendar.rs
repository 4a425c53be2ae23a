//! A calendar that is a folder of `.ics` files.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::{Timestamp, ToSpan, civil::DateTime, tz::TimeZone};
use superstep_recur::Moment;

use super::{
    blocking, change,
    hand_over::{HandOver, HandOverError, HandOverState},
    ics::{self, IcsEvent, Length, MAX_FILE, folded},
    place,
    write::{failed, make_dir},
};
use crate::{
    Address, Busy, Calendar, Event, EventChange, EventId, EventLookup, Later, MailError, NewEvent,
    Span, When, parse::one_line,
};

const MAX_INSTANCES: usize = 5_000;

/// A calendar that is a folder of `.ics` files; cheap to clone.
#[derive(Clone, Debug)]
pub struct FolderCalendar {
    root: Arc<PathBuf>,
    zone_name: String,
    zone: TimeZone,
}

impl FolderCalendar {
    /// The meetings in a folder, which is made when it is not there. Times without a zone are in
    /// `zone`, a name such as `Europe/Berlin`.
    pub fn open(root: impl AsRef<Path>, zone: &str) -> Result<Self, MailError> {
        let root = root.as_ref().to_owned();
        let known = TimeZone::get(zone).map_err(|_| MailError::Refused {
            place: place(&root),
            why: format!("`{}` is no time zone", one_line(zone, 60)),
        })?;
        make_dir(&root, &place(&root))?;
        Ok(Self {
            root: Arc::new(root),
            zone_name: zone.to_owned(),
            zone: known,
        })
    }

    /// How a meeting gets into the folder.
    fn hand_over(&self, event: &NewEvent) -> HandOver {
        let name = format!("{}.ics", event.key);
        HandOver::new(&self.root, "", name, place(&self.root))
    }

    /// The files and events that cannot be read, and why.
    pub async fn problems(&self) -> Result<Vec<(String, MailError)>, MailError> {
        let (root, zone) = (self.root.clone(), self.zone.clone());
        blocking(place(&root), move || {
            let read = read_all(&root, &zone)?;
            Ok(read.problems.into_iter().chain(read.cut).collect())
        })
        .await
    }
}

impl Calendar for FolderCalendar {
    fn place(&self) -> String {
        place(&self.root)
    }

    fn time_zone(&self) -> String {
        self.zone_name.clone()
    }

    fn events(&self, span: Span) -> Later<'_, Result<Vec<Event>, MailError>> {
        let (root, zone) = (self.root.clone(), self.zone.clone());
        Box::pin(blocking(place(&self.root), move || {
            let read = read_all(&root, &zone)?;
            // An event that was not read may be at the time that is asked about.
            if let Some((_, error)) = read.cut.into_iter().next() {
                return Err(error);
            }
            let Some(mut events) = instances(&read.entries, span, &zone) else {
                return Err(MailError::Refused {
                    place: place(&root),
                    why: format!("more than {MAX_INSTANCES} events; ask for less time"),
                });
            };
            events.sort_by(|(one, a), (other, b)| one.cmp(other).then(a.title.cmp(&b.title)));
            Ok(events.into_iter().map(|(_, event)| event).collect())
        }))
    }

    fn unread(&self) -> Later<'_, Result<Vec<String>, MailError>> {
        Box::pin(async {
            let problems = self.problems().await?;
            Ok(problems
                .iter()
                .map(|(_, error)| error.to_string())
                .collect())
        })
    }

    fn busy(&self, span: Span) -> Later<'_, Result<Vec<Busy>, MailError>> {
        Box::pin(async move {
            let events = self.events(span).await?;
            let taken = events.into_iter().filter(|event| !event.is_free);
            let spans = taken.filter_map(|event| match event.when {
                When::Times(span) => Some(span),
                When::Days { first, end } => {
                    let midnight = |day: jiff::civil::Date| {
                        let day = day.to_zoned(self.zone.clone()).ok()?;
                        Some(day.timestamp())
                    };
                    Some(Span {
                        start: midnight(first)?,
                        end: midnight(end)?,
                    })
                }
            });
            Ok(spans.map(|span| Busy { span }).collect())
        })
    }

    fn insert<'a>(&'a self, event: &'a NewEvent) -> Later<'a, Result<EventId, MailError>> {
        let hand_over = self.hand_over(event);
        let (place, event) = (place(&self.root), event.clone());
        Box::pin(blocking(place.clone(), move || {
            let plain = |byte: u8| byte.is_ascii_alphanumeric();
            if event.key.is_empty() || !event.key.bytes().all(plain) {
                let why = "the key of an event is letters and digits".into();
                return Err(MailError::Refused { place, why });
            }
            match hand_over.run(written(&event)?.as_bytes()) {
                Ok(()) => Ok(EventId(event.key)),
                Err(HandOverError::NotDone(error)) => Err(error),
                // It may have been made.
                Err(HandOverError::Unknown(error)) => Err(MailError::Unreachable {
                    place,
                    why: error.to_string(),
                }),
            }
        }))
    }

    fn look_up<'a>(&'a self, event: &'a NewEvent) -> Later<'a, Result<EventLookup, MailError>> {
        let (hand_over, key) = (self.hand_over(event), event.key.clone());
        Box::pin(blocking(place(&self.root), move || {
            Ok(match hand_over.look_up() {
                HandOverState::Done => EventLookup::Made(EventId(key)),
                HandOverState::NotDone => EventLookup::NotMade,
                HandOverState::Unsure(why) => EventLookup::Unsure { why },
            })
        }))
    }

    fn event<'a>(&'a self, id: &'a EventId) -> Later<'a, Result<Event, MailError>> {
        let (root, zone, id) = (self.root.clone(), self.zone.clone(), id.clone());
        Box::pin(blocking(place(&self.root), move || {
            let read = read_all(&root, &zone)?;
            let found = single(&read.entries, &id, &root)?;
            let placed = placed(found, &found.start, &zone).ok_or_else(|| missing(&root, &id))?;
            Ok(event(found, placed.2, found.start.civil()))
        }))
    }

    fn change<'a>(&'a self, change: &'a EventChange) -> Later<'a, Result<(), MailError>> {
        let (root, zone, change) = (self.root.clone(), self.zone.clone(), change.clone());
        Box::pin(blocking(place(&self.root), move || {
            let read = read_all(&root, &zone)?;
            single(&read.entries, &change.id, &root)?;
            change::run(&root, &zone, &change)
        }))
    }
}

/// The event of an id, if it is one event and no series.
fn single<'a>(all: &'a [IcsEvent], id: &EventId, root: &Path) -> Result<&'a IcsEvent, MailError> {
    let refused = |why: &str| MailError::Refused {
        place: place(root),
        why: format!("`{}` {why}", one_line(&id.0, 200)),
    };
    // The id of an instance begins with that of its series.
    let is_instance = |it: &IcsEvent| {
        let rest = id.0.strip_prefix(it.uid.as_str());
        it.rule.is_some() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let mut found = all.iter().filter(|it| it.uid == id.0);
    match (found.next(), found.next()) {
        (Some(one), None) if one.rule.is_none() && one.instead_of.is_none() => Ok(one),
        (None, _) if !all.iter().any(is_instance) => Err(missing(root, id)),
        _ => Err(refused(
            "is one of a series, which is changed in the calendar itself",
        )),
    }
}

fn missing(root: &Path, id: &EventId) -> MailError {
    MailError::Missing {
        place: place(root),
        what: format!("meeting `{}`", one_line(&id.0, 200)),
    }
}

type Problems = Vec<(String, MailError)>;

/// What a folder has.
#[derive(Default)]
struct FolderEvents {
    entries: Vec<IcsEvent>,
    /// Files and events that are left out, by file.
    problems: Problems,
    /// Files of which not all was read.
    cut: Problems,
}

fn read_all(root: &Path, zone: &TimeZone) -> Result<FolderEvents, MailError> {
    let there = fs::read_dir(root).map_err(|error| MailError::Unreachable {
        place: place(root),
        why: error.to_string(),
    })?;
    let mut all = FolderEvents::default();
    for found in there.flatten() {
        let path = found.path();
        let name = one_line(&found.file_name().to_string_lossy(), 200);
        let is_ics = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("ics"));
        if name.starts_with('.') || !is_ics {
            continue;
        }
        let problem = |why: String| {
            let what = format!("file `{name}`");
            (name.clone(), MailError::Malformed { what, why })
        };
        let is_file = found.file_type().is_ok_and(|it| it.is_file());
        let is_small = found.metadata().is_ok_and(|about| about.len() <= MAX_FILE);
        if !is_file || !is_small {
            let why = "it is no file, or too large".into();
            all.problems.push(problem(why));
            continue;
        }
        match fs::read(&path) {
            Ok(bytes) => {
                let file = ics::read(&String::from_utf8_lossy(&bytes), zone);
                all.entries.extend(file.events);
                all.problems.extend(file.problems.into_iter().map(problem));
                all.cut.extend(file.cut.map(problem));
            }
            Err(error) => {
                let error = failed(&place(root), &path, &error);
                all.problems.push((name.clone(), error));
            }
        }
    }
    Ok(all)
}

/// The events of a stretch of time, each with its start; nothing if there are too many.
fn instances(entries: &[IcsEvent], span: Span, zone: &TimeZone) -> Option<Vec<(Timestamp, Event)>> {
    let mut found = Vec::new();
    // Clock times differ from zone to zone by at most a day and some.
    let end = span.end.to_zoned(TimeZone::UTC).datetime();
    let end = end.checked_add(2.days()).unwrap_or(DateTime::MAX);
    let mut moved: HashMap<&str, Vec<&Moment>> = HashMap::new();
    for entry in entries {
        if let Some(moment) = &entry.instead_of {
            moved.entry(&entry.uid).or_default().push(moment);
        }
    }
    for entry in entries {
        let times = match &entry.rule {
            Some(rule) => rule.times(&entry.start, before(entry, span), end, zone),
            None => vec![entry.start.civil()],
        };
        for time in times {
            let moment = entry.start.moved(time);
            if is_replaced(entry, &moment, moved.get(&*entry.uid), zone) {
                continue;
            }
            let Some((start, stop, when)) = placed(entry, &moment, zone) else {
                continue;
            };
            // A reminder without a length is at its time.
            let touches =
                start < span.end && (stop > span.start || start == stop && start >= span.start);
            if touches && found.len() >= MAX_INSTANCES {
                return None;
            }
            if touches {
                found.push((start, event(entry, when, time)));
            }
        }
    }
    Some(found)
}

/// An instance that begins earlier is over when the stretch of time begins.
fn before(entry: &IcsEvent, span: Span) -> DateTime {
    let days = match entry.length {
        Length::Days(days) => days,
        Length::Seconds(seconds) => seconds / 86_400,
    };
    let start = span.start.to_zoned(TimeZone::UTC).datetime();
    let days = days.saturating_add(3).min(1_000_000);
    start.checked_sub(days.days()).unwrap_or(DateTime::MIN)
}

/// Whether an instance is left out, or another event of its name stands in for it. `moved` are the instances for which
/// one does.
fn is_replaced(
    entry: &IcsEvent,
    moment: &Moment,
    moved: Option<&Vec<&Moment>>,
    zone: &TimeZone,
) -> bool {
    let at = moment.instant(zone);
    let same = |other: &Moment| match (other, moment) {
        (Moment::Day(one), _) | (_, Moment::Day(one)) => {
            *one == moment.civil().date() && other.civil().date() == *one
        }
        _ => other.instant(zone) == at,
    };
    let is_series = entry.rule.is_some() && entry.instead_of.is_none();
    let mut moved = moved.into_iter().flatten();
    entry.except.iter().any(same) || is_series && moved.any(|other| same(other))
}

fn placed(
    entry: &IcsEvent,
    moment: &Moment,
    zone: &TimeZone,
) -> Option<(Timestamp, Timestamp, When)> {
    let start = moment.instant(zone)?;
    match (moment, entry.length) {
        (Moment::Day(first), Length::Days(days)) => {
            let end = first.checked_add(days.days()).ok()?;
            let stop = Moment::Day(end).instant(zone)?;
            Some((start, stop, When::Days { first: *first, end }))
        }
        (_, Length::Seconds(seconds)) => {
            let stop = start.checked_add(seconds.seconds()).ok()?;
            Some((start, stop, When::Times(Span { start, end: stop })))
        }
        (Moment::At(..), Length::Days(_)) => None,
    }
}

fn event(entry: &IcsEvent, when: When, time: DateTime) -> Event {
    let id = match entry.rule.is_some() {
        true => format!("{}_{}", entry.uid, time.strftime("%Y%m%dT%H%M%S")),
        false => entry.uid.clone(),
    };
    Event {
        id: EventId(id),
        title: entry.title.clone(),
        when,
        is_free: entry.is_free,
        attendees: entry.attendees.clone(),
    }
}

fn written(event: &NewEvent) -> Result<String, MailError> {
    let wrong = |_| MailError::Refused {
        place: "the calendar".into(),
        why: format!("`{}` is no time zone", one_line(&event.time_zone, 60)),
    };
    let zone = TimeZone::get(&event.time_zone).map_err(wrong)?;
    let local = |at: Timestamp| {
        at.to_zoned(zone.clone())
            .strftime("%Y%m%dT%H%M%S")
            .to_string()
    };
    let zone_name = one_line(&event.time_zone, 60);
    let mailto = |name: &str, address: &Address| {
        let common = address
            .name
            .as_deref()
            .map(|it| one_line(it, 200).replace('"', "'"));
        let common = common.map(|it| format!(";CN=\"{it}\"")).unwrap_or_default();
        format!("{name}{common}:mailto:{}", one_line(&address.email, 320))
    };
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//superstep//mail//EN".to_owned(),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{}", event.key),
        format!("DTSTAMP:{}", Timestamp::now().strftime("%Y%m%dT%H%M%SZ")),
        format!("DTSTART;TZID={zone_name}:{}", local(event.span.start)),
        format!("DTEND;TZID={zone_name}:{}", local(event.span.end)),
        format!("SUMMARY:{}", escaped(&one_line(&event.title, 500))),
        mailto("ORGANIZER", &event.organizer),
    ];
    let texts = [("LOCATION", &event.location), ("DESCRIPTION", &event.note)];
    lines.extend(texts.into_iter().filter_map(|(name, text)| {
        let text = escaped(text.as_deref()?)
            .replace("\r\n", "\n")
            .replace('\n', "\\n");
        Some(format!("{name}:{}", one_line(&text, 8_000)))
    }));
    lines.extend(event.attendees.iter().map(|it| mailto("ATTENDEE", it)));
    lines.extend(["END:VEVENT".to_owned(), "END:VCALENDAR".to_owned()]);
    Ok(lines.iter().map(|line| folded(line)).collect())
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | ',' | ';') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}
