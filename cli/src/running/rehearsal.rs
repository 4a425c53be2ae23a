//! What agents without a model are served with: the files of their demos in a folder of their own, the replies of their
//! demos, and an input that begins them. Everything else they are asked is refused as before.

use std::path::PathBuf;

use superstep::fs::{Rights, Staged, private_dir};

use super::Scene;
use crate::{agents::Agent, dirs};

/// Writes the files of a demo, and gives their folder; nothing if there is no place for them.
pub(super) fn prepare(agent: Agent, scene: &Scene) -> Option<PathBuf> {
    let folder = dirs::data()?.join("demo").join(agent.name());
    let written = scene.files.iter().try_for_each(|(name, bytes)| {
        let file = folder.join(name);
        let parent = file.parent().unwrap_or(&folder);
        private_dir(parent)?;
        // They are what they were, whatever an earlier server left of them.
        Staged::new(&file, bytes, Rights::Private)?.replace()
    });
    written.ok().map(|()| folder)
}
