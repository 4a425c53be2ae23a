//! Events and modes in JSON: the form that servers and tools show. `docs/json.md` describes it.
//!
//! Binary forms, which savers store, are those that serde derives of the same types.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Event, EventKind, Modes, Span};
use crate::{
    ask::Ask,
    id::{GraphPath, TaskId},
    record::StoredError,
    snapshot::Snapshot,
    value::Value,
};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Event")]
struct Stored {
    namespace: GraphPath,
    step: i64,
    kind: EventKind,
}

#[derive(Serialize, Deserialize)]
struct Shown {
    namespace: GraphPath,
    step: i64,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Kind {
    Values {
        values: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asks: Option<Vec<Ask>>,
    },
    Update {
        node: Arc<str>,
        update: Value,
        cached: bool,
    },
    Asked {
        asks: Vec<Ask>,
    },
    Paused,
    TaskStarted {
        task: TaskId,
        node: Arc<str>,
        input: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caller: Option<TaskId>,
    },
    TaskEnded {
        task: TaskId,
        node: Arc<str>,
        result: Value,
        error: Option<StoredError>,
        asks: Vec<Ask>,
    },
    Checkpoint {
        checkpoint: Box<Snapshot>,
    },
    Custom {
        data: Value,
    },
    Message {
        node: Arc<str>,
        message: Value,
    },
    Span {
        span: Box<Span>,
    },
}

/// Both conversions between [`EventKind`] and [`Kind`] from one list of pairs. Each side is a pattern and
/// an expression, so none can be missing in one direction.
macro_rules! pairs {
    ($($event:ident $fields:tt = $kind:ident $shown:tt),* $(,)?) => {
        impl From<EventKind> for Kind {
            fn from(event: EventKind) -> Self {
                match event {
                    EventKind::Asked(asks) if asks.is_empty() => Self::Paused,
                    $(EventKind::$event $fields => Self::$kind $shown,)*
                }
            }
        }

        impl From<Kind> for EventKind {
            fn from(kind: Kind) -> Self {
                match kind {
                    Kind::Paused => Self::Asked(Vec::new()),
                    $(Kind::$kind $shown => Self::$event $fields,)*
                }
            }
        }
    };
}

pairs! {
    Values { values, asks } = Values { values, asks },
    Update { node, update, cached } = Update { node, update, cached },
    Asked(asks) = Asked { asks },
    TaskStart { id, name, input, caller } = TaskStarted { task: id, node: name, input, caller },
    TaskEnd { id, name, result, error, asks }
        = TaskEnded { task: id, node: name, result, error, asks },
    Checkpoint(checkpoint) = Checkpoint { checkpoint },
    Custom(data) = Custom { data },
    Message { message, node } = Message { node, message },
    Span(span) = Span { span },
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let Self {
            namespace,
            step,
            kind,
        } = self.clone();
        if out.is_human_readable() {
            let kind = kind.into();
            return Shown {
                namespace,
                step,
                kind,
            }
            .serialize(out);
        }
        Stored {
            namespace,
            step,
            kind,
        }
        .serialize(out)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() {
            let Shown {
                namespace,
                step,
                kind,
            } = Shown::deserialize(from)?;
            let kind = kind.into();
            return Ok(Self {
                namespace,
                step,
                kind,
            });
        }
        let Stored {
            namespace,
            step,
            kind,
        } = Stored::deserialize(from)?;
        Ok(Self {
            namespace,
            step,
            kind,
        })
    }
}

/// Names of single modes.
const NAMES: [(Modes, &str); 7] = [
    (Modes::VALUES, "values"),
    (Modes::UPDATES, "updates"),
    (Modes::CUSTOM, "custom"),
    (Modes::TASKS, "tasks"),
    (Modes::CHECKPOINTS, "checkpoints"),
    (Modes::MESSAGES, "messages"),
    (Modes::SPANS, "spans"),
];

impl Serialize for Modes {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        if out.is_human_readable() {
            let wanted = NAMES.iter().filter(|(mode, _)| self.has(*mode));
            return out.collect_seq(wanted.map(|(_, name)| name));
        }
        out.serialize_newtype_struct("Modes", &self.0)
    }
}

impl<'de> Deserialize<'de> for Modes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if !from.is_human_readable() {
            #[derive(Deserialize)]
            #[serde(transparent)]
            struct Bits(u8);
            return Bits::deserialize(from).map(|Bits(bits)| Self(bits));
        }
        let mut modes = Self::NONE;
        for wanted in Vec::<String>::deserialize(from)? {
            let Some((mode, _)) = NAMES.iter().find(|(_, name)| *name == wanted) else {
                let why = format!("there is no mode `{wanted}`");
                return Err(de::Error::custom(why));
            };
            modes = modes.with(*mode);
        }
        Ok(modes)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn comes_back(kind: EventKind) -> serde_json::Value {
        let event = Event {
            namespace: "a".into(),
            step: 2,
            kind,
        };
        let json = serde_json::to_value(&event).unwrap();
        assert_eq!(
            serde_json::from_value::<Event>(json.clone()).unwrap(),
            event
        );
        json
    }

    #[test]
    fn an_event_is_one_flat_object_with_its_type() {
        let update = comes_back(EventKind::Update {
            node: "draft".into(),
            update: Value::from(&json!({"n": 1.5})),
            cached: false,
        });
        assert_eq!(
            update,
            json!({
                "namespace": "a", "step": 2, "type": "update",
                "node": "draft", "update": {"n": 1.5}, "cached": false,
            })
        );
        let paused = comes_back(EventKind::Asked(Vec::new()));
        assert_eq!(paused["type"], "paused");
        let started = comes_back(EventKind::TaskStart {
            id: TaskId(u128::MAX),
            name: "draft".into(),
            input: Value::Null,
            caller: None,
        });
        assert_eq!(started["task"], "ffffffff-ffff-ffff-ffff-ffffffffffff");
    }

    #[test]
    fn modes_are_names_in_json() {
        let modes = Modes::UPDATES.with(Modes::SPANS);
        let json = serde_json::to_value(modes).unwrap();
        assert_eq!(json, json!(["updates", "spans"]));
        assert_eq!(serde_json::from_value::<Modes>(json).unwrap(), modes);
        let wrong = serde_json::from_value::<Modes>(json!(["update"])).unwrap_err();
        assert!(wrong.to_string().contains("`update`"), "{wrong}");
    }
}
