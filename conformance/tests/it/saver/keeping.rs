//! Faults in what goes and in what moves: retention, export, import.

use std::sync::Arc;

use superstep_core::{
    archive::Archive,
    clock::UnixMillis,
    error::SaverError,
    id::{GraphPath, ThreadId},
    saver::{Keep, Retained, Retention, Saver},
};
use superstep_engine::memory::MemorySaver;

use super::answer::{Answer, now};
use super::fault::Fault;

pub(crate) fn retain(
    inner: &MemorySaver,
    fault: Fault,
    retention: &Retention,
    time: UnixMillis,
) -> Answer<Retained> {
    let mut retention = *retention;
    let names = now(inner.threads())?;
    let copies = names.iter().map(|name| now(inner.export(name)));
    let copies: Vec<Archive> = copies.collect::<Answer<_>>()?;
    let mut counted = 0;
    match fault {
        Fault::RetentionSparesAll => retention.idle = None,
        Fault::RetentionTakesAll => {
            retention.idle = retention.idle.map(|_| std::time::Duration::ZERO);
        }
        Fault::RetentionPrunesNothing => retention.keep = None,
        Fault::RetentionHasWishes => retention.keep = Some(Keep::Latest),
        Fault::RetentionNeedsAll => {
            for name in &names {
                drop(now(inner.lease(name))?);
            }
        }
        Fault::RetentionCountsWhatGoes => {
            let keep = retention.keep;
            let first = Retention { keep, idle: None };
            counted = now(inner.retain(&first, time))?.pruned;
        }
        _ => {}
    }
    let mut retained = now(inner.retain(&retention, time))?;
    retained.pruned += counted;
    if fault == Fault::RetentionOnlyReports {
        let pairs = names.iter().zip(copies);
        for (name, copy) in pairs.filter(|(name, _)| retained.deleted.contains(name)) {
            now(inner.import(name, copy))?;
        }
    }
    Ok(retained)
}

pub(crate) fn export(inner: &MemorySaver, fault: Fault, thread: &ThreadId) -> Answer<Archive> {
    let mut archive = match now(inner.export(thread)) {
        Err(SaverError::NoThread { .. }) if fault == Fault::ExportsNothing => Archive::default(),
        answer => answer?,
    };
    match fault {
        Fault::ExportLosesNotes => {
            for archived in archive.namespaces.values_mut().flatten() {
                archived.notes = None;
            }
        }
        Fault::ExportIsOfTheRoot => archive.namespaces.retain(|name, _| name.is_root()),
        Fault::ExportIsNewestFirst => archive
            .namespaces
            .values_mut()
            .for_each(|all| all.reverse()),
        _ => {}
    }
    Ok(archive)
}

pub(crate) fn import(
    inner: &MemorySaver,
    fault: Fault,
    thread: &ThreadId,
    mut archive: Archive,
) -> Answer<()> {
    if fault == Fault::ImportLosesTasks {
        for archived in archive.namespaces.values_mut().flatten() {
            Arc::make_mut(&mut archived.record).tasks.clear();
        }
    }
    let answer = now(inner.import(thread, archive.clone()));
    match (fault, answer) {
        (Fault::ImportOverwrites, Err(SaverError::Exists { .. })) => {
            now(inner.delete(thread))?;
            now(inner.import(thread, archive))
        }
        (Fault::ImportIgnoresLeases, Err(SaverError::Busy { .. })) => Ok(()),
        (Fault::ImportTakesAnything, Err(SaverError::Corrupt(_))) => Ok(()),
        (Fault::ImportKeepsHalf, Err(SaverError::Corrupt(why))) => {
            archive.namespaces.remove(&GraphPath::from("c"));
            drop(now(inner.import(thread, archive)));
            Err(SaverError::Corrupt(why))
        }
        (_, answer) => answer,
    }
}
