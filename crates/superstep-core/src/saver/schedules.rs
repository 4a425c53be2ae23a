//! Schedules in a saver: what is due, and runs that are put into the queue once for each time.
//!
//! What a schedule holds, and the rules for it, is in [`crate::schedules`].

use super::MaybeReady;
use crate::{
    clock::UnixMillis,
    schedules::{CronSchedule, FireSchedule},
};

/// Keeps schedules. [`super::Saver::schedules`] gives it.
///
/// They belong to no thread: they stay when threads are deleted.
pub trait Schedules: Send + Sync {
    /// Stores a schedule, in the place of one with the same id; durable when the reply comes.
    fn put_schedule(&self, schedule: CronSchedule) -> MaybeReady<'_, ()>;

    /// A schedule, if there is one of this id.
    fn load_schedule(&self, id: &str) -> MaybeReady<'_, Option<CronSchedule>>;

    /// All schedules, in order of id.
    fn list_schedules(&self) -> MaybeReady<'_, Vec<CronSchedule>>;

    /// Deletes a schedule; returns whether there was one. Its runs stay.
    fn delete_schedule(&self, id: &str) -> MaybeReady<'_, bool>;

    /// The schedules that are due at a time, those that are due longest first.
    fn due_schedules(&self, now: UnixMillis) -> MaybeReady<'_, Vec<CronSchedule>>;

    /// Puts the run of a schedule that is due into the queue and notes when it is due next: both or
    /// neither, durable when the reply comes. Returns whether it was due at that time; if not, another
    /// worker was first, or it was changed. A run that is refused because its thread is busy is left
    /// out.
    fn fire_schedule(&self, fire: FireSchedule) -> MaybeReady<'_, bool>;
}
