//! Server-sent events, as they come from a provider.

use superstep_model::remote::sse::{Event, Parser};

use crate::target::{Target, files_of};

pub(crate) const TARGET: Target = Target {
    name: "sse",
    run,
    seeds: || files_of("fuzz/corpus/sse"),
};

/// Where a network cuts a stream changes nothing about its events.
pub fn run(data: &[u8]) {
    let whole = events([data]);
    let bytes = events(data.chunks(1));
    assert_eq!(whole, bytes, "cut into bytes");
    let (head, tail) = data.split_at(data.len() / 2);
    assert_eq!(whole, events([head, tail]), "cut in the middle");
}

/// All events, and whether the stream was valid to its end. A stream that is cut finely gives the
/// events before an error, one in a piece need not: those are compared only where there is none.
fn events<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Option<Vec<Event>> {
    let mut parser = Parser::new();
    let mut events = Vec::new();
    for piece in pieces {
        parser.push(piece, &mut events).ok()?;
    }
    Some(events)
}
