//! Schedules, beside the threads.

use superstep_core::{
    clock::UnixMillis,
    error::SaverError,
    future::MaybeReady,
    saver::Schedules,
    schedules::{CronSchedule, FireSchedule},
};

use super::{MemorySaver, lock};

impl MemorySaver {
    fn fire(&self, fire: &FireSchedule) -> Result<bool, SaverError> {
        let mut schedules = lock(&self.0.schedules);
        let found = schedules.get_mut(&fire.id);
        let Some(schedule) = found.filter(|found| found.next == Some(fire.due)) else {
            return Ok(false);
        };
        let put = fire.run.clone().map(|run| self.put(run)).transpose();
        let run = match put {
            Ok(run) => run.map(|run| run.id),
            Err(SaverError::Busy { .. }) => None,
            Err(error) => return Err(error),
        };
        schedule.fire(fire, run);
        Ok(true)
    }
}

impl Schedules for MemorySaver {
    fn put_schedule(&self, schedule: CronSchedule) -> MaybeReady<'_, ()> {
        if !schedule.fits() {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        lock(&self.0.schedules).insert(schedule.id.clone(), schedule);
        self.0.runs.queue.ring(&());
        MaybeReady::now(Ok(()))
    }

    fn load_schedule(&self, id: &str) -> MaybeReady<'_, Option<CronSchedule>> {
        MaybeReady::now(Ok(lock(&self.0.schedules).get(id).cloned()))
    }

    fn list_schedules(&self) -> MaybeReady<'_, Vec<CronSchedule>> {
        let all = lock(&self.0.schedules).values().cloned().collect();
        MaybeReady::now(Ok(all))
    }

    fn delete_schedule(&self, id: &str) -> MaybeReady<'_, bool> {
        MaybeReady::now(Ok(lock(&self.0.schedules).remove(id).is_some()))
    }

    fn due_schedules(&self, now: UnixMillis) -> MaybeReady<'_, Vec<CronSchedule>> {
        let schedules = lock(&self.0.schedules);
        let due = schedules.values().filter(|schedule| schedule.is_due(now));
        let mut due: Vec<CronSchedule> = due.cloned().collect();
        due.sort_by_key(|schedule| schedule.next);
        MaybeReady::now(Ok(due))
    }

    fn fire_schedule(&self, fire: FireSchedule) -> MaybeReady<'_, bool> {
        let fired = self.fire(&fire);
        self.0.runs.queue.ring(&());
        MaybeReady::now(fired)
    }
}
