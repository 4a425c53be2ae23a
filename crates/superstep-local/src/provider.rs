//! The provider `local` of model selection: weights in the cache, or in a file.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use superstep_model::{
    ErrorKind, Model,
    select::{Choice, Opening, Providers},
};

use crate::{
    chat::{LocalModel, Options},
    weights::{Cache, DEFAULT, Sources, TINY, Weights},
};

/// Adds `local:default`, `local:tiny` and `local:FILE` to the models that can be opened.
pub fn register(providers: &mut Providers) {
    providers.register("local", open);
    providers.find_weights(cached);
}

/// Language models whose weights are in the cache.
fn cached() -> BTreeMap<String, PathBuf> {
    let Ok(cache) = Cache::from_env() else {
        return BTreeMap::new();
    };
    let sources = Sources::offline(cache);
    let entries = [&DEFAULT, &TINY];
    let there = entries.into_iter().filter_map(|entry| {
        let found = sources.find(&Weights::Entry(entry)).ok()?;
        Some((entry.key.to_owned(), found.path))
    });
    there.collect()
}

/// Opens the weights; the first call reads them.
fn open(choice: &Choice) -> Opening<'_> {
    Box::pin(async move {
        let Some(file) = choice.file.clone() else {
            let name = choice.spec.name.as_deref().unwrap_or("default");
            let why = format!(
                "the weights of local:{name} are not downloaded; `superstep model pull {name}` does that"
            );
            return Err(ErrorKind::NoModel { why }.into());
        };
        let options = Options {
            prefix_folder: Cache::from_env().ok().map(|cache| cache.prefixes()),
            ..Options::default()
        };
        let model = LocalModel::open(file, options);
        let model = model.map_err(|error| ErrorKind::Local {
            why: error.to_string(),
        })?;
        Ok(Arc::new(model) as Arc<dyn Model>)
    })
}
