//! Schedules of a graph: cron expressions with a time zone, checked when they are stored, and what a worker
//! makes of one that is due.

use std::fmt;

use superstep_core::{
    clock::UnixMillis,
    error::{Error, ErrorKind},
    id::RunId,
    schedules::{CronSchedule, FireSchedule, Missed},
};

use crate::graph::DynGraph;

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
        let saver = self.saver()?;
        let (now, schedules) = (saver.now().await?, saver.schedules());
        let known = schedules.load_schedule(&schedule.id).await?;
        let mut schedule = CronSchedule {
            graph: self.0.plan.name.clone(),
            created: known.as_ref().map_or(now, |known| known.created),
            last: known.and_then(|known| known.last),
            problem: None,
            ..schedule
        };
        let wrong = |no: NoSchedule| ErrorKind::BadArgument {
            why: no.to_string(),
        };
        self.stamp_version(&mut schedule.options, &schedule.input);
        schedule.next = next_due(&schedule, now).map_err(wrong)?;
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

/// Why the text of a schedule names no times.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoSchedule {
    /// No time zone has this name.
    Zone(String),
    /// The expression cannot be read, or no day of the calendar fits it.
    Cron {
        /// The expression.
        cron: String,
        /// What is wrong with it.
        why: String,
    },
}

impl fmt::Display for NoSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zone(zone) => write!(f, "`{zone}` is not the name of a time zone"),
            Self::Cron { cron, why } => write!(f, "`{cron}` is no time of a calendar: {why}"),
        }
    }
}

impl std::error::Error for NoSchedule {}

/// When a schedule is due after a time; never if its end comes before. [`DynGraph::schedule`] and workers
/// go by it; it is here for who shows a schedule before it is stored, or keeps schedules in another way.
///
/// The five fields are minute, hour, day of month, month and day of week; `@yearly`, `@monthly`, `@weekly`,
/// `@daily` and `@hourly` stand for the first moment of each. If both days are restricted, either of them is
/// enough. A time that the clock of the zone jumps over is left out; of an hour that it shows twice, the
/// first is taken, unless every hour is meant.
///
/// ```
/// # use superstep_engine::next_due;
/// # use superstep_core::schedules::CronSchedule;
/// let daily = CronSchedule::new("nightly", "30 3 * * *");
/// assert_eq!(next_due(&daily, 0)?, Some((3 * 60 + 30) * 60_000));
/// assert!(next_due(&CronSchedule::new("wrong", "61 * * * *"), 0).is_err());
/// # Ok::<_, superstep_engine::NoSchedule>(())
/// ```
pub fn next_due(
    schedule: &CronSchedule,
    after: UnixMillis,
) -> Result<Option<UnixMillis>, NoSchedule> {
    let CronSchedule { cron, zone, .. } = schedule;
    let wrong = |why: String| NoSchedule::Cron {
        cron: cron.clone(),
        why,
    };
    let unread = |error: cronexpr::Error| wrong(error.to_string());
    // The zone is the last field of the parser's own form.
    let is_zone = !zone.is_empty() && !zone.contains(char::is_whitespace);
    if !is_zone || cronexpr::parse_crontab(&format!("* * * * * {zone}")).is_err() {
        return Err(NoSchedule::Zone(zone.clone()));
    }
    let fields = match cron.trim() {
        "@yearly" | "@annually" => "0 0 1 1 *",
        "@monthly" => "0 0 1 * *",
        "@weekly" => "0 0 * * 0",
        "@daily" | "@midnight" => "0 0 * * *",
        "@hourly" => "0 * * * *",
        fields => fields,
    };
    if fields.split_whitespace().count() != 5 {
        let five = "it must have five fields: minute, hour, day of month, month, day of week";
        return Err(wrong(five.to_owned()));
    }
    let hours = fields.split_whitespace().nth(1).unwrap_or("*");
    let times = cronexpr::parse_crontab(&format!("{fields} {zone}")).map_err(unread)?;
    let after = cronexpr::MakeTimestamp::from_millisecond(after).map_err(unread)?;
    let mut next = times.find_next(after).map_err(unread)?;
    // When clocks are set back, an hour comes twice. Who names it means one of them.
    let both = next.time_zone().to_ambiguous_zoned(next.datetime());
    let is_second = both
        .earlier()
        .is_ok_and(|first| first.timestamp() < next.timestamp());
    if !hours.contains('*') && is_second {
        let second = cronexpr::MakeTimestamp(next.timestamp());
        next = times.find_next(second).map_err(unread)?;
    }
    let next = next.timestamp().as_millisecond();
    Ok(schedule.end.is_none_or(|end| next < end).then_some(next))
}

