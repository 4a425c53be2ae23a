//! Whether anything was noted of a checkpoint's tasks since somebody looked.

use xxhash_rust::xxh3::xxh3_64;

use crate::record::{PlainAnswer, TaskNote};

/// What is noted of the tasks of a checkpoint, as a number: it changes when a task takes an answer, asks,
/// ends, fails or starts an effect. The same for the same notes, whichever way they were stored.
pub fn noted(notes: &[TaskNote]) -> u64 {
    let one = |note: &TaskNote| {
        let asks: Vec<_> = note.extras.asks.iter().map(|ask| ask.id).collect();
        let effects: Vec<_> = note.extras.effects.keys().collect();
        let plain = match &note.extras.resume {
            None => 0,
            Some(PlainAnswer::Given(_)) => 1,
            Some(PlainAnswer::Taken) => 2,
        };
        let mut seen = format!(
            "{:?} {asks:?} {} {} {} {} {} {plain} {effects:?}",
            note.key,
            note.extras.answered,
            note.extras.answers.len(),
            note.output.is_some(),
            note.extras.error.is_some(),
            note.extras.handled,
        );
        // Numbers of earlier versions stay what they are.
        if !note.extras.given.is_empty() {
            seen.push_str(&format!(" {:?}", note.extras.given.keys()));
        }
        xxh3_64(seen.as_bytes())
    };
    notes.iter().map(one).fold(0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        record::{NoteExtras, TaskKey},
        value::Value,
    };

    #[test]
    fn a_note_more_is_seen_and_the_order_of_notes_is_not() {
        let (one, two) = (
            TaskNote::new(TaskKey::Send(1)),
            TaskNote::new(TaskKey::Send(2)),
        );
        let both = noted(&[one.clone(), two.clone()]);
        assert_eq!(both, noted(&[two.clone(), one.clone()]));
        assert_ne!(both, noted(std::slice::from_ref(&one)));
        assert_eq!(noted(&[]), 0);
        let given = TaskNote::with(
            TaskKey::Input,
            NoteExtras {
                resume: Some(PlainAnswer::Given(Value::Null)),
                ..NoteExtras::NONE
            },
        );
        let mut taken = given.clone();
        taken.extras.resume = Some(PlainAnswer::Taken);
        assert_ne!(noted(&[given]), noted(&[taken]));
    }
}
