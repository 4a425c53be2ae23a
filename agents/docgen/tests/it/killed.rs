//! A process that is killed in the middle: the next one runs only what was not finished.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use superstep::{
    Backends,
    future::BoxFuture,
    model::{
        Caps, Deltas, Model, ModelError, ModelId, Request,
        script::{Script, Step, When},
    },
    sqlite::Database,
};
use superstep_docgen::{Docgen, Settings};

use crate::support::{files, model, only, shop};

/// Set in the process that is killed: the folder to work in.
const WORK: &str = "SUPERSTEP_TEST_DOCS_KILLED";
/// What it prints when it is asked for the last agent.
const ASKED: &str = "asked about figures";
const AGENTS: [&str; 3] = ["dependency-analyzer", "file-structure", "kpi"];

/// A model that says when it is asked about figures, and then nothing.
struct Stuck(Script);

impl Model for Stuck {
    fn id(&self) -> &ModelId {
        self.0.id()
    }

    fn caps(&self) -> Caps {
        self.0.caps()
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        Box::pin(async move {
            if request.messages[0]
                .text()
                .contains("what the figures of the code base mean")
            {
                println!("{ASKED}");
                std::future::pending::<()>().await;
            }
            self.0.stream(request).await
        })
    }
}

fn docgen(place: &Path, model: Arc<dyn Model>) -> Docgen {
    let database = Database::open(place.join("docs.db")).unwrap();
    let backends = Backends {
        saver: Some(Arc::new(database.saver())),
        ..Backends::default()
    };
    let settings = Settings {
        at_once: 1,
        ..only(&AGENTS)
    };
    Docgen::new(Some(model), settings, backends).unwrap()
}

/// The child of the test below, which kills it while `kpi` waits for its model.
async fn document(place: &Path) {
    let good = serde_json::json!({"completeness": 90, "clarity": 90, "depth": 90, "accuracy": 90, "missing_information": [], "questions": [], "look_up": []});
    let script = Script::new([
        Step::data(good).when(When::schema("grade")).always(),
        Step::text("## Overview\n\nBefore the kill.").always(),
    ]);
    let docgen = docgen(place, Arc::new(Stuck(script)));
    let request = superstep_docgen::Request::new(&place.join("code"), None).unwrap();
    let _never = docgen.graph().run("docs-1", docgen.document(request)).await;
}

#[tokio::test]
async fn only_agents_that_were_not_finished_run_after_a_kill() {
    if let Some(place) = std::env::var_os(WORK) {
        return document(Path::new(&place)).await;
    }
    let place = tempfile::tempdir().unwrap();
    let code = shop();
    let copied = Command::new("cp")
        .arg("-r")
        .arg(code.path())
        .arg(place.path().join("code"))
        .status();
    assert!(copied.unwrap().success());
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--nocapture",
            "--exact",
            "killed::only_agents_that_were_not_finished_run_after_a_kill",
        ])
        .env(WORK, place.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap());
    let is_asked = said.lines().any(|line| line.unwrap().contains(ASKED));
    assert!(is_asked, "it ended without asking");
    child.kill().unwrap();
    child.wait().unwrap();
    let script = model("After the kill.", &[90.0]);
    let reader = docgen(place.path(), script.clone());
    let done = reader
        .graph()
        .resume("docs-1")
        .await
        .unwrap()
        .done()
        .unwrap();
    let outcome = done.outcome.clone().unwrap();
    assert_eq!(
        (outcome.status.as_str(), &outcome.failed),
        ("success", &BTreeMap::new())
    );
    let systems: Vec<String> = script
        .seen()
        .iter()
        .map(|it| it.messages[0].text())
        .collect();
    assert!(
        systems
            .iter()
            .all(|it| !it.contains("explain how the files") && !it.contains("depends on and why")),
        "{systems:?}"
    );
    let pages = files(&place.path().join("code/superstep-docs"));
    assert!(pages["file-structure.md"].contains("Before the kill."));
    assert!(pages["kpi.md"].contains("After the kill."));
}
