//! The id that clients know a thread by. Threads that a server makes are called by it; those that programs made
//! under names of their own have one that follows from the name.

use superstep::ThreadId;
use uuid::Uuid;

use crate::refusal::Refusal;

/// The id that clients know a thread by, whatever it is called in its storage.
#[must_use]
pub fn thread_uuid(name: &str) -> Uuid {
    Uuid::from_u128(ThreadId::from(name).uuid())
}

/// The id of a thread as clients see it.
pub(crate) fn public(thread: &ThreadId) -> String {
    Uuid::from_u128(thread.uuid()).to_string()
}

/// The id of a thread in its usual form.
pub(crate) fn thread_id(id: &str) -> Result<String, Refusal> {
    let wrong = |_| Refusal::invalid("Invalid thread ID: must be a UUID");
    Ok(Uuid::parse_str(id).map_err(wrong)?.to_string())
}

/// Whether an id, in its usual form, may stand for a thread with a name of its own.
pub(crate) fn follows_from_name(id: &str) -> bool {
    Uuid::parse_str(id).is_ok_and(|id| id.get_version_num() == 5)
}

pub(crate) fn no_thread(id: &str) -> Refusal {
    Refusal::missing(format!("Thread with ID {id} not found"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_stands_for_itself_and_a_name_for_one_that_never_changes() {
        let own = "019812d4-2d6f-7000-8000-000000000001";
        assert_eq!(thread_uuid(own).to_string(), own);
        let named = thread_uuid("archie-7f3k2m");
        assert_eq!(named.to_string(), "aac5a661-2f40-5699-9a3b-c2b3a7de07a1");
        assert_ne!(named, thread_uuid("archie-7f3k2n"));
    }
}
