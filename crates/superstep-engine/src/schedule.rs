//! Schedules of a graph: cron expressions with a time zone, checked when they are stored, and what a worker
//! makes of one that is due.

use superstep_core::{
    clock::{Clock as _, UnixMillis},
    error::{Error, ErrorKind},
    schedules::{CronSchedule, FireSchedule, Missed},
};

use crate::{graph::DynGraph, run_entry::new_run_id};

/// A worker that comes this late has missed nothing.
const LATE: UnixMillis = 60_000;

impl DynGraph {
    /// Stores a schedule of this graph in its saver, in the place of one with the same id; durable when it
    /// returns. Whichever [`Worker`](crate::Worker) of the graph is there when it is due puts its run into
    /// the queue, one of them for each time. An expression or a time zone that is none is refused here.
    ///
    /// ```
    /// # use serde_json::json;
    /// # use superstep_engine::{Backends, DynCtx, DynGraphBuilder, memory::MemorySaver};
    /// # use superstep_core::{run::Halt, runs::QueuedInput, schedules::CronSchedule};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let graph = DynGraphBuilder::new().last_value("x").name("report")
    /// #     .node("work", |_: DynCtx| async { Ok::<_, Halt>(json!({ "x": 1 })) })
    /// #     .edge("__start__", "work").backends(Backends::on(MemorySaver::new())).build()?;
    /// let nightly = CronSchedule {
    ///     zone: "Europe/Berlin".to_owned(),
    ///     input: QueuedInput::Value(json!({ "x": 0 }).into()),
    ///     ..CronSchedule::new("nightly", "30 3 * * *")
    /// };
    /// let stored = graph.schedule(nightly).await?;
    /// assert!(stored.next.is_some());
    /// let wrong = graph.schedule(CronSchedule::new("wrong", "61 * * * *")).await;
    /// assert_eq!(wrong.unwrap_err().code(), "SS1111");
    /// # Ok(()) }
    /// ```
    pub async fn schedule(&self, schedule: CronSchedule) -> Result<CronSchedule, Error> {
        let now = self.0.clock.now();
        let schedules = self.saver()?.schedules();
        let known = schedules.load_schedule(&schedule.id).await?;
        let mut schedule = CronSchedule {
            graph: self.0.plan.name.clone(),
            created: known.as_ref().map_or(now, |known| known.created),
            last: known.and_then(|known| known.last),
            problem: None,
            ..schedule
        };
        let next = next_after(&schedule, now);
        schedule.next = next.map_err(|why| ErrorKind::BadArgument { why })?;
        schedules.put_schedule(schedule.clone()).await?;
        Ok(schedule)
    }

    /// The schedules of this graph, in order of id.
    pub async fn schedules(&self) -> Result<Vec<CronSchedule>, Error> {
        let mut all = self.saver()?.schedules().list_schedules().await?;
        all.retain(|schedule| schedule.graph == self.0.plan.name);
        Ok(all)
    }

    /// Deletes a schedule; returns whether there was one. Runs that are in the queue stay.
    pub async fn unschedule(&self, id: &str) -> Result<bool, Error> {
        Ok(self.saver()?.schedules().delete_schedule(id).await?)
    }
}

/// When a schedule is due after a time; never if its end comes before.
fn next_after(schedule: &CronSchedule, after: UnixMillis) -> Result<Option<UnixMillis>, String> {
    let CronSchedule { cron, zone, .. } = schedule;
    let wrong = |error: cronexpr::Error| {
        format!("`{cron}` in the time zone `{zone}` is no time of a calendar: {error}")
    };
    // The zone is the last field of the parser's own form.
    if zone.is_empty() || zone.contains(char::is_whitespace) {
        return Err(format!("`{zone}` is not the name of a time zone"));
    }
    if cron.split_whitespace().count() != 5 {
        return Err(format!(
            "`{cron}` does not have five fields: minute, hour, day of month, month, day of week"
        ));
    }
    let names_hours = !cron.split_whitespace().nth(1).unwrap_or("*").contains('*');
    let cron = cronexpr::parse_crontab(&format!("{cron} {zone}")).map_err(wrong)?;
    let after = cronexpr::MakeTimestamp::from_millisecond(after).map_err(wrong)?;
    let mut next = cron.find_next(after).map_err(wrong)?;
    // When clocks are set back, an hour comes twice. Who names it means one of them.
    let both = next.time_zone().to_ambiguous_zoned(next.datetime());
    let is_second = both
        .earlier()
        .is_ok_and(|first| first.timestamp() < next.timestamp());
    if names_hours && is_second {
        let second = cronexpr::MakeTimestamp(next.timestamp());
        next = cron.find_next(second).map_err(wrong)?;
    }
    let next = next.timestamp().as_millisecond();
    Ok(schedule.end.is_none_or(|end| next < end).then_some(next))
}

