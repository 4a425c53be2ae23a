//! Export and import: an archive holds all of a thread, and only what fits together is taken in.

use std::{collections::BTreeMap, sync::Arc};

use superstep_core::{
    archive::{Archive, ArchiveError, Archived},
    id::GraphPath,
    record::{Record, TaskKey},
    saver::{Keep, Saver},
    value::{MAX_DEPTH, Value},
};
use superstep_engine::memory::MemorySaver;

use super::deletion::filled;
use super::fixture::{BUSY, Bench, CORRUPT, EXISTS, Fixture, NO_THREAD, UNSTORABLE, refused};
use super::model::Model;
use super::records::{delta, done, everywhere, first, full, id, node, note_everywhere};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: an_import_reads_like_the_original,
    an_archive_holds_every_checkpoint_in_order,
    a_thread_moves_to_another_saver_and_back,
    every_value_survives_an_archive,
    what_is_stored_can_be_archived_however_deep_it_is,
    an_imported_thread_goes_on,
    imports_of_one_archive_go_their_own_ways,
    a_pruned_thread_can_be_moved,
    an_unknown_thread_is_not_exported,
    an_import_onto_a_thread_is_refused,
    an_import_onto_a_leased_name_is_refused,
    a_broken_archive_is_refused_whole,
];

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        Self(format!("unexpected error {}: {error}", error.code()))
    }
}

/// A thread with forks, notes from many hands, and several namespaces.
async fn grown(fixture: &Fixture, thread: &str) -> Result<Model, Failure> {
    let model = filled(fixture, thread).await?;
    let mut writer = fixture.writer_after(thread, model).await?;
    let value = Value::from("grown");
    for namespace in ["", "a:1"] {
        writer.commit(namespace, everywhere(4, 2, &value)).await?;
        writer
            .note(namespace, 2, vec![note_everywhere(node(2), &value)])
            .await?;
        // After the note: what is known of checkpoint 2 now comes from both.
        let mut late = delta(5, 2);
        late.tasks = vec![done(TaskKey::Send(3), "late"), done(node(2), "later")];
        writer.commit(namespace, late).await?;
        writer.commit(namespace, full(6, 3)).await?;
        let mut last = delta(7, 6);
        last.tasks = vec![done(node(1), "with the record")];
        writer.commit(namespace, last).await?;
        writer
            .note(namespace, 7, vec![done(node(0), "open")])
            .await?;
    }
    Ok(writer.end())
}

/// What comes out of a file that the archive was written to.
fn filed(archive: &Archive) -> Result<Archive, Failure> {
    let mut file = Vec::new();
    archive.write(&mut file)?;
    Ok(Archive::read(&*file)?)
}

async fn an_import_reads_like_the_original(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = grown(&fixture, "from").await?;
    let other = filled(&fixture, "other").await?;
    let archive = fixture.saver.export(&"from".into()).await?;
    fixture.saver.import(&"to".into(), archive).await?;
    fixture.agrees("to", &model).await?;
    fixture.agrees("from", &model).await?;
    fixture.agrees("other", &other).await?;
    equal("threads", fixture.listed().await?, ["from", "other", "to"])
}

async fn an_archive_holds_every_checkpoint_in_order(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = grown(&fixture, "t").await?;
    let archive = fixture.saver.export(&"t".into()).await?;
    archive.check().map_err(Failure)?;
    let namespaces: Vec<_> = archive.namespaces.keys().collect();
    equal(
        "namespaces",
        namespaces,
        model.spaces.keys().collect::<Vec<_>>(),
    )?;
    for (namespace, rows) in &model.spaces {
        let archived = archive.namespaces.get(namespace).into_iter().flatten();
        let got: Vec<_> = archived.map(|one| one.record.id).collect();
        let wanted: Vec<_> = rows.iter().map(|row| row.record.id).collect();
        equal("checkpoints", got, wanted)?;
    }
    Ok(())
}

async fn a_thread_moves_to_another_saver_and_back(bench: &Bench<'_>) -> Verdict {
    let (fixture, memory, target) = (bench.open().await?, MemorySaver::new(), bench.open().await?);
    let model = grown(&fixture, "t").await?;
    let archive = filed(&fixture.saver.export(&"t".into()).await?)?;
    memory.import(&"m".into(), archive).await?;
    let middle = Fixture {
        saver: Arc::new(memory.clone()),
    };
    middle.agrees("m", &model).await?;
    let archive = filed(&memory.export(&"m".into()).await?)?;
    target.saver.import(&"back".into(), archive).await?;
    target.agrees("back", &model).await
}

