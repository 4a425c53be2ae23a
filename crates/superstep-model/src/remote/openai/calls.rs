//! Tool calls assembled from the fragments that servers stream.
//!
//! The protocol says: the first piece has an index, an id and a name, the others the same index and
//! more arguments. Servers leave out the index or the id, repeat the name, send a call in one
//! piece, or give all calls the same index; each is understood here.

use serde_json::Value as Json;

use crate::{
    assemble::MAX_CALLS,
    delta::Delta,
    remote::stream::{Out, Wrong},
};

/// The calls of one reply.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<PartialCall>);

#[derive(Debug, Default)]
struct PartialCall {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    args: String,
    is_begun: bool,
}

impl Calls {
    /// Takes a piece of a call.
    pub(super) fn add(&mut self, piece: &Json, out: &mut Out) -> Result<(), Wrong> {
        let text = |value: Option<&Json>| match value {
            Some(Json::String(text)) if !text.is_empty() => Some(text.clone()),
            _ => None,
        };
        let function = piece.get("function").unwrap_or(&Json::Null);
        let index = piece.get("index").and_then(Json::as_u64);
        let id = text(piece.get("id"));
        let name = text(function.get("name"));
        let args = match function.get("arguments") {
            None | Some(Json::Null) => String::new(),
            Some(Json::String(text)) => text.clone(),
            // Some servers send the object itself.
            Some(other) => other.to_string(),
        };
        let at = match self.place(index, id.as_deref(), name.as_deref()) {
            Some(at) => at,
            None if self.0.len() >= MAX_CALLS => return Err("too many tool calls".into()),
            None if id.is_some() || name.is_some() || index.is_some() => {
                self.0.push(PartialCall {
                    index,
                    ..PartialCall::default()
                });
                self.0.len().saturating_sub(1)
            }
            None => return Err("arguments of a tool call that has not begun".into()),
        };
        let number = u32::try_from(at).map_err(|_| Wrong::from("too many tool calls"))?;
        let Some(slot) = self.0.get_mut(at) else {
            return Ok(());
        };
        slot.id = slot.id.take().or(id);
        if slot.name.is_empty() {
            slot.name = name.unwrap_or_default();
        }
        slot.args.push_str(&args);
        slot.show(number, args, out);
        Ok(())
    }

    /// Whether there are any.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks that no call is left without a name.
    pub(super) fn end(&self) -> Result<(), Wrong> {
        match self.0.iter().find(|slot| !slot.is_begun) {
            Some(_) => Err("a tool call without a name".into()),
            None => Ok(()),
        }
    }

    /// The call that a piece belongs to, if it is no new one.
    fn place(&self, index: Option<u64>, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let last = |wanted: &dyn Fn(&PartialCall) -> bool| self.0.iter().rposition(wanted);
        if let Some(id) = id
            && let Some(at) = last(&|slot| slot.id.as_deref() == Some(id))
        {
            return Some(at);
        }
        let at = match index {
            Some(index) => last(&|slot| slot.index == Some(index))?,
            None => self.0.len().checked_sub(1)?,
        };
        let slot = self.0.get(at)?;
        // An id that differs is another call's, even under the same index.
        let other_id = id.is_some() && slot.id.is_some();
        // Without an index an id begins a call, unless the call still lacks one.
        let begins = index.is_none() && id.is_some() && slot.is_begun;
        // A name is repeated, or it begins the next call; a call that is complete gets no more.
        let other_name = name
            .is_some_and(|name| slot.is_begun && (name != slot.name || is_complete(&slot.args)));
        (!other_id && !begins && !other_name).then_some(at)
    }
}

impl PartialCall {
    fn show(&mut self, index: u32, args: String, out: &mut Out) {
        if self.name.is_empty() {
            return;
        }
        if self.is_begun {
            if !args.is_empty() {
                out.push(Delta::Args { index, json: args });
            }
            return;
        }
        self.is_begun = true;
        out.push(Delta::Call {
            index,
            id: self.id.clone(),
            name: self.name.clone(),
        });
        if !self.args.is_empty() {
            let json = self.args.clone();
            out.push(Delta::Args { index, json });
        }
    }
}

fn is_complete(args: &str) -> bool {
    !args.is_empty() && serde_json::from_str::<serde::de::IgnoredAny>(args).is_ok()
}
