//! The memory: what is learned once, by whom, and what becomes of its file.

use std::{fs, path::Path, sync::Arc};

use serde_json::{Value as Json, json};
use superstep::model::{
    Script,
    script::{FailureKind, Step, When},
};
use superstep_archie::{
    About, Settings, Stage,
    memory::{self, Entity, Memory, MemoryPlace, Seen, Source},
};

use crate::support::{TestEnv, answer, begin, names, question};

fn facts() -> Json {
    json!({
        "entities": [
            {"document": 2, "name": "Ledger", "type": "service",
             "description": "Keeps the accounts.", "tags": ["money"]},
            {"document": 1, "name": "Gateway", "type": "service",
             "description": "Takes payments.", "tags": []},
        ],
        "relationships": [
            {"document": 2, "from": "Gateway", "type": "writes to", "to": "Ledger"},
        ],
    })
}

fn learning(steps: impl IntoIterator<Item = Step>) -> Arc<Script> {
    let extract = Step::data(facts()).when(When::schema("entities")).always();
    Arc::new(Script::new([extract].into_iter().chain(steps)))
}

fn remembering(path: &Path) -> Settings {
    Settings {
        memory: Some(path.to_owned().into()),
        ..Settings::default()
    }
}

fn extractions(model: &Script) -> usize {
    let seen = model.seen();
    seen.iter()
        .filter(|request| request.output.is_some())
        .count()
}

#[tokio::test]
async fn what_documents_say_is_learned_once_and_told_to_the_model() {
    let env = TestEnv::with(&[("a.md", "The gateway."), ("b.md", "The ledger.")]);
    let path = env.path("memory.json");
    let model = learning([Step::text("1"), Step::text("2")]);
    let archie = env.archie_with(model.clone(), remembering(&path));
    let outcome = begin(&archie, "first", &env.brief("payments")).await;
    assert_eq!(extractions(&model), 1);
    let state = outcome.state();
    assert_eq!(
        state.system_context,
        "- Gateway (service): Takes payments.\n- Ledger (service): Keeps the accounts.\n\
         - Gateway writes to Ledger"
    );
    let stages: Vec<_> = state.usage.iter().filter_map(|it| it.stage).collect();
    assert_eq!(stages, [Stage::Extract, Stage::Initial]);
    answer(&archie, "first", "on").await;
    assert_eq!(extractions(&model), 1);

    let known = memory::load(&path).unwrap().memory;
    assert_eq!(known.entities.len(), 2);
    let ledger = known
        .entities
        .iter()
        .find(|it| it.name == "Ledger")
        .unwrap();
    assert_eq!(ledger.sources[0].thread, "first");
    let b = state.inputs.files[1].sha256.clone().unwrap();
    assert_eq!(ledger.sources[0].document, b);
    assert_eq!(known.documents.len(), 2);

    let again = learning([Step::text("1")]);
    let archie = env.archie_with(again.clone(), remembering(&path));
    begin(&archie, "second", &env.brief("payments")).await;
    assert_eq!(extractions(&again), 0);
    env.write("c.md", b"A new one.");
    begin(&archie, "third", &env.brief("payments")).await;
    assert_eq!(extractions(&again), 1);
    let seen = again.seen();
    let asked = seen
        .iter()
        .find(|request| request.output.is_some())
        .unwrap();
    let task = asked.messages.last().unwrap().text();
    assert!(task.starts_with("Documents to look through: 3\n"), "{task}");
}

