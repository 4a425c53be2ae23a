//! Identities: threads, runs, checkpoints, tasks, asks, namespaces.
//!
//! A task's id is a hash of its place (checkpoint, namespace, step, node, path), so a task
//! that runs again from the same checkpoint is the same task, and a fork's tasks are new ones.
//! Ids are computed only when something looks at them.
//!
//! In JSON and other forms that people and scripts read, ids are text, since a number of 128 bits
//! is rounded by most readers; binary forms hold the number.

pub(crate) mod text;

mod run_id;

use std::{
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
    sync::{Arc, LazyLock},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

pub use run_id::RunId;

use crate::value::Value;

/// Names a conversation or job; everything durable hangs off it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadId(Arc<str>);

impl ThreadId {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The UUID that clients know the thread by: the name itself if that is one, otherwise one of version 5 that follows
    /// from the name and never changes.
    pub fn uuid(&self) -> u128 {
        let name = self.as_str();
        let uuid = Uuid::try_parse(name).unwrap_or_else(|_| Uuid::new_v5(&NAMES, name.as_bytes()));
        uuid.as_u128()
    }

    /// The thread that is called by a UUID in its usual form.
    pub fn of_uuid(uuid: u128) -> Self {
        Self::from(Uuid::from_u128(uuid).to_string())
    }
}

/// The namespace of UUIDs that follow from names.
const NAMES: Uuid = Uuid::from_u128(0x8f0d_5c0e_41f7_5b1a_9d6c_2a63_e7c1_90b4);

impl<T: AsRef<str>> From<T> for ThreadId {
    fn from(name: T) -> Self {
        Self(name.as_ref().into())
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! wide_id {
    ($($(#[$doc:meta])* $name:ident),+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u128);

        impl FromStr for $name {
            type Err = ParseIdError;
            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                parse_hex(text).map(Self)
            }
        }

        /// Text where people or scripts read it, 16 bytes elsewhere.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                if out.is_human_readable() {
                    return out.collect_str(self);
                }
                out.serialize_newtype_struct(stringify!($name), &self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                text::read(from, parse_hex).map(Self)
            }
        }
    )+};
}

wide_id! {
    /// Names one committed step of a thread. Later ids are greater, across all namespaces.
    CheckpointId,
    /// Names one task of one step.
    TaskId,
    /// Names one question: the same question keeps its id over re-execution.
    AskId
}

impl CheckpointId {
    /// Quarters of microseconds since 1970, if the id has the layout in which the engine's clock makes them; of ids of one
    /// microsecond they tell which came first.
    pub fn ticks(self) -> u64 {
        let high = (self.0 >> 80) as u64;
        (high << 12) | ((self.0 >> 64) as u64 & 0xfff)
    }

    /// When it was made, in microseconds since 1970, if it has that layout.
    pub fn made_at(self) -> u64 {
        self.ticks() >> 2
    }
}

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hyphenated(self.0, f)
    }
}
impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hyphenated(self.0, f)
    }
}
impl fmt::Display for AskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

fn hyphenated(id: u128, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        id >> 96,
        (id >> 80) & 0xffff,
        (id >> 64) & 0xffff,
        (id >> 48) & 0xffff,
        id & 0xffff_ffff_ffff
    )
}

/// How long an id is as text with hyphens.
const ID_LEN: usize = 36;

/// The same as [`hyphenated`], for names made during a run.
fn hyphenated_text(id: u128) -> [u8; ID_LEN] {
    let text = |digit: u8| digit + if digit < 10 { b'0' } else { b'a' - 10 };
    let digits = id
        .to_be_bytes()
        .map(|byte| [text(byte >> 4), text(byte & 0xf)]);
    let mut left = digits.as_flattened();
    let mut text = [b'-'; ID_LEN];
    for part in [0..8, 9..13, 14..18, 19..23, 24..ID_LEN] {
        if let Some(part) = text.get_mut(part)
            && let Some((digits, more)) = left.split_at_checked(part.len())
        {
            part.copy_from_slice(digits);
            left = more;
        }
    }
    text
}

