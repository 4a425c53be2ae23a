//! A whole job on a strong model, replayed from a recording. `BLESS=1` records it again, with the replies of
//! `harbor.replies.jsonl`: they were written by hand from what each request shows.

use std::{fs, path::Path, sync::Arc};

use superstep::model::{Cassette, Model, Script};
use superstep_archie::{Archie, Brief, Settings, Stage, memory};

use crate::support::{TestEnv, answer, begin, on_2_march_2026, question};

/// The model of the recording.
fn model() -> Arc<dyn Model> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let file = folder.join("harbor.jsonl");
    if std::env::var_os("BLESS").is_none() {
        return Arc::new(Cassette::replay(file).unwrap());
    }
    let _ = fs::remove_file(&file);
    let script = Script::from_file(folder.join("harbor.replies.jsonl")).unwrap();
    Arc::new(Cassette::record(file, Arc::new(script)).unwrap())
}

fn harbor(env: &TestEnv) -> Archie {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/harbor");
    for name in [
        "handbook.md", "tariff.md", "minutes.txt", "old/tariff-2019.md",
    ] {
        env.write(name, &fs::read(folder.join(name)).unwrap());
    }
    let settings = Settings {
        memory: Some(env.path("memory.json").into()),
        // Not all documents fit.
        document_tokens: Some(1_600),
        surroundings: on_2_march_2026(),
        ..Settings::default()
    };
    env.archie_with(model(), settings)
}

#[tokio::test]
async fn a_job_from_the_first_question_to_the_next_thread_replays() {
    let env = TestEnv::new();
    let archie = harbor(&env);
    let goal =
        "How long may a guest stay, and what does shore power cost? I write the sign for the desk.";
    begin(&archie, "sign", &env.brief(goal)).await;
    let first = question(&archie, "sign").await.query;
    assert!(first.contains("three nights in a row"), "{first}");
    assert!(first.contains("[minutes.txt:6-8]"), "{first}");
    let said =
        "The council decided: 0.36 from 1 May. From October to April guests may stay five nights.";
    answer(&archie, "sign", said).await;
    let state = answer(&archie, "sign", "/approve").await.done().unwrap();
    let sign = state.analysis_output.clone().unwrap();
    assert!(sign.contains("| nights in a row | 3 | 5 |"), "{sign}");
    assert!(sign.contains("tariff of 2019"), "{sign}");
    let known = memory::load(&env.path("memory.json")).unwrap().memory;
    assert_eq!(known.statements.len(), 2, "{known:?}");

    let change = archie.follow_up("Leave the tariff of 2019 out.");
    let outcome = archie.graph().run("sign", change).await.unwrap();
    let state = outcome.done().unwrap();
    let changed = state.analysis_output.clone().unwrap();
    assert!(!changed.contains("2019"), "{changed}");
    assert!(changed.contains("| nights in a row | 3 | 5 |"), "{changed}");
    // Every citation and every figure is in a document or was said.
    assert_eq!(state.notices, []);
    let stages: Vec<_> = state.usage.iter().filter_map(|it| it.stage).collect();
    use Stage::{Extract, Final, Followup, Initial, Revise};
    assert_eq!(
        stages,
        [
            Initial, Initial, Initial, Followup, Final, Extract, Revise, Extract
        ]
    );

    let brief = Brief {
        words: "What is shore power from May?".into(),
        ..env.brief("")
    };
    let outcome = archie.graph().run("next", archie.ask(&brief)).await;
    let state = outcome.unwrap().done().unwrap();
    let reply = state.analysis_output.clone().unwrap();
    assert!(reply.starts_with("0.36 EUR"), "{reply}");
    assert!(reply.contains("[memory 2026-03-02]"), "{reply}");
    assert_eq!(state.notices, []);
}