async fn every_value_survives_an_archive(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let floats = [-0.0, 5e-324, 0.1 + 0.2, f64::MAX, 1.0].map(Value::Float);
    let value = Value::list([
        Value::list(floats),
        Value::Int(i64::MIN),
        Value::UInt(u64::MAX),
        Value::Null,
        Value::from("a\0\"\\\n\u{2028} 🧵"),
        Value::map([("$f64", Value::from("7ff0000000000000"))]),
        Value::map::<Arc<str>>([]),
        Value::list([]),
    ]);
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    writer.commit("", everywhere(2, 1, &value)).await?;
    writer
        .note("", 2, vec![note_everywhere(TaskKey::Input, &value)])
        .await?;
    let model = writer.end();
    let archive = filed(&fixture.saver.export(&"t".into()).await?)?;
    fixture.saver.import(&"to".into(), archive).await?;
    fixture.agrees("to", &model).await
}

async fn what_is_stored_can_be_archived_however_deep_it_is(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let deep = |levels| (0..levels).fold(Value::Null, |inner, _| Value::list([inner]));
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    // Where a list is extended, the value is one level deeper.
    let value = deep(MAX_DEPTH - 1);
    writer.commit("", everywhere(2, 1, &value)).await?;
    let note = |value: &Value| vec![note_everywhere(TaskKey::Input, value)];
    writer.note("", 2, note(&value)).await?;
    let refusals = [
        deep(MAX_DEPTH + 1),
        deep(2 * MAX_DEPTH),
        // Of the typed layer, where a value is looked into when it is stored.
        Value::typed(deep(MAX_DEPTH + 1).to_json()),
        Value::typed(f64::NAN),
        Value::typed([Some(f32::INFINITY)]),
        Value::typed(BTreeMap::from([((1, 2), 3)])),
    ];
    for value in refusals {
        let got = writer.try_commit("", everywhere(3, 2, &value)).await;
        refused("a value that cannot be stored", got, UNSTORABLE)?;
        let got = writer.try_note("", id(2), note(&value)).await;
        refused("a note that cannot be stored", got, UNSTORABLE)?;
    }
    let model = writer.end();
    let archive = filed(&fixture.saver.export(&"t".into()).await?)?;
    fixture.saver.import(&"to".into(), archive).await?;
    fixture.agrees("to", &model).await
}

async fn an_imported_thread_goes_on(bench: &Bench<'_>) -> Verdict {
    let (fixture, target) = (bench.open().await?, bench.open().await?);
    let model = grown(&fixture, "t").await?;
    let archive = fixture.saver.export(&"t".into()).await?;
    target.saver.import(&"t".into(), archive).await?;
    let mut writer = target.writer_after("t", model).await?;
    writer
        .note("", 2, vec![done(node(2), "after the move")])
        .await?;
    writer.note("", 7, vec![done(node(1), "answered")]).await?;
    let mut next = delta(8, 7);
    next.tasks = vec![done(node(2), "of the next")];
    writer.commit("", next).await?;
    writer.commit("", delta(9, 2)).await?;
    writer.commit("new:1", first(9)).await?;
    let got = writer.try_commit("", delta(9, 8)).await;
    refused("an id that is taken", got, CORRUPT)?;
    target.agrees("t", &writer.model).await
}

async fn imports_of_one_archive_go_their_own_ways(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = grown(&fixture, "t").await?;
    let archive = fixture.saver.export(&"t".into()).await?;
    for thread in ["one", "two"] {
        fixture
            .saver
            .import(&thread.into(), archive.clone())
            .await?;
    }
    let mut one = fixture.writer_after("one", model.clone()).await?;
    let mut two = fixture.writer_after("two", model.clone()).await?;
    one.commit("", delta(8, 7)).await?;
    two.note("", 7, vec![done(node(2), "of the second")])
        .await?;
    fixture.agrees("one", &one.model).await?;
    fixture.agrees("two", &two.model).await?;
    fixture.agrees("t", &model).await
}