/// What the worker of a graph makes of a schedule that is due: nothing if it was stored by a program of another
/// version of the state, and stays due with the reason, which it says already.
pub(crate) fn firing_of(
    graph: &DynGraph,
    mut schedule: CronSchedule,
    at: UnixMillis,
) -> Option<FireSchedule> {
    let (input, options) = (schedule.input.clone(), &schedule.options);
    match graph.migrate_queued(input, options, None) {
        Ok(input) => {
            graph.stamp_version(&mut schedule.options, &input);
            schedule.input = input;
            Some(firing(&schedule, at, graph.new_run_id()))
        }
        Err(why) => {
            let of = options.state_version.unwrap_or_default();
            let problem = format!("its input is of version {of} of the state: {why}");
            let is_known = schedule.problem.as_ref() == Some(&problem);
            let due = schedule.next.unwrap_or(at);
            (!is_known).then(|| FireSchedule {
                id: schedule.id,
                due,
                at,
                next: Some(due),
                run: None,
                problem: Some(problem),
            })
        }
    }
}

/// What a worker makes of a schedule that is due.
fn firing(schedule: &CronSchedule, at: UnixMillis, run: RunId) -> FireSchedule {
    let due = schedule.next.unwrap_or(at);
    let from = match schedule.missed {
        Missed::Each => due,
        _ => at,
    };
    let (next, problem) = match next_due(schedule, from) {
        Ok(next) => (next, None),
        // It was stored by a program that knew the zone; whoever looks at it can see why it stopped.
        Err(no) => (None, Some(no.to_string())),
    };
    let is_over = schedule.end.is_some_and(|end| due >= end);
    let is_skipped = schedule.missed == Missed::Skip && at.saturating_sub(due) > LATE;
    let run = (!is_skipped && !is_over).then(|| schedule.run(run));
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
            at = next_due(&schedule, at).unwrap().unwrap();
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
            ("*/0 * * * *", "UTC"),
            ("5-1 * * * *", "UTC"),
            ("* * 0 * *", "UTC"),
            ("banana", "UTC"),
            ("", "UTC"),
        ] {
            let schedule = CronSchedule {
                zone: zone.to_owned(),
                ..CronSchedule::new("s", cron)
            };
            let no = next_due(&schedule, 0).unwrap_err();
            let is_zone = matches!(no, NoSchedule::Zone(_));
            assert_eq!(is_zone, zone != "UTC", "{cron} {zone}: {no}");
        }
    }

    #[test]
    fn fields_have_lists_ranges_steps_and_names() {
        for (cron, after, expected) in [
            ("* * * * *", "2026-11-15T00:23:53Z", "2026-11-15T00:24:00Z"),
            (
                "*/5 * * * *", "2026-11-15T00:25:00Z", "2026-11-15T00:30:00Z",
            ),
            ("0 9 * * 1", "2026-11-15T00:00:00Z", "2026-11-16T09:00:00Z"),
            (
                "0 9 * * MON-FRI", "2026-11-13T10:00:00Z", "2026-11-16T09:00:00Z",
            ),
            ("0 0 29 2 *", "2026-11-15T00:00:00Z", "2028-02-29T00:00:00Z"),
            ("0 0 1 * 7", "2026-11-15T01:00:00Z", "2026-11-22T00:00:00Z"),
            (
                "30 10-12/2 * jan *", "2026-11-15T00:00:00Z", "2027-01-01T10:30:00Z",
            ),
            ("@hourly", "2026-11-15T00:00:00Z", "2026-11-15T01:00:00Z"),
            ("@weekly", "2026-11-15T00:00:00Z", "2026-11-22T00:00:00Z"),
        ] {
            assert_eq!(times(cron, "UTC", after, 1), [at(expected)], "{cron}");
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
            let fire = firing(&hourly(missed), now, RunId(1));
            (fire.run.is_some(), fire.next.unwrap())
        };
        assert_eq!(shown(Missed::Once), (true, at("2026-01-01T04:00:00Z")));
        assert_eq!(shown(Missed::Each), (true, at("2026-01-01T02:00:00Z")));
        assert_eq!(shown(Missed::Skip), (false, at("2026-01-01T04:00:00Z")));
        let late = firing(&hourly(Missed::Skip), at("2026-01-01T01:00:59Z"), RunId(1));
        assert!(late.run.is_some());
        let ended = CronSchedule {
            end: Some(at("2026-01-01T02:00:00Z")),
            ..hourly(Missed::Once)
        };
        let last = firing(&ended, at("2026-01-01T01:00:00Z"), RunId(1));
        assert_eq!((last.run.is_some(), last.next), (true, None));
    }
}
