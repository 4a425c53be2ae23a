//! Histories: order, limits and conditions.

use superstep_core::{
    record::{Record, Source},
    saver::HistoryQuery,
};

use super::fixture::{Bench, Fixture, Writer};
use super::records::{delta, done, first, full, id, node};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: a_history_is_newest_first,
    a_history_stops_at_its_limit,
    a_history_may_start_before_an_id,
    a_history_may_be_of_one_source,
    a_history_may_be_of_one_step,
    a_limit_counts_what_fits_all_conditions,
    a_history_is_of_one_namespace,
    each_entry_of_a_history_reads_like_a_load,
];

async fn a_history_is_newest_first(bench: &Bench<'_>) -> Verdict {
    let (fixture, writer) = story(bench).await?;
    let all = fixture.history("t", "", HistoryQuery::default()).await?;
    equal("the history", all, [9, 8, 7, 6, 5, 4, 3, 2, 1])?;
    fixture.agrees("t", &writer.model).await
}

async fn a_history_stops_at_its_limit(bench: &Bench<'_>) -> Verdict {
    let (fixture, _writer) = story(bench).await?;
    for limit in [0, 1, 2, 8, 9, 10, usize::MAX] {
        let query = HistoryQuery {
            limit: Some(limit),
            ..HistoryQuery::default()
        };
        let wanted: Vec<u64> = (1..=9).rev().take(limit).collect();
        let got = fixture.history("t", "", query).await?;
        equal(&format!("limit {limit}"), got, wanted)?;
    }
    Ok(())
}

async fn a_history_may_start_before_an_id(bench: &Bench<'_>) -> Verdict {
    let (fixture, _writer) = story(bench).await?;
    for (before, newest) in [(0, 0), (1, 0), (2, 1), (5, 4), (9, 8), (10, 9), (99, 9)] {
        let query = HistoryQuery {
            before: Some(id(before)),
            ..HistoryQuery::default()
        };
        let wanted: Vec<u64> = (1..=newest).rev().collect();
        let got = fixture.history("t", "", query).await?;
        equal(&format!("before {before}"), got, wanted)?;
    }
    Ok(())
}

async fn a_history_may_be_of_one_source(bench: &Bench<'_>) -> Verdict {
    let (fixture, _writer) = story(bench).await?;
    let wanted: [(Source, &[u64]); 4] = [
        (Source::Input, &[6, 1]),
        (Source::Loop, &[8, 7, 3, 2]),
        (Source::Update, &[9, 4]),
        (Source::Fork, &[5]),
    ];
    for (source, wanted) in wanted {
        let query = HistoryQuery {
            source: Some(source),
            ..HistoryQuery::default()
        };
        let got = fixture.history("t", "", query).await?;
        equal(source.as_str(), got, wanted)?;
    }
    Ok(())
}

async fn a_history_may_be_of_one_step(bench: &Bench<'_>) -> Verdict {
    let (fixture, _writer) = story(bench).await?;
    let wanted: [(i64, &[u64]); 5] = [
        (-1, &[1]),
        (0, &[2]),
        (2, &[5, 4]),
        (i64::MAX, &[9]),
        (7, &[]),
    ];
    for (step, wanted) in wanted {
        let query = HistoryQuery {
            step: Some(step),
            ..HistoryQuery::default()
        };
        let got = fixture.history("t", "", query).await?;
        equal(&format!("step {step}"), got, wanted)?;
    }
    Ok(())
}

async fn a_limit_counts_what_fits_all_conditions(bench: &Bench<'_>) -> Verdict {
    let (fixture, _writer) = story(bench).await?;
    let query = HistoryQuery {
        limit: Some(2),
        before: Some(id(8)),
        source: Some(Source::Loop),
        step: None,
    };
    let got = fixture.history("t", "", query.clone()).await?;
    equal("two steps before 8", got, [7, 3])?;
    let query = HistoryQuery {
        step: Some(0),
        ..query
    };
    let got = fixture.history("t", "", query).await?;
    equal("step 0 before 8", got, [2])
}

async fn a_history_is_of_one_namespace(bench: &Bench<'_>) -> Verdict {
    let (fixture, mut writer) = story(bench).await?;
    writer.commit("a:1", first(20)).await?;
    writer.commit("a:1", delta(21, 20)).await?;
    writer.commit("a", first(22)).await?;
    for (namespace, wanted) in [("a:1", &[21, 20][..]), ("a", &[22]), ("a:2", &[])] {
        let got = fixture
            .history("t", namespace, HistoryQuery::default())
            .await?;
        equal(namespace, got, wanted)?;
    }
    fixture.agrees("t", &writer.model).await
}

async fn each_entry_of_a_history_reads_like_a_load(bench: &Bench<'_>) -> Verdict {
    let (fixture, mut writer) = story(bench).await?;
    for n in [1, 4, 9] {
        writer.note("", n, vec![done(node(2), n as i64)]).await?;
    }
    // A filtered history leaves records out, and what it shows must not miss them.
    let query = HistoryQuery {
        source: Some(Source::Update),
        ..HistoryQuery::default()
    };
    let shown = fixture
        .saver
        .history(&"t".into(), &"".into(), &query)
        .await?;
    equal("updates", shown.len(), 2)?;
    for loaded in &shown {
        let head = loaded.head().map(|record| record.id);
        let wanted = head.and_then(|id| writer.model.reading(&"".into(), id));
        super::model::same("an update", Some(loaded), wanted.as_ref())?;
    }
    fixture.agrees("t", &writer.model).await
}

/// A thread of nine checkpoints: two runs, two edits, a fork, a snapshot.
async fn story(bench: &Bench<'_>) -> Result<(Fixture, Writer), Failure> {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    let of = |source, step, record| Record {
        source,
        step,
        ..record
    };
    let task = |record| Record {
        tasks: vec![done(node(0), "a"), done(node(1), "b")],
        ..record
    };
    let records = [
        first(1),
        task(of(Source::Loop, 0, delta(2, 1))),
        task(of(Source::Loop, 1, delta(3, 2))),
        of(Source::Update, 2, delta(4, 3)),
        of(Source::Fork, 2, delta(5, 3)),
        of(Source::Input, 3, full(6, 5)),
        task(of(Source::Loop, 4, delta(7, 6))),
        task(of(Source::Loop, 5, delta(8, 7))),
        of(Source::Update, i64::MAX, delta(9, 4)),
    ];
    for record in records {
        writer.commit("", record).await?;
    }
    Ok((fixture, writer))
}
