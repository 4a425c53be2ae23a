//! Putting together what was taken apart.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    BLOB_REF, BlobId, CodecError, DEEPEST, LARGEST, PART, RUN,
    read::{Head, Read, list_head, text_head},
};

/// Runs may be nested so deeply; each level has at least twice the items.
const RUNS: usize = 32;

/// Gives the bytes of a part, or why there are none.
type Fetch<'f> = &'f mut dyn FnMut(BlobId) -> Result<Arc<[u8]>, String>;

/// Puts data that was taken apart together again.
pub fn join(bytes: &[u8], part: Fetch<'_>) -> Result<Vec<u8>, CodecError> {
    join_within(bytes, part, 2 * LARGEST)
}

/// Puts data together that holds no more than so many bytes of parts.
pub(super) fn join_within(
    bytes: &[u8],
    part: Fetch<'_>,
    room: usize,
) -> Result<Vec<u8>, CodecError> {
    let mut joining = Joining { part, room };
    let mut out = Vec::with_capacity(bytes.len());
    let mut from = Read::new(bytes);
    joining.value(&mut from, &mut out, 0)?;
    from.ends()?;
    Ok(out)
}

/// Adds the names of all parts that data refers to, itself or through others, to those that were
/// found before. Parts of which the name was found are not looked into again.
pub fn reach(
    bytes: &[u8],
    part: Fetch<'_>,
    found: &mut BTreeSet<BlobId>,
) -> Result<(), CodecError> {
    let mut left: Vec<Arc<[u8]>> = vec![bytes.into()];
    while let Some(bytes) = left.pop() {
        let mut from = Read::new(&bytes);
        while from.ends().is_err() {
            match from.head()? {
                Head::Scalar | Head::List(_) | Head::Map(_) => {}
                Head::Text(len) | Head::Bytes(len) => drop(from.take(len)?),
                Head::Refers(BLOB_REF, id) => drop(found.insert(id)),
                Head::Refers(_, id) => {
                    if found.insert(id) {
                        left.push(part(id).map_err(|why| from.refuse(why))?);
                    }
                }
            }
        }
    }
    Ok(())
}

struct Joining<'f> {
    part: Fetch<'f>,
    /// How many bytes may still come from parts: what is repeated could become any number.
    room: usize,
}

impl Joining<'_> {
    /// `depth` counts lists and objects as [`super::split`] does.
    fn value(
        &mut self,
        from: &mut Read<'_>,
        out: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), CodecError> {
        let start = from.at();
        if depth >= DEEPEST {
            from.pass()?;
            out.extend_from_slice(from.since(start));
            return Ok(());
        }
        match from.head()? {
            Head::Refers(BLOB_REF, id) => {
                let text = self.fetch(from, id)?;
                text_head(out, text.len());
                out.extend_from_slice(&text);
            }
            Head::Refers(PART, id) => {
                let part = self.fetch(from, id)?;
                let mut inside = Read::new(&part);
                let head = inside.head()?;
                // A reference never leads to another reference.
                if !matches!(head, Head::List(_) | Head::Map(_)) {
                    return Err(inside.refuse("a part that is no list and no object"));
                }
                self.rest(head, &mut inside, 0, out, depth)?;
                inside.ends()?;
            }
            head => self.rest(head, from, start, out, depth)?,
        }
        Ok(())
    }

    /// The value that begins with this head at `start`.
    fn rest(
        &mut self,
        head: Head,
        from: &mut Read<'_>,
        start: usize,
        out: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), CodecError> {
        match head {
            Head::List(len) => {
                let (mut items, mut count) = (Vec::new(), 0);
                self.items(from, len, &mut items, &mut count, (depth + 1, 0))?;
                list_head(out, count);
                out.extend_from_slice(&items);
            }
            Head::Map(len) => {
                out.extend_from_slice(from.since(start));
                for _ in 0..len {
                    let key = from.at();
                    from.pass()?;
                    out.extend_from_slice(from.since(key));
                    self.value(from, out, depth + 1)?;
                }
            }
            Head::Text(len) | Head::Bytes(len) => {
                from.take(len)?;
                out.extend_from_slice(from.since(start));
            }
            Head::Scalar => out.extend_from_slice(from.since(start)),
            Head::Refers(..) => return Err(from.refuse("a run of items outside of a list")),
        }
        Ok(())
    }

    fn items(
        &mut self,
        from: &mut Read<'_>,
        len: usize,
        out: &mut Vec<u8>,
        count: &mut usize,
        (depth, runs): (usize, usize),
    ) -> Result<(), CodecError> {
        if runs > RUNS {
            return Err(from.refuse("runs of items are nested too deeply"));
        }
        for _ in 0..len {
            let Some(id) = from.run() else {
                self.value(from, out, depth)?;
                *count += 1;
                continue;
            };
            let run = self.fetch(from, id)?;
            let mut inside = Read::new(&run);
            let Head::List(len) = inside.head()? else {
                return Err(inside.refuse("a run of items that is no list"));
            };
            self.items(&mut inside, len, out, count, (depth, runs + 1))?;
            inside.ends()?;
        }
        Ok(())
    }

    fn fetch(&mut self, from: &Read<'_>, id: BlobId) -> Result<Arc<[u8]>, CodecError> {
        let part = (self.part)(id).map_err(|why| from.refuse(why))?;
        let left = self.room.checked_sub(part.len());
        self.room = left.ok_or_else(|| from.refuse("the data is too large"))?;
        Ok(part)
    }
}

impl Read<'_> {
    /// The run of items that comes next, if one does.
    fn run(&mut self) -> Option<BlobId> {
        let mut ahead = self.clone();
        match ahead.head() {
            Ok(Head::Refers(RUN, id)) => {
                *self = ahead;
                Some(id)
            }
            _ => None,
        }
    }
}
