//! `Schedules` over a database.

use superstep_core::{
    clock::UnixMillis,
    error::SaverError,
    future::MaybeReady,
    saver::Schedules,
    schedules::{CronSchedule, FireSchedule},
};

use super::{SqliteSaver, run_queue::enqueue};
use crate::{queue::Urgency, schedules, sync_level::SyncLevel, watch::Topic, writer::Writer};

fn fire(writer: &mut Writer, fire: &FireSchedule, worker: i64) -> Result<bool, SaverError> {
    let found = schedules::find(writer.db()?, &writer.seal, &fire.id)?;
    let Some(mut schedule) = found.filter(|found| found.next == Some(fire.due)) else {
        return Ok(false);
    };
    let run = match &fire.run {
        None => None,
        Some(run) => match writer.in_savepoint(|writer| enqueue(writer, run.clone(), worker)) {
            Ok(run) => Some(run.id),
            Err(SaverError::Busy { .. }) => None,
            Err(error) => return Err(error),
        },
    };
    schedule.fire(fire, run);
    schedules::put(writer, &schedule)?;
    Ok(true)
}

impl Schedules for SqliteSaver {
    fn put_schedule(&self, schedule: CronSchedule) -> MaybeReady<'_, ()> {
        if !schedule.fits() {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        let queue = &self.0.0.queue;
        queue.submit(SyncLevel::Full, Urgency::Immediate, move |writer| {
            writer.changes.add(Topic::Queue);
            schedules::put(writer, &schedule)
        })
    }

    fn load_schedule(&self, id: &str) -> MaybeReady<'_, Option<CronSchedule>> {
        let inner = &self.0.0;
        let read = |db: &_| schedules::find(db, &inner.seal, id);
        MaybeReady::now(inner.readers.read(read))
    }

    fn list_schedules(&self) -> MaybeReady<'_, Vec<CronSchedule>> {
        let inner = &self.0.0;
        let read = |db: &_| schedules::all(db, &inner.seal);
        MaybeReady::now(inner.readers.read(read))
    }

    fn delete_schedule(&self, id: &str) -> MaybeReady<'_, bool> {
        let (queue, id) = (&self.0.0.queue, id.to_owned());
        queue.submit(SyncLevel::Full, Urgency::Immediate, move |writer| {
            schedules::delete(writer.change()?, &id)
        })
    }

    fn due_schedules(&self, now: UnixMillis) -> MaybeReady<'_, Vec<CronSchedule>> {
        let inner = &self.0.0;
        let read = |db: &_| schedules::due(db, &inner.seal, now);
        MaybeReady::now(inner.readers.read(read))
    }

    fn fire_schedule(&self, due: FireSchedule) -> MaybeReady<'_, bool> {
        let inner = &self.0.0;
        let worker = inner.worker_id();
        inner
            .queue
            .submit(SyncLevel::Full, Urgency::Immediate, move |writer| {
                writer.in_savepoint(|writer| fire(writer, &due, worker))
            })
    }
}
