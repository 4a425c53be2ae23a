//! Patterns of streams: chunks in order, with places where several lanes interleave.
//!
//! What is left of a pattern after some chunks is again a pattern. As many of them are tried at
//! once, patterns are kept as shared cells: equal ones have the same number, so they are found
//! to be equal at no cost.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value as Json;

/// One place of a recorded chunk list.
#[derive(Debug, Clone)]
pub(super) enum Item<'a> {
    /// This chunk.
    Chunk(&'a Json),
    /// All chunks of the lanes, each lane in its order.
    Par(Vec<Vec<Item<'a>>>),
}

/// Reads a recorded chunk list.
pub(super) fn items(chunks: &Json) -> Vec<Item<'_>> {
    let item = |chunk| match lanes(chunk) {
        Some(lanes) => Item::Par(lanes.iter().map(items).collect()),
        None => Item::Chunk(chunk),
    };
    chunks.as_array().into_iter().flatten().map(item).collect()
}

fn lanes(chunk: &Json) -> Option<&Vec<Json>> {
    chunk.as_object()?.get("par")?.as_array()
}

/// Lets task starts of one step come in any order.
pub(super) fn relax(items: Vec<Item<'_>>) -> Vec<Item<'_>> {
    let mut relaxed = Vec::new();
    let mut starts: Vec<&Json> = Vec::new();
    for item in items {
        match item {
            Item::Chunk(chunk) if is_start(chunk) => {
                if starts
                    .last()
                    .is_some_and(|last| place(last) != place(chunk))
                {
                    flush(&mut starts, &mut relaxed);
                }
                starts.push(chunk);
            }
            Item::Chunk(_) => {
                flush(&mut starts, &mut relaxed);
                relaxed.push(item);
            }
            Item::Par(lanes) => {
                flush(&mut starts, &mut relaxed);
                relaxed.push(Item::Par(lanes.into_iter().map(relax).collect()));
            }
        }
    }
    flush(&mut starts, &mut relaxed);
    relaxed
}

/// Moves a run of starts over; each start keeps the debug copy of it that follows.
fn flush<'a>(starts: &mut Vec<&'a Json>, relaxed: &mut Vec<Item<'a>>) {
    let mut lanes: Vec<Vec<Item<'a>>> = Vec::new();
    let mut copied = true;
    for start in starts.drain(..) {
        match lanes.last_mut() {
            Some(lane) if !copied && mode(start) == Some("debug") => {
                lane.push(Item::Chunk(start));
                copied = true;
            }
            _ => {
                lanes.push(vec![Item::Chunk(start)]);
                copied = mode(start) != Some("tasks");
            }
        }
    }
    match lanes.len() {
        0 | 1 => relaxed.extend(lanes.into_iter().flatten()),
        _ => relaxed.push(Item::Par(lanes)),
    }
}

fn is_start(chunk: &Json) -> bool {
    let Some(data) = chunk.get(2) else {
        return false;
    };
    match mode(chunk) {
        Some("tasks") => data.get("start").is_some(),
        Some("debug") => data.get("type").is_some_and(|kind| kind == "task"),
        _ => false,
    }
}

/// The stream mode of a chunk.
pub(super) fn mode(chunk: &Json) -> Option<&str> {
    chunk.get(0)?.as_str()
}

/// The namespace of a chunk.
pub(super) fn place(chunk: &Json) -> Option<&Json> {
    chunk.get(1)
}

/// What is left of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Rest(usize);

impl Rest {
    /// Nothing left.
    pub(super) const EMPTY: Rest = Rest(0);
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Cell<'a> {
    head: Head<'a>,
    rest: Rest,
}

/// The first place of what is left.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Head<'a> {
    /// A chunk.
    Chunk(&'a Json),
    /// What is left of the lanes that interleave here.
    Par(Rc<[Rest]>),
}

/// All patterns met so far.
#[derive(Debug, Default)]
pub(super) struct Patterns<'a> {
    cells: Vec<Cell<'a>>,
    known: HashMap<Cell<'a>, Rest>,
}

impl<'a> Patterns<'a> {
    /// The pattern of a list.
    pub(super) fn list(&mut self, items: &[Item<'a>]) -> Rest {
        let mut rest = Rest::EMPTY;
        for item in items.iter().rev() {
            rest = match item {
                Item::Chunk(chunk) => self.join(Head::Chunk(chunk), rest),
                Item::Par(lanes) => {
                    let lanes: Vec<Rest> = lanes.iter().map(|lane| self.list(lane)).collect();
                    self.lanes(lanes.into_iter(), rest)
                }
            };
        }
        rest
    }

    /// The first place of a pattern and what follows it.
    pub(super) fn split(&self, rest: Rest) -> Option<(Head<'a>, Rest)> {
        let cell = self.cells.get(rest.0.checked_sub(1)?)?;
        Some((cell.head.clone(), cell.rest))
    }

    /// All chunks a pattern can begin with.
    pub(super) fn heads(&self, rest: Rest) -> Vec<&'a Json> {
        match self.split(rest) {
            None => Vec::new(),
            Some((Head::Chunk(chunk), _)) => vec![chunk],
            Some((Head::Par(lanes), _)) => {
                let heads = lanes.iter().map(|lane| self.heads(*lane));
                heads.flatten().collect()
            }
        }
    }

    /// The lanes, interleaved, and then the rest; lanes that are used up are left out.
    pub(super) fn lanes(&mut self, lanes: impl Iterator<Item = Rest>, rest: Rest) -> Rest {
        let lanes: Rc<[Rest]> = lanes.filter(|lane| *lane != Rest::EMPTY).collect();
        match *lanes {
            [] => rest,
            [only] => self.append(only, rest),
            _ => self.join(Head::Par(lanes), rest),
        }
    }

    fn append(&mut self, first: Rest, second: Rest) -> Rest {
        match self.split(first) {
            None => second,
            Some((head, rest)) => {
                let rest = self.append(rest, second);
                self.join(head, rest)
            }
        }
    }

    fn join(&mut self, head: Head<'a>, rest: Rest) -> Rest {
        let cell = Cell { head, rest };
        if let Some(known) = self.known.get(&cell) {
            return *known;
        }
        self.cells.push(cell.clone());
        let new = Rest(self.cells.len());
        self.known.insert(cell, new);
        new
    }
}