/// Reads parts as one. Names made during a run are short, and need no room of their own for that.
fn joined<T>(parts: &[&[u8]], read: impl FnOnce(&[u8]) -> T) -> T {
    let mut room = [0; 512];
    let mut len = 0;
    for part in parts {
        let end = len + part.len();
        match room.get_mut(len..end) {
            Some(place) => place.copy_from_slice(part),
            None => return read(&parts.concat()),
        }
        len = end;
    }
    read(room.get(..len).unwrap_or_default())
}

/// Text is not an id.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not an id: expected 32 hexadecimal digits, with or without hyphens")]
pub struct ParseIdError(pub String);

fn parse_hex(text: &str) -> Result<u128, ParseIdError> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    match (digits.len(), u128::from_str_radix(&digits, 16)) {
        (32, Ok(id)) => Ok(id),
        _ => Err(ParseIdError(text.to_owned())),
    }
}

/// Where new checkpoint ids come from; injected, so that a simulation can replay them.
pub trait IdSource: Send + Sync {
    /// An id greater than every id given before and than `floor`.
    fn next(&self, floor: Option<CheckpointId>) -> CheckpointId;
}

impl<I: IdSource + ?Sized> IdSource for Arc<I> {
    fn next(&self, floor: Option<CheckpointId>) -> CheckpointId {
        (**self).next(floor)
    }
}

/// A graph's place inside its thread: empty for the root, else `node:task|node:task`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GraphPath(Arc<str>);

impl Hash for GraphPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // A long path ends with the id of its last task, which is a hash of its whole place already.
        let text = self.0.as_bytes();
        state.write(text.last_chunk::<ID_LEN>().map_or(text, |id| id.as_slice()));
    }
}

impl Default for GraphPath {
    fn default() -> Self {
        // Every run has a root, so the empty name is made once.
        static ROOT: LazyLock<Arc<str>> = LazyLock::new(|| "".into());
        Self(ROOT.clone())
    }
}

impl GraphPath {
    /// The text form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the thread's own graph.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The namespace of a task of this graph.
    #[must_use]
    pub fn task(&self, node: &str, task: TaskId) -> Self {
        let bar = if self.is_root() { "" } else { "|" };
        let id = hyphenated_text(task.0);
        let [above, bar, node, colon] = [&*self.0, bar, node, ":"].map(str::as_bytes);
        joined(&[above, bar, node, colon, &id], |text| {
            Self(std::str::from_utf8(text).unwrap_or_default().into())
        })
    }

    /// The namespace of the `n`-th graph that one task called; the first has the task's own.
    #[must_use]
    pub fn call(&self, n: u32) -> Self {
        if n == 0 {
            self.clone()
        } else {
            Self(format!("{}|{n}", self.0).into())
        }
    }

    /// The namespace without task ids: one history per position in the graph.
    #[must_use]
    pub fn position(&self) -> Self {
        let parts: Vec<&str> = self
            .segments()
            .filter(|part| part.parse::<u32>().is_err())
            .map(|part| part.split(':').next().unwrap_or_default())
            .collect();
        Self(parts.join("|").into())
    }

    /// Node names (and call numbers) from the root down.
    pub fn path(&self) -> Vec<String> {
        self.segments()
            .map(|part| part.split(':').next().unwrap_or_default().to_owned())
            .collect()
    }

    /// Whether any part names a single task, so that the graph's state lives as long as that task.
    pub fn is_per_task(&self) -> bool {
        self.0.contains(':')
    }

    /// The part that stays the same over loop iterations, for replay.
    pub fn without_last_task(&self) -> &str {
        self.0.rsplit_once(':').map_or(&*self.0, |(head, _)| head)
    }

    fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('|').filter(|part| !part.is_empty())
    }
}

impl From<&str> for GraphPath {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for GraphPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl CheckpointId {
    /// The first checkpoint of a graph that is not stored.
    pub(crate) fn of(namespace: &GraphPath) -> Self {
        Self(xxh3_128(namespace.as_str().as_bytes()))
    }
}

impl AskId {
    /// The id of a task's question when `answered` questions of it have answers.
    pub fn of(task: &GraphPath, answered: usize) -> Self {
        if answered == 0 {
            Self(xxh3_128(task.as_str().as_bytes()))
        } else {
            Self(xxh3_128(format!("{task}|{answered}").as_bytes()))
        }
    }

