//! What a day has, in the owner's zone, when the clocks change and when events recur.

use jiff::{civil::Date, tz::TimeZone};
use superstep_mail::{Day, WorkingHours};

use crate::fixture::Fixture;

fn event(lines: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:u\r\n{lines}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

/// The titles of a day and its free time, as clock times in a zone.
async fn day(fixture: &Fixture, date: &str, zone: &str) -> (Vec<String>, Vec<String>) {
    let date = Date::strptime("%Y-%m-%d", date).unwrap();
    let zone = TimeZone::get(zone).unwrap();
    let day = Day::of(&fixture.calendar(), date, &zone, &WorkingHours::default())
        .await
        .unwrap();
    let clock = |at: jiff::Timestamp| at.to_zoned(zone.clone()).strftime("%H:%M").to_string();
    let free = day
        .free
        .iter()
        .map(|it| format!("{}-{}", clock(it.start), clock(it.end)));
    let titles = day.events.iter().map(|it| it.title.clone());
    (titles.collect(), free.collect())
}

#[tokio::test]
async fn free_time_is_what_nothing_takes_in_working_hours() {
    let fixture = Fixture::new();
    fixture.put_meeting("a.ics", &event("SUMMARY:a\r\nDTSTART;TZID=Europe/Berlin:20261116T100000\r\nDTEND;TZID=Europe/Berlin:20261116T110000"));
    fixture.put_meeting(
        "b.ics",
        &event("SUMMARY:b\r\nDTSTART;TZID=Europe/Berlin:20261116T103000\r\nDURATION:PT1H"),
    );
    fixture.put_meeting("c.ics", &event("SUMMARY:maybe\r\nTRANSP:TRANSPARENT\r\nDTSTART;TZID=Europe/Berlin:20261116T140000\r\nDURATION:PT1H"));
    fixture.put_meeting("d.ics", &event("SUMMARY:gone\r\nSTATUS:CANCELLED\r\nDTSTART;TZID=Europe/Berlin:20261116T150000\r\nDURATION:PT1H"));
    let (titles, free) = day(&fixture, "2026-11-16", "Europe/Berlin").await;
    assert_eq!(titles, ["a", "b", "maybe"]);
    assert_eq!(free, ["09:00-10:00", "11:30-17:00"]);
    let (_, sunday) = day(&fixture, "2026-11-15", "Europe/Berlin").await;
    assert!(sunday.is_empty());
}

#[tokio::test]
async fn an_event_of_a_whole_day_takes_the_day_wherever_the_reader_is() {
    let fixture = Fixture::new();
    fixture.put_meeting(
        "a.ics",
        &event("SUMMARY:holiday\r\nDTSTART;VALUE=DATE:20261116\r\nDTEND;VALUE=DATE:20261118"),
    );
    for zone in ["Europe/Berlin", "Asia/Tokyo", "America/Los_Angeles"] {
        for date in ["2026-11-16", "2026-11-17"] {
            let (titles, free) = day(&fixture, date, zone).await;
            assert_eq!(titles, ["holiday"], "{date} in {zone}");
            assert!(free.is_empty(), "{date} in {zone}");
        }
    }
    let (_, free) = day(&fixture, "2026-11-18", "Europe/Berlin").await;
    assert_eq!(free, ["09:00-17:00"]);
}

#[tokio::test]
async fn a_weekly_meeting_keeps_its_clock_time_over_the_change_of_clocks() {
    let fixture = Fixture::new();
    // New York changes its clocks on 2026-11-01, Berlin on 2026-10-25.
    fixture.put_meeting("a.ics", &event("SUMMARY:sync\r\nDTSTART;TZID=America/New_York:20261012T090000\r\nDURATION:PT1H\r\nRRULE:FREQ=WEEKLY;COUNT=6\r\nEXDATE;TZID=America/New_York:20261109T090000"));
    let free = async |date: &str| day(&fixture, date, "Europe/Berlin").await.1;
    assert_eq!(free("2026-10-19").await, ["09:00-15:00", "16:00-17:00"]);
    assert_eq!(free("2026-10-26").await, ["09:00-14:00", "15:00-17:00"]);
    assert_eq!(free("2026-11-02").await, ["09:00-15:00", "16:00-17:00"]);
    assert_eq!(
        free("2026-11-09").await,
        ["09:00-17:00"],
        "it is left out on this day"
    );
    assert_eq!(free("2026-11-16").await, ["09:00-15:00", "16:00-17:00"]);
    assert_eq!(
        free("2026-11-23").await,
        ["09:00-17:00"],
        "six times and no more"
    );
    let there = day(&fixture, "2026-11-02", "America/New_York").await.1;
    assert_eq!(there, ["10:00-17:00"]);
}

#[tokio::test]
async fn a_day_on_which_the_clocks_change_has_all_its_hours() {
    let fixture = Fixture::new();
    fixture.put_meeting(
        "a.ics",
        &event("SUMMARY:late\r\nDTSTART;TZID=Europe/Berlin:20261025T233000\r\nDURATION:PT20M"),
    );
    fixture.put_meeting(
        "b.ics",
        &event("SUMMARY:early\r\nDTSTART;TZID=Europe/Berlin:20261025T001000\r\nDURATION:PT20M"),
    );
    let (titles, _) = day(&fixture, "2026-10-25", "Europe/Berlin").await;
    assert_eq!(titles, ["early", "late"], "a day of 25 hours");
    fixture.put_meeting(
        "c.ics",
        &event("SUMMARY:spring\r\nDTSTART;TZID=Europe/Berlin:20260329T233000\r\nDURATION:PT20M"),
    );
    let (titles, _) = day(&fixture, "2026-03-29", "Europe/Berlin").await;
    assert_eq!(titles, ["spring"], "a day of 23 hours");
}

#[tokio::test]
async fn an_instance_that_was_moved_is_where_it_was_moved_to() {
    let fixture = Fixture::new();
    let master = "UID:s\r\nSUMMARY:sync\r\nDTSTART:20261116T100000Z\r\nDURATION:PT1H\r\nRRULE:FREQ=DAILY;COUNT=3";
    let moved = "UID:s\r\nSUMMARY:moved\r\nRECURRENCE-ID:20261117T100000Z\r\nDTSTART:20261117T130000Z\r\nDURATION:PT1H";
    fixture.put_meeting(
        "a.ics",
        &format!(
            "BEGIN:VEVENT\r\n{master}\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\n{moved}\r\nEND:VEVENT\r\n"
        ),
    );
    let (titles, free) = day(&fixture, "2026-11-17", "UTC").await;
    assert_eq!(titles, ["moved"]);
    assert_eq!(free, ["09:00-13:00", "14:00-17:00"]);
    assert_eq!(day(&fixture, "2026-11-18", "UTC").await.0, ["sync"]);
}