#[tokio::test]
async fn an_extraction_that_fails_is_paid_for_and_counted() {
    let env = TestEnv::with(&[("a.md", "The gateway.")]);
    let useless = Step::text("no JSON")
        .when(When::schema("entities"))
        .always();
    let model = Arc::new(Script::new([useless, Step::text("1")]));
    let archie = env.archie_with(model.clone(), remembering(&env.path("memory.json")));
    let outcome = begin(&archie, "t", &env.brief("payments")).await;
    let state = outcome.state();
    let made = u32::try_from(extractions(&model)).unwrap();
    assert!(made > 1, "it was asked to repair it");
    let [extract, initial] = state.usage.as_slice() else {
        panic!("{:?}", state.usage)
    };
    assert_eq!((extract.stage, extract.calls), (Some(Stage::Extract), made));
    assert!(extract.tokens.total() > initial.tokens.total() / 2);
    assert_eq!(archie.spent("t").await.unwrap().calls, made + 1);
}

#[tokio::test]
async fn without_a_memory_nothing_is_extracted() {
    let env = TestEnv::with(&[("a.md", "text")]);
    let model = learning([Step::text("1")]);
    let archie = env.archie(model.clone());
    begin(&archie, "t", &env.brief("go")).await;
    assert_eq!(extractions(&model), 0);
}

#[tokio::test]
async fn an_analysis_goes_on_when_the_memory_cannot_grow() {
    let failures = [
        Step::error(FailureKind::Auth),
        Step::data(json!({"entities": "many"})),
        Step::text("no JSON at all"),
    ];
    for failure in failures {
        let env = TestEnv::with(&[("a.md", "text")]);
        let failure = failure.when(When::schema("entities")).always();
        let model = Arc::new(Script::new([
            failure,
            Step::text("1").when(When::schema("")),
        ]));
        let settings = remembering(&env.path("memory.json"));
        let archie = env.archie_with(model.clone(), settings);
        let outcome = begin(&archie, "t", &env.brief("go")).await;
        assert_eq!(question(&archie, "t").await.query, "1");
        let notices = &outcome.state().notices;
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert_eq!(notices[0].about, About::Extraction);
        assert!(notices[0].message.contains("SS50"), "{notices:?}");
        assert!(extractions(&model) <= 3);
    }
}

#[tokio::test]
async fn a_file_that_makes_no_sense_is_set_aside_and_told() {
    let env = TestEnv::with(&[("a.md", "text"), ("b.md", "more")]);
    let path = env.path("memory.json");
    for broken in ["{\"entities\": [", "{", "\0\0"] {
        fs::write(&path, broken).unwrap();
        let archie = env.archie_with(learning([Step::text("1")]), remembering(&path));
        let outcome = begin(&archie, broken.trim_matches('\0'), &env.brief("go")).await;
        let notices = &outcome.state().notices;
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert_eq!(notices[0].about, About::Memory);
        assert_eq!(memory::load(&path).unwrap().memory.entities.len(), 2);
    }
    let folder = path.parent().unwrap();
    let aside: Vec<_> = names(folder)
        .into_iter()
        .filter(|it| it.contains("damaged"))
        .collect();
    assert_eq!(
        aside,
        [
            "memory.json.damaged-1", "memory.json.damaged-2", "memory.json.damaged-3"
        ]
    );
    let kept = fs::read_to_string(folder.join(&aside[0])).unwrap();
    assert_eq!(kept, "{\"entities\": [");
}

