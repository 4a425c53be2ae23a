//! Declared migrations: of a stored state, and of updates that are on their way to one.
//!
//! An update is an object of writes: what a task of an open step has written, or what a run is fed. The state's
//! migration says nothing about a part of a state, so an update needs one of its own, unless its fields did not change:
//! their types and reducers are the same, and the migration of a state that holds what was written leaves it as it is.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::{plan::Plan, value::Value};

/// Brings a stored state (an object of fields) from an older version to the plan's own.
pub type MigrateFn = Arc<dyn Fn(u32, Json) -> Result<Json, String> + Send + Sync>;

/// The same for an update (an object of writes); nothing if no such migration is declared.
pub type MigrateUpdateFn = Arc<dyn Fn(u32, Json) -> Result<Option<Json>, String> + Send + Sync>;

/// Names and values that are written.
pub type Writes = Vec<(Arc<str>, Value)>;

/// The migrations that a typed state declares.
#[derive(Clone)]
pub struct Migrations {
    /// Of a state.
    pub state: MigrateFn,
    /// Of an update.
    pub update: MigrateUpdateFn,
}

impl Migrations {
    /// Writes of another version as writes of the plan's own. `changed` is a field whose type or reducer is not the
    /// same, or may not be; `state` is the state of that version that they were made for, as far as it is known.
    pub fn update(
        &self,
        plan: &Plan,
        from: u32,
        writes: Writes,
        changed: Option<&str>,
        state: &Map<String, Json>,
    ) -> Result<Writes, String> {
        let mut all = Vec::with_capacity(writes.len());
        for part in parts(writes) {
            let update = Json::Object(part.clone());
            match (self.update)(from, update)? {
                Some(Json::Object(new)) => all.extend(new),
                Some(_) => return Err(wrong(from, "did not return an object of writes")),
                None => {
                    if let Some(field) = changed {
                        return Err(undeclared(plan, from, field));
                    }
                    self.check_unchanged(plan, from, &part, state.clone())?;
                    all.extend(part);
                }
            }
        }
        let named = |(name, value): (String, Json)| {
            let channel = plan.channel(&name);
            let what = || {
                wrong(
                    from,
                    &format!("names `{name}`, which is no field of the state"),
                )
            };
            let channel = channel.ok_or_else(what)?;
            let name = plan.channels.row(channel).name.clone();
            Ok((name, Value::from(value)))
        };
        all.into_iter().map(named).collect()
    }

    /// Whether the migration of the state leaves these writes as they are.
    fn check_unchanged(
        &self,
        plan: &Plan,
        from: u32,
        part: &Map<String, Json>,
        mut state: Map<String, Json>,
    ) -> Result<(), String> {
        state.extend(part.clone());
        let migrated = (self.state)(from, Json::Object(state))?;
        let changed = part
            .iter()
            .find(|(name, value)| migrated.get(name) != Some(value));
        match changed {
            None => Ok(()),
            Some((name, _)) => Err(undeclared(plan, from, name)),
        }
    }
}

/// An input of fields, migrated. One that is no object cannot be.
pub fn migrate_value(
    value: &Value,
    migrate: impl FnOnce(Writes) -> Result<Writes, String>,
) -> Result<Value, String> {
    let Json::Object(fields) = value.to_json() else {
        return Err("it is no object of fields".to_owned());
    };
    let writes = fields
        .into_iter()
        .map(|(name, value)| (name.into(), Value::from(value)));
    Ok(Value::map(migrate(writes.collect())?))
}

/// Objects of writes. A field that is written twice is in two of them.
fn parts(writes: Writes) -> Vec<Map<String, Json>> {
    let mut parts: Vec<Map<String, Json>> = Vec::new();
    for (name, value) in writes {
        let value = value.to_json();
        match parts.last_mut().filter(|part| !part.contains_key(&*name)) {
            Some(part) => drop(part.insert(name.to_string(), value)),
            None => parts.push(Map::from_iter([(name.to_string(), value)])),
        }
    }
    parts
}

fn wrong(from: u32, what: &str) -> String {
    format!("the migration of an update from version {from} {what}")
}

fn undeclared(plan: &Plan, from: u32, field: &str) -> String {
    let own = plan.layout.state.as_ref().map_or(0, |state| state.version);
    format!(
        "`{field}` may not mean the same in version {own}, and no `migrate_update({from} => function)` is declared"
    )
}
