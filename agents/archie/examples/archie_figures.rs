//! How well a model sorts sentences, and whether anything in the analyses is made up: three folders of documents, from the
//! first question to the result.
//!
//! ```sh
//! cargo run --release -p superstep-archie --features local --example archie_figures -- MODEL.gguf
//! cargo run --release -p superstep-archie --features local --example archie_figures -- MODEL.gguf lockers
//! ```
//!
//! `tasks/labels.jsonl` has what is right about each sentence of `examples/documents`, written before a model saw them; some
//! sentences are rightly one thing or another.

use std::{collections::BTreeMap, env, error::Error, fs, path::Path, sync::Arc, time::Instant};

use serde::Deserialize;
use superstep::{
    Backends, MemorySaver, MemoryStore, Outcome,
    local::chat::{LocalModel, Options},
    model::Model,
    tools::guided::Profile,
};
use superstep_archie::{Archie, Brief, Fact, Label, Question, Settings};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// A sentence and what is right about it.
#[derive(Deserialize)]
struct Task {
    folder: String,
    document: String,
    line: usize,
    begins: String,
    labels: Vec<Label>,
}

impl Task {
    fn is_of(&self, fact: &Fact) -> bool {
        fact.document == self.document
            && fact.line == self.line
            && fact.text.starts_with(&self.begins)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Fallible<()> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().ok_or("which model?")?;
    let wanted = arguments.next();
    let model: Arc<dyn Model> = Arc::new(LocalModel::open(path, Options::default())?);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("tasks/labels.jsonl"))?;
    let tasks = text.lines().map(serde_json::from_str::<Task>);
    let tasks = tasks.collect::<Result<Vec<_>, _>>()?;
    let mut folders: BTreeMap<&str, Vec<&Task>> = BTreeMap::new();
    for task in &tasks {
        folders.entry(&task.folder).or_default().push(task);
    }
    for (folder, tasks) in folders {
        if wanted.as_deref().is_none_or(|it| it == folder) {
            let inputs = root.join("../../examples/documents").join(folder);
            analysis(&model, folder, &inputs, &tasks).await?;
        }
    }
    Ok(())
}

async fn analysis(
    model: &Arc<dyn Model>,
    folder: &str,
    inputs: &Path,
    tasks: &[&Task],
) -> Fallible<()> {
    let backends = Backends {
        store: Some(Arc::new(MemoryStore::default())),
        ..Backends::on(MemorySaver::default())
    };
    let settings = Settings {
        profile: Some(Profile::Small),
        ..Settings::default()
    };
    let archie = Archie::new(model.clone(), settings, backends)?;
    let brief = Brief {
        words: "What should be decided next?".into(),
        inputs: Some(inputs.to_owned()),
        ..Brief::default()
    };
    let begun = Instant::now();
    let mut outcome = archie.graph().run(folder, archie.analyze(&brief)).await?;
    for said in ["We begin with what must never go wrong.", "/approve"] {
        let ask = outcome.asks().first().ok_or("nothing is asked")?;
        let answer = ask.answer::<Question>(&said.to_owned())?;
        outcome = archie.graph().answer(folder, [answer]).await?;
    }
    let Outcome::Done(state) = outcome else {
        return Err("the approval does not end it".into());
    };
    println!("{folder}: {:.0?}", begun.elapsed());
    let facts = state.facts.clone().unwrap_or_default();
    let (mut right, mut majority) = (0, BTreeMap::<String, usize>::new());
    for task in tasks {
        let fact = facts.iter().find(|fact| task.is_of(fact));
        let fact = fact.ok_or_else(|| format!("{}:{} is no fact", task.document, task.line))?;
        let is_right = task.labels.contains(&fact.label);
        right += usize::from(is_right);
        let first = format!("{:?}", task.labels.first().ok_or("no label")?);
        *majority.entry(first).or_default() += 1;
        if !is_right {
            println!(
                "! {:?}, not {:?}: {}: {}",
                fact.label, task.labels, fact.heading, fact.text
            );
        }
    }
    let largest = majority.into_iter().max_by_key(|(_, count)| *count);
    let (name, count) = largest.ok_or("no sentences")?;
    println!("labels: {right} of {}", tasks.len());
    println!("the largest label ({name}): {count} of {}", tasks.len());
    let traces = archie.explain(&state).await?;
    let figures = traces
        .iter()
        .filter(|it| it.item.bytes().any(|byte| byte.is_ascii_digit()));
    let nowhere: Vec<&str> = traces
        .iter()
        .filter(|it| it.origins.is_empty())
        .map(|it| it.item.as_str())
        .collect();
    println!(
        "figures and names of the result: {}, of them figures: {}, in no document and not said: {nowhere:?}\n",
        traces.len(),
        figures.count()
    );
    println!("{}\n", state.analysis_output.as_deref().unwrap_or_default());
    Ok(())
}