#[tokio::test]
async fn a_file_of_another_kind_stays_where_it_is_and_that_is_told() {
    let env = TestEnv::with(&[("a.md", "text"), ("b.md", "more")]);
    let path = env.path("memory.json");
    for foreign in [
        "export PATH=/bin\n",
        "[1, 2]",
        "{\"name\": \"app\", \"version\": \"1.0.0\"}",
        "\u{89}PNG",
    ] {
        fs::write(&path, foreign).unwrap();
        let archie = env.archie_with(learning([Step::text("1")]), remembering(&path));
        let thread = foreign.len().to_string();
        let outcome = begin(&archie, &thread, &env.brief("go")).await;
        let notices = &outcome.state().notices;
        assert!(
            notices
                .iter()
                .any(|it| it.about == About::Memory && it.message.contains("another kind")),
            "{notices:?}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
        assert!(
            !names(path.parent().unwrap())
                .iter()
                .any(|it| it.contains("damaged"))
        );
    }
}

#[tokio::test]
async fn what_cannot_be_stored_is_known_to_its_thread() {
    let env = TestEnv::with(&[("a.md", "text"), ("b.md", "more")]);
    let path = env.docs().join("a.md/memory.json");
    let archie = env.archie_with(learning([Step::text("1")]), remembering(&path));
    let outcome = begin(&archie, "t", &env.brief("go")).await;
    assert_eq!(outcome.state().notices.len(), 1);

    let path = env.path("memory.json");
    fs::create_dir(env.path("memory.json.lock")).unwrap();
    let archie = env.archie_with(learning([Step::text("1")]), remembering(&path));
    let outcome = begin(&archie, "u", &env.brief("go")).await;
    let notices = &outcome.state().notices;
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].message.contains("SS6005"), "{notices:?}");
    assert!(outcome.state().system_context.contains("Ledger"));
}

#[test]
fn a_file_of_a_newer_version_is_not_touched() {
    let env = TestEnv::new();
    let path = env.path("memory.json");
    fs::write(&path, r#"{"version": 99, "entities": []}"#).unwrap();
    let error = memory::update(&path, |memory| memory.entities.clear()).unwrap_err();
    assert_eq!(error.code(), "SS6005", "{error}");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, r#"{"version": 99, "entities": []}"#);
}

#[test]
fn fields_of_others_stay() {
    let env = TestEnv::new();
    let path = env.path("memory.json");
    fs::write(&path, r#"{"entities": [], "owner": "Ann"}"#).unwrap();
    memory::update(&path, |memory| memory.add(one("Ledger"))).unwrap();
    let text: Json = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(text["owner"], "Ann");
    assert_eq!(text["entities"][0]["name"], "Ledger");
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    memory::update(&path, |memory| memory.add(one("ledger"))).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let env = TestEnv::new();
    let path = env.path("deep/er/memory.json");
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let path = &path;
            scope.spawn(move || {
                for number in 0..10 {
                    let name = format!("part {writer}-{number}");
                    memory::update(path, |memory| memory.add(one(&name))).unwrap();
                }
            });
        }
    });
    let known = memory::load(&path).unwrap();
    assert_eq!((known.memory.entities.len(), known.aside), (80, None));
    assert_eq!(
        names(path.parent().unwrap()),
        ["memory.json", "memory.json.lock"]
    );
}

#[cfg(unix)]
#[test]
fn writers_by_a_link_and_by_the_name_of_the_file_lose_nothing() {
    let env = TestEnv::new();
    let real = env.path("real/memory.json");
    fs::create_dir_all(env.path("real")).unwrap();
    fs::create_dir_all(env.path("link")).unwrap();
    let link = env.path("link/memory.json");
    // It leads to a file that is not there yet, by a second link.
    std::os::unix::fs::symlink("../real/other.json", &link).unwrap();
    std::os::unix::fs::symlink("memory.json", env.path("real/other.json")).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let path = if writer % 2 == 0 { &real } else { &link };
            scope.spawn(move || {
                for number in 0..10 {
                    let name = format!("part {writer}-{number}");
                    memory::update(path, |memory| memory.add(one(&name))).unwrap();
                }
            });
        }
    });
    for path in [&real, &link] {
        let known = memory::load(path).unwrap();
        assert_eq!((known.memory.entities.len(), known.aside), (80, None));
    }
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(names(&env.path("link")), ["memory.json"]);
    assert_eq!(
        names(&env.path("real")),
        ["memory.json", "memory.json.lock", "other.json"]
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_refused() {
    let env = TestEnv::new();
    let link = env.path("memory.json");
    for (target, why) in [
        ("gone/memory.json", "whose folder does not exist"),
        ("memory.json", "leads to itself"),
    ] {
        std::os::unix::fs::symlink(target, &link).unwrap();
        let error = memory::load(&link).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        let error = memory::update(&link, |memory| memory.add(one("x"))).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert!(!env.path("gone").exists());
        fs::remove_file(&link).unwrap();
    }
}

fn one(name: &str) -> Memory {
    Memory {
        entities: vec![Entity {
            name: name.into(),
            ..Entity::default()
        }],
        ..Memory::default()
    }
}

#[tokio::test]
async fn a_document_is_not_learned_as_a_part_of_the_system() {
    let env = TestEnv::with(&[("offers.md", "The shop makes offers.")]);
    let path = env.path("memory.json");
    let facts = json!({
        "entities": [
            {"document": 1, "name": "offers.md", "type": "document",
             "description": "Says what the shop does.", "tags": []},
            {"document": 1, "name": "Shop", "type": "service",
             "description": "Makes offers.", "tags": []},
        ],
        "relationships": [
            {"document": 1, "from": "offers.md", "type": "describes", "to": "Shop"},
        ],
    });
    let model = Arc::new(Script::new([
        Step::data(facts).when(When::schema("entities")),
        Step::text("1"),
    ]));
    let archie = env.archie_with(model, remembering(&path));
    let outcome = begin(&archie, "t", &env.brief("offers")).await;
    assert_eq!(
        outcome.state().system_context,
        "- Shop (service): Makes offers."
    );
    let known = memory::load(&path).unwrap().memory;
    let names: Vec<&str> = known.entities.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["Shop"]);
    assert!(known.relationships.is_empty());
}

