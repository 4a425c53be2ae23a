//! Rooms that runs of a graph have left, for the next ones.

use std::sync::Mutex;

use superstep_core::run::Room;

/// More are seldom needed at once, and what is kept is kept as long as the graph.
const MOST: usize = 8;

/// Rooms that runs of a graph have left. Whoever finds it locked does without.
#[derive(Default)]
pub(crate) struct Rooms(Mutex<Vec<Room>>);

impl Rooms {
    /// A room that nobody uses, or a new one.
    pub(crate) fn take(&self) -> Room {
        let left = self.0.try_lock().ok().and_then(|mut rooms| rooms.pop());
        left.unwrap_or_default()
    }

    /// Keeps a room for the next run.
    pub(crate) fn keep(&self, room: Room) {
        if let Ok(mut rooms) = self.0.try_lock()
            && rooms.len() < MOST
        {
            rooms.push(room);
        }
    }
}
