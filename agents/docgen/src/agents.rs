//! The agents: eleven that come with the library, and those of a user's file.

mod custom;
mod frame;
mod parts;
mod standard;
mod table;
mod unknown;

use std::sync::Arc;

pub use custom::{CustomAgent, custom_agents};
pub use standard::Standard;

pub(crate) use unknown::UnknownAgent;

use crate::{agent::DocAgent, error::Error};

/// The agents that come with the library, in their order.
pub fn standard_agents() -> Vec<Arc<dyn DocAgent>> {
    table::ALL
        .iter()
        .map(|it| Arc::new(it) as Arc<dyn DocAgent>)
        .collect()
}

/// Whether an agent of this name comes with the library.
pub(crate) fn is_standard(name: &str) -> bool {
    standard_agents().iter().any(|it| it.name() == name)
}

/// Those of some agents that are named, in the order of the list; all of them if none is named.
pub fn choose(
    all: Vec<Arc<dyn DocAgent>>,
    names: &[String],
) -> Result<Vec<Arc<dyn DocAgent>>, Error> {
    for name in names {
        if !all.iter().any(|agent| agent.name() == name) {
            let known = all.iter().map(|agent| agent.name());
            let near = superstep::model::did_you_mean::hint(name, known);
            return Err(Error::UnknownAgent {
                name: name.clone(),
                near,
            });
        }
    }
    let is_wanted = |agent: &Arc<dyn DocAgent>| {
        names.is_empty() || names.iter().any(|name| name == agent.name())
    };
    Ok(all.into_iter().filter(is_wanted).collect())
}