    /// The id of a question of a kind. One in its place about something else has another id, so that an answer
    /// to what was shown reaches nothing else.
    pub fn of_question(task: &GraphPath, answered: usize, kind: &str, about: &Value) -> Self {
        let text = format!("{kind}|{about}");
        Self(Self::of(task, answered).0 & PLACE | u128::from(xxh3_64(text.as_bytes())))
    }

    /// Whether it is the id of that question of a task, whatever it asks there.
    pub fn is_at(self, task: &GraphPath, answered: usize) -> bool {
        self.0 & PLACE == Self::of(task, answered).0 & PLACE
    }
}

/// The part of a question's id that says where it is asked.
const PLACE: u128 = !(u64::MAX as u128);

impl TaskId {
    /// Hashes the parts of a task's place.
    pub fn of(checkpoint: CheckpointId, namespace: &GraphPath, step: i64, path: &str) -> Self {
        Self::of_parts(checkpoint, namespace, step, [path, ""])
    }

    /// [`TaskId::of`], of a path in two parts.
    pub(crate) fn of_parts(
        checkpoint: CheckpointId,
        namespace: &GraphPath,
        step: i64,
        [path, rest]: [&str; 2],
    ) -> Self {
        let parts: [&[u8]; 6] = [
            &checkpoint.0.to_be_bytes(),
            namespace.as_str().as_bytes(),
            &[0],
            &step.to_be_bytes(),
            path.as_bytes(),
            rest.as_bytes(),
        ];
        joined(&parts, |bytes| Self(xxh3_128(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_round_trips_as_text() {
        let id = CheckpointId(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert!("not an id".parse::<CheckpointId>().is_err());
    }

    #[test]
    fn ids_are_text_in_json_and_numbers_of_earlier_versions_are_read() {
        let id = AskId(u128::MAX - 1);
        let json = serde_json::to_value(id).unwrap();
        assert_eq!(json, "fffffffffffffffffffffffffffffffe");
        assert_eq!(serde_json::from_value::<AskId>(json).unwrap(), id);
        assert_eq!(serde_json::from_str::<TaskId>("7").unwrap(), TaskId(7));
        let text = serde_json::to_string(&TaskId(7)).unwrap();
        assert_eq!(text, "\"00000000-0000-0000-0000-000000000007\"");
        for wrong in ["\"7\"", "-7", "7.5", "null", "[7]"] {
            let read = serde_json::from_str::<CheckpointId>(wrong);
            let why = read.unwrap_err().to_string();
            assert!(why.contains("32 hexadecimal digits"), "{wrong}: {why}");
        }
    }

    #[test]
    fn the_namespace_of_a_task_ends_with_its_id_as_text() {
        let id = TaskId(0x0123_4567_89ab_cdef_fedc_ba98_7654_3210);
        let ns = GraphPath::default().task("a", id).task("b", id);
        assert_eq!(ns.as_str(), format!("a:{id}|b:{id}"));
    }

    #[test]
    fn ids_and_names_of_places_below_many_graphs_are_made_of_all_parts() {
        let (mut ns, mut text) = (GraphPath::default(), String::new());
        for depth in 0..30 {
            let id = TaskId::of(CheckpointId(depth), &ns, 5, "node/node");
            let mut bytes = depth.to_be_bytes().to_vec();
            bytes.extend(text.bytes().chain([0]).chain(5_i64.to_be_bytes()));
            bytes.extend(*b"node/node");
            assert_eq!(id, TaskId(xxh3_128(&bytes)));
            ns = ns.task("node", id);
            let bar = if text.is_empty() { "" } else { "|" };
            text = format!("{text}{bar}node:{id}");
            assert_eq!(ns.as_str(), text);
        }
    }

    #[test]
    fn paths_that_end_alike_are_different_keys() {
        let id = TaskId(7);
        let [a, b] = ["a", "b"].map(|node| GraphPath::default().task(node, id).task("c", id));
        let map = std::collections::HashMap::from([(a.clone(), 1), (b.clone(), 2)]);
        assert_eq!((map.get(&a), map.get(&b)), (Some(&1), Some(&2)));
    }

    #[test]
    fn a_position_drops_task_ids_and_call_numbers() {
        let ns = GraphPath::default()
            .task("a", TaskId(1))
            .call(2)
            .task("b", TaskId(2));
        assert_eq!(ns.position().as_str(), "a|b");
        assert_eq!(ns.path(), ["a", "2", "b"]);
    }
}
