//! The scan: walk, read side by side, put together.
//!
//! Memory is bounded by the facts and one file per worker; files are forgotten once they are read, except
//! manifests. Limits are on sizes and numbers, never on time, so that two scans of the same files are equal.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{
    Counts, Facts, File, Skipped, about, components, entry, manifest,
    names::make_inert,
    order::{Limits, Order},
    read::{Read, read},
    resolve,
    walk::{SourceFile, walk},
};
use crate::error::Error;

/// The facts of a folder.
pub fn scan(folder: &Path, order: &Order) -> Result<Facts, Error> {
    let root = std::fs::canonicalize(folder).map_err(|error| Error::Root {
        path: folder.display().to_string(),
        why: error.to_string(),
    })?;
    let mut skipped = Skipped::default();
    let found = walk(&root, order, &mut skipped)?;
    let reads = read_all(&found, &order.limits);
    drop(found);
    let mut files = Vec::with_capacity(reads.len());
    let mut texts = Vec::new();
    let mut uses = Vec::with_capacity(files.capacity());
    for Read {
        file,
        text,
        why,
        uses: used,
    } in reads
    {
        if let Some(why) = why {
            skipped.add(file.path.clone(), why);
        }
        if let Some(text) = text {
            if manifest::is_broken(&file.path, &text) {
                skipped.add(file.path.clone(), "a manifest that cannot be parsed");
            }
            texts.push((file.path.clone(), text));
        }
        files.push(file);
        uses.push(used);
    }
    let name = root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| "/".into());
    let mut read = manifest::read(&texts, &name);
    let about = about::of(&files, &texts, &root);
    if let (Some(name), Some(version)) = (&about.name, &about.version) {
        // The code may state what the manifest refers to.
        let own = read.packages.iter_mut().find(|it| it.name == name.text);
        if let Some(package) = own {
            package.version.get_or_insert_with(|| version.text.clone());
        }
    }
    resolve::imports(&mut files, &uses, &read, &texts);
    let mut facts = Facts {
        name,
        about,
        locked: read.all_locked(),
        components: components::of(&files, &read),
        entry_points: entry::of(&files, &uses, &read),
        dependencies: read.dependencies,
        counts: counts(&files),
        files,
        skipped,
        root,
    };
    // What components ask of each other is no dependency from outside.
    let own: BTreeSet<&str> = facts.components.iter().map(|it| &*it.name).collect();
    facts.dependencies.retain(|it| !own.contains(&*it.name));
    make_inert(&mut facts);
    Ok(facts)
}

/// Reads all files, a few at once, in order.
fn read_all(found: &[SourceFile], limits: &Limits) -> Vec<Read> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = found.get(at) else {
                return done;
            };
            done.push((at, read(file, limits, manifest::is_wanted(&file.name))));
        }
    };
    let mut done: Vec<(usize, Read)> = std::thread::scope(|scope| {
        let others = (1..limits.workers.max(1)).map(|_| scope.spawn(work));
        let others: Vec<_> = others.collect();
        let mut done = work();
        for other in others {
            match other.join() {
                Ok(read) => done.extend(read),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, read)| read).collect()
}

fn counts(files: &[File]) -> Counts {
    let mut counts = Counts::default();
    let mut folders = BTreeSet::new();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    for file in files {
        counts.files += 1;
        counts.lines += u64::from(file.lines);
        counts.uncounted += u32::from(file.uncounted);
        counts.bytes = counts.bytes.saturating_add(file.bytes);
        counts.tests += u32::from(file.test);
        counts.symbols = counts.symbols.saturating_add(number(file.symbols.len()));
        counts.marks = counts.marks.saturating_add(number(file.marks.len()));
        let mut path = &*file.path;
        while let Some((folder, _)) = path.rsplit_once('/') {
            if !folders.insert(folder) {
                break;
            }
            path = folder;
        }
        let language = counts.languages.entry(file.language.name().to_owned());
        let language = language.or_default();
        language.files += 1;
        language.lines += u64::from(file.lines);
    }
    counts.folders = number(folders.len());
    counts
}