async fn a_pruned_thread_can_be_moved(bench: &Bench<'_>) -> Verdict {
    for keep in [Keep::Latest, Keep::Last(3)] {
        let (fixture, target) = (bench.open().await?, bench.open().await?);
        let model = grown(&fixture, "t").await?;
        fixture.saver.prune(&"t".into(), keep).await?;
        let archive = filed(&fixture.saver.export(&"t".into()).await?)?;
        target.saver.import(&"t".into(), archive).await?;
        for namespace in model.spaces.keys() {
            let all = superstep_core::saver::HistoryQuery::default();
            let wanted = fixture.saver.history(&"t".into(), namespace, &all).await?;
            let got = target.saver.history(&"t".into(), namespace, &all).await?;
            equal("how many are there", got.len(), wanted.len())?;
            for (got, wanted) in got.iter().zip(&wanted) {
                super::model::same("a moved checkpoint", Some(got), Some(wanted))?;
            }
        }
    }
    Ok(())
}

async fn an_unknown_thread_is_not_exported(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    drop(fixture.lease("leased").await?);
    filled(&fixture, "t").await?;
    for thread in ["unknown", "leased", ""] {
        let got = fixture.saver.export(&thread.into()).await;
        refused("an export of nothing", got, NO_THREAD)?;
    }
    // Reading needs no lease.
    let _writer = fixture.writer("t").await?;
    fixture.saver.export(&"t".into()).await?;
    Ok(())
}

async fn an_import_onto_a_thread_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let from = grown(&fixture, "from").await?;
    let mut writer = fixture.writer("to").await?;
    writer.commit("", first(9)).await?;
    let to = writer.end();
    let archive = fixture.saver.export(&"from".into()).await?;
    for thread in ["to", "from"] {
        let got = fixture.saver.import(&thread.into(), archive.clone()).await;
        refused("an import onto a thread", got, EXISTS)?;
    }
    fixture.agrees("from", &from).await?;
    fixture.agrees("to", &to).await?;
    let below = fixture
        .head("to", "a:1", superstep_core::saver::At::Latest)
        .await?;
    equal("a namespace that was not imported", below, None)
}

async fn an_import_onto_a_leased_name_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = grown(&fixture, "from").await?;
    let archive = fixture.saver.export(&"from".into()).await?;
    let lease = fixture.lease("to").await?;
    let got = fixture.saver.import(&"to".into(), archive.clone()).await;
    refused("an import onto a leased name", got, BUSY)?;
    drop(lease);
    equal("threads", fixture.listed().await?, ["from"])?;
    fixture.saver.import(&"to".into(), archive).await?;
    fixture.agrees("to", &model).await
}

async fn a_broken_archive_is_refused_whole(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    grown(&fixture, "t").await?;
    let good = fixture.saver.export(&"t".into()).await?;
    type Break = fn(&mut Vec<Archived>);
    let breaks: [(&str, Break); 6] = [
        ("no checkpoint at all", Vec::clear),
        ("ids that do not grow", |all| all.reverse()),
        ("an id that comes twice", |all| {
            all.extend(all.last().cloned());
        }),
        ("a parent that is missing", |all| drop(all.remove(0))),
        ("a parent that comes later", |all| {
            change(all, 1, |record| record.parent = Some(id(7)))
        }),
        ("a channel that its layout does not have", |all| {
            change(all, 1, |record| record.layout = Arc::default());
        }),
    ];
    // The namespace comes last, after much that is in order.
    let broken = GraphPath::from("c");
    for (what, break_it) in breaks {
        let mut archive = good.clone();
        break_it(archive.namespaces.entry(broken.clone()).or_default());
        let got = fixture.saver.import(&"to".into(), archive).await;
        refused(what, got, CORRUPT)?;
        equal(what, fixture.listed().await?, ["t"])?;
        for namespace in good.namespaces.keys() {
            let at = superstep_core::saver::At::Latest;
            equal(
                what,
                fixture.head("to", namespace.as_str(), at).await?,
                None,
            )?;
        }
    }
    let got = fixture.saver.import(&"to".into(), Archive::default()).await;
    refused("an empty archive", got, CORRUPT)
}

fn change(all: &mut [Archived], place: usize, change: impl FnOnce(&mut Record)) {
    if let Some(archived) = all.get_mut(place) {
        change(Arc::make_mut(&mut archived.record));
    }
}
