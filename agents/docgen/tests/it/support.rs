//! Code bases made of texts.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use serde_json::json;
use superstep::{
    Backends, MemorySaver,
    model::{
        Model,
        script::{Script, Step, When},
    },
};
use superstep_docgen::{
    Docgen, Outcome, Request, Settings,
    agents::{choose, standard_agents},
    facts::{Facts, Order, scan},
};
use tempfile::TempDir;

/// A folder with these files.
pub(crate) fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    folder
}

pub(crate) fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(crate) fn facts(folder: &Path) -> Facts {
    scan(folder, &Order::default()).unwrap()
}

/// A small shop: a component, a dependency, a few symbols.
pub(crate) fn shop() -> TempDir {
    tree(&[
        (
            "Cargo.toml",
            "[package]\nname = \"shop\"\nversion = \"0.3.0\"\n\n[dependencies]\nserde = \"1\"\n",
        ),
        (
            "Cargo.lock",
            "[[package]]\nname = \"serde\"\nversion = \"1.0.219\"\n",
        ),
        (
            "src/main.rs",
            "mod cart;\n\nfn main() {\n    cart::Cart::default().total();\n}\n",
        ),
        (
            "src/cart.rs",
            "//! The cart.\n#[derive(Default)]\npub struct Cart {\n    items: Vec<u32>,\n}\n\nimpl Cart {\n    pub fn total(&self) -> u32 {\n        \
             self.items.iter().sum()\n    }\n}\n\n#[derive(Debug)]\npub enum CartError {\n    Empty,\n}\n",
        ),
    ])
}

/// A model for one agent or all: its analyses are `text`, then `text` with a number, and get these scores.
pub(crate) fn model(text: &str, scores: &[f64]) -> Arc<Script> {
    let questions = ["Which files?", "Which symbols?", "Which tests?"];
    model_asking(&questions, text, scores)
}

/// The same with these questions in each round.
pub(crate) fn model_asking(questions: &[&str], text: &str, scores: &[f64]) -> Arc<Script> {
    let mut steps = Vec::new();
    for (number, score) in scores.iter().enumerate() {
        let data = json!({
            "completeness": score, "clarity": score, "depth": score, "accuracy": score,
            "missing_information": [format!("gap {number}")],
            "questions": questions, "look_up": [],
        });
        let version = format!("Version {number}.");
        let graded = When {
            schema: Some("grade".into()),
            anywhere: Some(version.clone()),
            ..When::default()
        };
        let refined = When {
            schema: Some(String::new()),
            anywhere: Some(version),
            ..When::default()
        };
        steps.push(Step::data(data).when(graded).always());
        steps.push(
            Step::text(analysis(text, number + 1))
                .when(refined)
                .always(),
        );
    }
    steps.push(
        Step::text(analysis(text, 0))
            .when(When::schema(""))
            .always(),
    );
    Arc::new(Script::new(steps))
}

fn analysis(text: &str, number: usize) -> String {
    format!(
        "## Overview\n\nVersion {number}. {text}\n\n## Recommendations\n\n- Test `src/cart.rs:8` more\n"
    )
}

/// Documents a folder in memory and gives how it went.
pub(crate) async fn document(
    model: Option<Arc<dyn Model>>,
    settings: Settings,
    request: &Request,
) -> Outcome {
    let docgen = Docgen::new(model, settings, backends()).unwrap();
    let input = docgen.document(request.clone());
    let done = docgen
        .graph()
        .run("docs-test", input)
        .await
        .unwrap()
        .done()
        .unwrap();
    done.outcome.clone().unwrap()
}

pub(crate) fn backends() -> Backends {
    Backends {
        saver: Some(Arc::new(MemorySaver::default())),
        ..Backends::default()
    }
}

/// Settings with these agents alone.
pub(crate) fn only(names: &[&str]) -> Settings {
    let names: Vec<String> = names.iter().map(|it| (*it).to_owned()).collect();
    Settings {
        agents: choose(standard_agents(), &names).unwrap(),
        ..Settings::default()
    }
}

/// All files of a folder with their texts.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, fs::read_to_string(entry.path()).unwrap())
    });
    files.collect()
}
