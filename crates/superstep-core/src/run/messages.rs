//! Messages that nodes return, for readers of `messages` events.

use std::sync::Arc;

use super::Loop;
use crate::{
    command::{Command, Output},
    event::{EventKind, Modes},
    message,
    value::Value,
};

impl Loop {
    /// Emits the messages a node returned that no reader has seen, each with the id that the state will hold.
    pub(super) fn see_messages(&mut self, at: usize, output: &mut Output) {
        if !self.wants(Modes::MESSAGES) || self.plan.messages.is_empty() {
            return;
        }
        let Some(task) = self.tasks.get(at) else {
            return;
        };
        let node = task.name.clone();
        let mut found = Vec::new();
        name_messages_in(
            output,
            &|name| {
                self.plan
                    .channel(name)
                    .is_some_and(|channel| self.plan.holds_messages(channel))
            },
            &mut || self.config.ids.next(None).to_string(),
            &mut found,
        );
        self.see_input_messages(at);
        for message in found {
            let seen = self.shown.seen.get_or_insert_default();
            let id = message::id(&message);
            if !id.is_none_or(|id| seen.own.insert(id.into())) {
                continue;
            }
            let seen_below = id.is_some_and(|id| seen.below.contains(id));
            let event = EventKind::Message {
                message,
                node: node.clone(),
            };
            if seen_below {
                // Whether a reader of the log sees graphs below is not known yet.
                self.log_only(event);
            } else {
                self.emit(event);
            }
        }
    }

    /// Ids of the messages that readers of the stream have seen of this graph and of those below.
    pub fn seen_messages(&self) -> impl Iterator<Item = &String> {
        let reads = self.config.modes.has(Modes::MESSAGES);
        let seen = self.shown.seen.iter().filter(move |_| reads);
        seen.flat_map(|seen| seen.own.iter().chain(&seen.below))
    }

    fn see_input_messages(&mut self, at: usize) {
        let Some(task) = self.tasks.get(at) else {
            return;
        };
        let input = self.input_value(task);
        let lists = input.as_map().into_iter().flat_map(|map| map.values());
        for message in lists.flat_map(message::each) {
            if let Some(id) = message::id(message) {
                let seen = self.shown.seen.get_or_insert_default();
                seen.own.insert(id.to_owned());
            }
        }
    }
}

/// Gives the messages of a result that have no id one, and finds all of them.
fn name_messages_in(
    output: &mut Output,
    holds: &dyn Fn(&str) -> bool,
    fresh: &mut dyn FnMut() -> String,
    found: &mut Vec<Value>,
) {
    let mut look = |name: &str, value: &mut Value| {
        if holds(name) {
            *value = message::with_ids(std::mem::take(value), fresh);
            let messages = message::each(value).iter();
            found.extend(messages.filter(|m| message::is_message(m)).cloned());
        }
    };
    match output {
        Output::Update(Value::Map(map)) => {
            // A map that others hold is copied only if there is something to name in it.
            let names: Vec<Arc<str>> = map.keys().filter(|name| holds(name)).cloned().collect();
            for name in names {
                let map = Arc::make_mut(map);
                let mut value = map.get(&name).cloned().unwrap_or_default();
                look(&name, &mut value);
                map.insert(name, value);
            }
        }
        Output::Command(Command { update, .. }) => {
            for (name, value) in update {
                look(name, value);
            }
        }
        Output::Many(parts) => {
            for part in parts {
                name_messages_in(part, holds, fresh, found);
            }
        }
        _ => {}
    }
}
