//! Components: packages and projects of builds, with the folders below the root where there are fewer than two; and which uses which.

use std::collections::{BTreeMap, BTreeSet};

use super::{Component, File, manifest::Manifests};

/// The most components.
const MOST: usize = 2_000;

pub(super) fn of(files: &[File], manifests: &Manifests) -> Vec<Component> {
    let mut components: Vec<Component> = Vec::new();
    let mut taken = BTreeSet::new();
    let packages = || manifests.packages.iter().chain(&manifests.builds);
    for package in packages().take(MOST) {
        // Two manifests in one folder are one component, named by the package if there is one.
        if taken.insert(package.folder().to_owned()) {
            components.push(Component {
                name: package.name.clone(),
                folder: package.folder().to_owned(),
                manifest: Some(package.manifest.clone()),
                version: package.version.clone(),
                ..Component::default()
            });
        }
    }
    if components.len() < 2 {
        let folders = folders(files);
        for folder in folders
            .into_iter()
            .take(MOST)
            .filter(|it| !taken.contains(*it))
        {
            components.push(Component {
                name: folder.to_owned(),
                folder: folder.to_owned(),
                ..Component::default()
            });
        }
    }
    let owner = Owner::new(&components);
    let mut counts = vec![0_u32; components.len()];
    let mut edges: BTreeSet<(usize, usize)> = BTreeSet::new();
    for file in files {
        let Some(from) = owner.of(&file.path) else {
            continue;
        };
        if let Some(count) = counts.get_mut(from) {
            *count += 1;
        }
        // What is erased or read as data makes nothing depend on anything.
        let loaded = file.imports.iter().filter(|it| !it.types_only);
        let targets = loaded.filter_map(|import| import.file.as_deref());
        let targets = targets.filter(|path| !path.ends_with(".json"));
        edges.extend(
            targets
                .filter_map(|path| owner.of(path))
                .map(|to| (from, to)),
        );
    }
    let by_name: BTreeMap<&str, usize> = components
        .iter()
        .enumerate()
        .map(|(at, it)| (&*it.name, at))
        .collect();
    for package in packages() {
        let Some(from) = by_name.get(&*package.name) else {
            continue;
        };
        let asks = package.asks.iter().filter_map(|name| by_name.get(&**name));
        edges.extend(asks.map(|to| (*from, *to)));
    }
    let names: Vec<String> = components.iter().map(|it| it.name.clone()).collect();
    for (at, component) in components.iter_mut().enumerate() {
        component.files = counts.get(at).copied().unwrap_or_default();
        let uses = edges
            .range((at, 0)..=(at, usize::MAX))
            .filter(|(from, to)| from != to);
        let mut uses: Vec<String> = uses.filter_map(|(_, to)| names.get(*to).cloned()).collect();
        uses.sort();
        uses.dedup();
        component.uses = uses;
    }
    components.sort_by(|one, other| (&one.folder, &one.name).cmp(&(&other.folder, &other.name)));
    components
}

/// Folders with code below the root, or below the one folder that has all of it; none if there are fewer than two.
fn folders(files: &[File]) -> BTreeSet<&str> {
    let mut below = "";
    loop {
        let code = files
            .iter()
            .filter(|file| file.language.is_code() && !file.test);
        let found: BTreeSet<&str> = code
            .filter_map(|file| {
                let rest = file.path.strip_prefix(below)?;
                let (folder, _) = rest.split_once('/')?;
                file.path.get(..below.len() + folder.len())
            })
            .collect();
        match found.len() {
            0 => return found,
            1 => {
                let only = found.into_iter().next().unwrap_or_default();
                let Some(file) = files
                    .iter()
                    .find(|file| file.path.starts_with(&format!("{only}/")))
                else {
                    return BTreeSet::new();
                };
                below = file.path.get(..=only.len()).unwrap_or_default();
            }
            _ => return found,
        }
    }
}

/// Finds the component of a file: that of the nearest folder above it.
struct Owner<'a>(BTreeMap<&'a str, usize>);

impl<'a> Owner<'a> {
    fn new(components: &'a [Component]) -> Self {
        let folders = components
            .iter()
            .enumerate()
            .map(|(at, it)| (&*it.folder, at));
        Self(folders.collect())
    }

    fn of(&self, path: &str) -> Option<usize> {
        let mut at = path;
        while let Some((folder, _)) = at.rsplit_once('/') {
            if let Some(found) = self.0.get(folder) {
                return Some(*found);
            }
            at = folder;
        }
        self.0.get("").copied()
    }
}
