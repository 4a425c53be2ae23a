//! A folder of documents, a database beside it, and agents that work on them.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use jiff::tz::TimeZone;
use superstep::{
    Backends, OpenAsk, Outcome,
    clock::ManualClock,
    model::{ManagedModel, Model, Policy, Script, call::Backoff, script::Step},
    sqlite::Database,
};
use superstep_agent::Surroundings;
use superstep_archie::{Analysis, Archie, Attempts, Brief, Question, Settings};
use tempfile::TempDir;

/// Noon of 2 March 2026 in UTC.
pub(crate) fn on_2_march_2026() -> Surroundings {
    Surroundings::new(Arc::new(ManualClock::at(1_772_452_800_000)), TimeZone::UTC)
}

/// A place on the disk that goes with the test.
pub(crate) struct TestEnv(TempDir);

impl TestEnv {
    pub(crate) fn new() -> Self {
        let env = Self(tempfile::tempdir().unwrap());
        fs::create_dir(env.docs()).unwrap();
        env
    }

    /// A folder with these documents.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let env = Self::new();
        for (name, text) in files {
            env.write(name, text.as_bytes());
        }
        env
    }

    pub(crate) fn docs(&self) -> PathBuf {
        self.path("docs")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.docs().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The agent of a process that has just begun.
    pub(crate) fn archie(&self, model: Arc<dyn Model>) -> Archie {
        self.archie_with(model, Settings::default())
    }

    pub(crate) fn archie_with(&self, model: Arc<dyn Model>, settings: Settings) -> Archie {
        let database = Database::open(self.path("threads.db")).unwrap();
        let backends = Backends {
            saver: Some(Arc::new(database.saver())),
            store: Some(Arc::new(database.store())),
            blobs: Some(Arc::new(database.blobs())),
            ..Backends::default()
        };
        let settings = Settings {
            attempts: Attempts {
                wait: Duration::ZERO,
                ..settings.attempts
            },
            ..settings
        };
        Archie::new(model, settings, backends).unwrap()
    }

    pub(crate) fn brief(&self, words: &str) -> Brief {
        Brief {
            words: words.into(),
            inputs: Some(self.docs()),
            ..Brief::default()
        }
    }
}

/// A model that says these texts one after the other.
pub(crate) fn says<const N: usize>(texts: [&str; N]) -> Arc<Script> {
    Arc::new(Script::new(texts.map(Step::text)))
}

/// The usual rules around a model, without waits.
pub(crate) fn ruled(model: Arc<dyn Model>) -> Arc<ManagedModel> {
    let policy = Policy {
        backoff: Backoff {
            initial: Duration::ZERO,
            cap: Duration::ZERO,
            ..Backoff::default()
        },
        ..Policy::default()
    };
    Arc::new(ManagedModel::new(model, policy))
}

/// The only open question of a thread.
pub(crate) async fn open(archie: &Archie, thread: &str) -> OpenAsk {
    let checkpoint = archie.graph().state(thread).await.unwrap();
    let [ask] = checkpoint.asks.as_slice() else {
        panic!("one question should be open: {:?}", checkpoint.asks);
    };
    ask.clone()
}

pub(crate) async fn question(archie: &Archie, thread: &str) -> Question {
    open(archie, thread).await.question().unwrap()
}

/// Answers the open question.
pub(crate) async fn answer(archie: &Archie, thread: &str, words: &str) -> Outcome<Analysis> {
    try_answer(archie, thread, words).await.unwrap()
}

pub(crate) async fn try_answer(
    archie: &Archie,
    thread: &str,
    words: &str,
) -> Result<Outcome<Analysis>, superstep::Error> {
    let reply = open(archie, thread).await;
    let reply = reply.answer::<Question>(&words.to_owned()).unwrap();
    archie.graph().answer(thread, [reply]).await
}

pub(crate) async fn begin(archie: &Archie, thread: &str, brief: &Brief) -> Outcome<Analysis> {
    let input = archie.analyze(brief);
    archie.graph().run(thread, input).await.unwrap()
}

/// What was said, in order.
pub(crate) fn said(state: &Analysis) -> Vec<String> {
    let history = state.analysis_history.iter();
    history.map(superstep::model::Message::text).collect()
}

/// The names in a folder, in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