/// What a worker makes of a schedule that is due.
pub(crate) fn firing(schedule: &CronSchedule, at: UnixMillis) -> FireSchedule {
    let due = schedule.next.unwrap_or(at);
    let from = match schedule.missed {
        Missed::Each => due,
        _ => at,
    };
    let (next, problem) = match next_after(schedule, from) {
        Ok(next) => (next, None),
        // It was stored by a program that knew the zone; whoever looks at it can see why it stopped.
        Err(why) => (None, Some(why)),
    };
    let is_over = schedule.end.is_some_and(|end| due >= end);
    let is_skipped = schedule.missed == Missed::Skip && at.saturating_sub(due) > LATE;
    let run = (!is_skipped && !is_over).then(|| schedule.run(new_run_id()));
    FireSchedule {
        id: schedule.id.clone(),
        due,
        at,
        next,
        run,
        problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times after one.
    fn times(cron: &str, zone: &str, after: &str, count: usize) -> Vec<i64> {
        let schedule = CronSchedule {
            zone: zone.to_owned(),
            ..CronSchedule::new("s", cron)
        };
        let mut at = at(after);
        let mut found = Vec::new();
        for _ in 0..count {
            at = next_after(&schedule, at).unwrap().unwrap();
            found.push(at);
        }
        found
    }

    fn at(text: &str) -> i64 {
        let time: cronexpr::MakeTimestamp = text.parse().unwrap();
        time.0.as_millisecond()
    }

    #[test]
    fn times_are_those_of_the_zone_also_when_its_clocks_change() {
        let before = times("30 3 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 2);
        let wanted = [at("2026-03-28T02:30:00Z"), at("2026-03-29T01:30:00Z")];
        assert_eq!(before, wanted);
        // The hour from two to three is left out that night, and comes twice in autumn.
        let spring = times("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 1);
        assert_eq!(spring, [at("2026-03-30T00:30:00Z")]);
        let autumn = times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2);
        let wanted = [at("2026-10-25T00:30:00Z"), at("2026-10-26T01:30:00Z")];
        assert_eq!(autumn, wanted);
        let hourly = times("30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", 2);
        let wanted = [at("2026-10-25T00:30:00Z"), at("2026-10-25T01:30:00Z")];
        assert_eq!(hourly, wanted);
        let next = times("0 0 1 * *", "UTC", "2026-01-01T00:00:00Z", 1);
        assert_eq!(next, [at("2026-02-01T00:00:00Z")]);
    }

    #[test]
    fn what_is_no_time_of_a_calendar_is_refused_with_the_reason() {
        for (cron, zone) in [
            ("61 * * * *", "UTC"),
            ("* * * *", "UTC"),
            ("* * * * * *", "UTC"),
            ("* * * * *", "Mars/Olympus"),
            ("* * * * *", ""),
            ("0 0 30 2 *", "UTC"),
        ] {
            let schedule = CronSchedule {
                zone: zone.to_owned(),
                ..CronSchedule::new("s", cron)
            };
            assert!(next_after(&schedule, 0).is_err(), "{cron} {zone}");
        }
    }

    #[test]
    fn what_was_missed_is_run_once_for_each_time_or_not_at_all() {
        let hourly = |missed| CronSchedule {
            missed,
            next: Some(at("2026-01-01T01:00:00Z")),
            ..CronSchedule::new("s", "0 * * * *")
        };
        let now = at("2026-01-01T03:30:00Z");
        let shown = |missed| {
            let fire = firing(&hourly(missed), now);
            (fire.run.is_some(), fire.next.unwrap())
        };
        assert_eq!(shown(Missed::Once), (true, at("2026-01-01T04:00:00Z")));
        assert_eq!(shown(Missed::Each), (true, at("2026-01-01T02:00:00Z")));
        assert_eq!(shown(Missed::Skip), (false, at("2026-01-01T04:00:00Z")));
        let late = firing(&hourly(Missed::Skip), at("2026-01-01T01:00:59Z"));
        assert!(late.run.is_some());
        let ended = CronSchedule {
            end: Some(at("2026-01-01T02:00:00Z")),
            ..hourly(Missed::Once)
        };
        let last = firing(&ended, at("2026-01-01T01:00:00Z"));
        assert_eq!((last.run.is_some(), last.next), (true, None));
    }
}