#[tokio::test]
async fn each_folder_has_a_memory_and_a_question_without_one_is_told_of_all() {
    let [one, other] = [
        TestEnv::with(&[("a.md", "The gateway."), ("b.md", "The ledger.")]),
        TestEnv::with(&[("c.md", "The oven.")]),
    ];
    let oven = json!({"entities": [{"document": 1, "name": "Oven", "type": "thing",
        "description": "Bakes.", "tags": []}], "relationships": []});
    let place = MemoryPlace::Folder {
        path: one.path("memories"),
        shared: None,
    };
    let settings = || Settings {
        memory: Some(place.clone()),
        ..Settings::default()
    };
    let archie = one.archie_with(learning([Step::text("1")]), settings());
    begin(&archie, "t", &one.brief("payments")).await;
    let steps = [
        Step::data(oven).when(When::schema("entities")),
        Step::text("1"),
    ];
    let archie = other.archie_with(Arc::new(Script::new(steps)), settings());
    let outcome = begin(&archie, "t", &other.brief("ledger")).await;
    assert_eq!(outcome.state().system_context, "- Oven (thing): Bakes.");
    let files = fs::read_dir(one.path("memories")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    assert_eq!(files.len(), 2, "{files:?}");

    let archie = other.archie_with(Arc::new(Script::new([Step::text("so")])), settings());
    let brief = superstep_archie::Brief {
        words: "what is there?".into(),
        ..superstep_archie::Brief::default()
    };
    let asked = archie.graph().run("q", archie.ask(&brief)).await.unwrap();
    let told = &asked.state().system_context;
    assert!(told.contains("Oven") && told.contains("Ledger"), "{told}");
}

#[tokio::test]
async fn a_memory_of_all_folders_is_still_read_for_its_documents_and_for_what_people_wrote() {
    let env = TestEnv::with(&[("a.md", "The gateway."), ("b.md", "The ledger.")]);
    // What an earlier version learned.
    let shared = env.path("archie.json");
    let archie = env.archie_with(learning([Step::text("1")]), remembering(&shared));
    begin(&archie, "old", &env.brief("payments")).await;
    let entity = |name: &str, document: &str| Entity {
        name: name.into(),
        description: "There.".into(),
        sources: vec![Source {
            thread: "old".into(),
            document: document.into(),
        }],
        ..Entity::default()
    };
    memory::update(&shared, |memory| {
        memory.entities.push(entity("Oven", "hash of another"));
        memory.entities.push(entity("Team", "user"));
        memory
            .documents
            .insert("hash of another".into(), Seen::default());
    })
    .unwrap();
    let before = fs::read(&shared).unwrap();

    let place = MemoryPlace::Folder {
        path: env.path("memories"),
        shared: Some(shared.clone()),
    };
    let settings = Settings {
        memory: Some(place),
        ..Settings::default()
    };
    let model = learning([Step::text("1"), Step::text("2")]);
    let archie = env.archie_with(model.clone(), settings);
    let outcome = begin(&archie, "new", &env.brief("payments")).await;
    let told = &outcome.state().system_context;
    assert_eq!(extractions(&model), 0, "these documents are known");
    assert!(told.contains("Ledger") && told.contains("Team"), "{told}");
    assert!(!told.contains("Oven"), "{told}");
    // What is learned now goes to the folder's own file, with what was known of it.
    env.write("c.md", b"A new one.");
    begin(&archie, "newer", &env.brief("payments")).await;
    assert_eq!(extractions(&model), 1);
    let own = fs::read_dir(env.path("memories")).unwrap();
    let own = own.map(|file| file.unwrap().path());
    let own = own.filter(|path| path.extension().is_some_and(|it| it == "json"));
    let own: Vec<_> = own.collect();
    let known = memory::load(&own[0]).unwrap().memory;
    let names: Vec<&str> = known.entities.iter().map(|it| &*it.name).collect();
    assert!(
        names.contains(&"Team") && !names.contains(&"Oven"),
        "{names:?}"
    );
    assert_eq!(known.documents.len(), 3);
    assert_eq!(fs::read(&shared).unwrap(), before, "it is not written");
}

#[tokio::test]
async fn a_memory_in_the_store_is_of_that_store_and_of_each_folder_apart() {
    let env = TestEnv::with(&[("a.md", "The gateway."), ("b.md", "The ledger.")]);
    let settings = || Settings {
        memory: Some(MemoryPlace::Store),
        ..Settings::default()
    };
    let archie = env.archie_with(learning([Step::text("1")]), settings());
    let outcome = begin(&archie, "t", &env.brief("payments")).await;
    let learned = outcome.state().system_context.clone();
    assert!(learned.contains("Ledger"), "{learned}");
    // Another run on the same store knows it, and looks through nothing a second time.
    let archie = env.archie_with(Arc::new(Script::new([Step::text("1")])), settings());
    let again = begin(&archie, "u", &env.brief("payments")).await;
    assert_eq!(again.state().system_context, learned);
    let brief = superstep_archie::Brief {
        words: "what is there?".into(),
        ..superstep_archie::Brief::default()
    };
    let ask = |archie: superstep_archie::Archie| {
        let brief = brief.clone();
        async move {
            let asked = archie.graph().run("q", archie.ask(&brief)).await.unwrap();
            asked.state().system_context.clone()
        }
    };
    let so = || Arc::new(Script::new([Step::text("so")]));
    let told = ask(env.archie_with(so(), settings())).await;
    assert!(told.contains("Ledger"), "{told}");
    // Another folder on the same store does not, nor does the same folder on another store.
    let other = TestEnv::with(&[("c.md", "The oven.")]);
    let nothing = json!({"entities": [], "relationships": []});
    let steps = || {
        let nothing = Step::data(nothing.clone()).when(When::schema("entities"));
        Arc::new(Script::new([nothing, Step::text("1")]))
    };
    let elsewhere = env.archie_with(steps(), settings());
    let outcome = begin(&elsewhere, "v", &other.brief("ledger")).await;
    assert_eq!(outcome.state().system_context, "");
    let stranger = other.archie_with(steps(), settings());
    let outcome = begin(&stranger, "w", &env.brief("ledger")).await;
    assert_eq!(outcome.state().system_context, "");
    assert_eq!(ask(other.archie_with(so(), settings())).await, "");
}
