//! Weights of local models: the cache, and downloads.

#[cfg(not(feature = "local"))]
pub(crate) use absent::*;
#[cfg(feature = "local")]
pub(crate) use present::*;

#[cfg(feature = "local")]
mod present {
    use std::sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    };

    use serde_json::{Value as Json, json};
    use superstep::{
        local::weights::{
            Cache, DEFAULT, Entry, Progress, Sources, TINY, Watch, Weights, WeightsFile, silent,
        },
        model::select::resolve,
    };

    use crate::{
        app::App,
        args::Global,
        consent::is_agreed,
        environment,
        error::{Error, FileError},
        output::{Form, faint, plain},
    };

    /// What the default model is, for lists.
    pub(crate) fn catalogue() -> [(&'static str, String); 2] {
        [&DEFAULT, &TINY].map(|entry| (entry.key, about(entry)))
    }

    fn about(entry: &Entry) -> String {
        let size = megabytes(entry.size);
        format!("{} · {size} · {}", entry.name, entry.license)
    }

    /// Whether the settings and the environment name no model, so that one in the cache is used.
    pub(crate) fn is_only_choice(global: &Global) -> Result<bool, Error> {
        let chosen = resolve(&environment::load(global)?, None)?;
        let used = chosen.choice().is_ok_and(|it| it.spec.provider == "local");
        Ok(used)
    }

    /// Deletes weights from the cache, after asking.
    pub(crate) async fn remove(name: &str, app: &mut App<'_>) -> Result<(), Error> {
        let weights: Weights = name.parse()?;
        if let Weights::Path(path) = &weights {
            let path = path.display();
            return Err(Error::Usage(format!(
                "{path} is a file of yours; delete it yourself"
            )));
        }
        let found = Sources::offline(Cache::from_env()?).find(&weights)?;
        let (path, size) = (found.path.display(), megabytes(found.size));
        is_agreed(&format!("delete {path}, {size}"), app).await?;
        std::fs::remove_file(&found.path)
            .map_err(|error| FileError::not_written(&found.path, error))?;
        match app.output.form {
            Form::Json => app
                .output
                .json(&json!({"deleted": found.path, "bytes": found.size})),
            Form::Text => {
                app.output.say(&[plain(format!("deleted {path}, {size}"))]);
                Ok(())
            }
        }
    }

    /// Fetches the default model, or the tiny one if that cannot be had.
    pub(crate) async fn pull_for_use(app: &mut App<'_>) -> Result<(), Error> {
        app.output
            .say(&[faint(format!("downloading {}", about(&DEFAULT)))]);
        let Err(error) = pull("default", app).await else {
            return Ok(());
        };
        if matches!(error, Error::Cancelled) {
            return Err(error);
        }
        app.output
            .say(&[plain(format!("{error}; trying the tiny model"))]);
        pull("tiny", app).await.map(drop)
    }

    /// Downloads weights, with a progress bar at a terminal.
    pub(crate) async fn pull(name: &str, app: &mut App<'_>) -> Result<WeightsFile, Error> {
        let weights: Weights = name.parse()?;
        let sources = Sources::from_env()?;
        let (tell, lines) = std::sync::mpsc::channel();
        let is_watched = app.output.is_watched();
        let watch = if is_watched { bar(tell) } else { silent() };
        let pull = sources.pull(&weights, watch);
        tokio::pin!(pull);
        if is_watched {
            let line = format!("looking for the weights of {name} …");
            app.output.status().redraw(&[faint(line)]);
        }
        let mut tick = tokio::time::interval(std::time::Duration::from_millis(100));
        let found = loop {
            tokio::select! {
                found = &mut pull => break found?,
                () = app.terminal.ctrl_c() => {
                    app.output.say(&[faint("the partial download is kept: pull again to resume it")]);
                    return Err(Error::Cancelled);
                }
                _ = tick.tick() => if let Some(line) = lines.try_iter().last() {
                    app.output.status().redraw(&[plain(line)]);
                }
            }
        };
        if is_watched {
            app.output.status().clear();
        }
        Ok(found)
    }

    /// A line for every percent.
    fn bar(tell: std::sync::mpsc::Sender<String>) -> Watch {
        let shown = AtomicU64::new(u64::MAX);
        Arc::new(move |progress: Progress| {
            let total = progress.total.unwrap_or(0);
            let percent = progress.done.saturating_mul(100).checked_div(total);
            let percent = percent.unwrap_or(0).min(100);
            if shown.swap(percent, Ordering::Relaxed) == percent {
                return;
            }
            let filled = usize::try_from(percent / 5).unwrap_or(0);
            let line = format!(
                "{:>3} % [{}{}] {} of {} from the {}",
                percent,
                "=".repeat(filled),
                " ".repeat(20_usize.saturating_sub(filled)),
                megabytes(progress.done),
                megabytes(total),
                progress.source,
            );
            // The command may have ended.
            let _ = tell.send(line);
        })
    }

    /// A download beside other work, such as that of a server. It ends when this is dropped; what came is kept.
    pub(crate) struct Download {
        name: String,
        state: Arc<Mutex<DownloadState>>,
        task: tokio::task::AbortHandle,
    }

    /// How far a download is, in bytes, and how it ended.
    #[derive(Default)]
    struct DownloadState {
        done: u64,
        total: Option<u64>,
        is_done: bool,
        error: Option<String>,
    }

    impl Download {
        /// Begins it, in a task of its own.
        pub(crate) fn begin(name: &str) -> Result<Self, Error> {
            let weights: Weights = name.parse()?;
            let sources = Sources::from_env()?;
            let state = Arc::new(Mutex::new(DownloadState::default()));
            let locked = |state: &Mutex<DownloadState>, change: &dyn Fn(&mut DownloadState)| {
                change(&mut state.lock().unwrap_or_else(PoisonError::into_inner));
            };
            let watched = state.clone();
            let watch: Watch = Arc::new(move |progress: Progress| {
                locked(&watched, &|state| {
                    (state.done, state.total) = (progress.done, progress.total);
                });
            });
            let ended = state.clone();
            let task = tokio::spawn(async move {
                let pulled = sources.pull(&weights, watch).await;
                locked(&ended, &|state| {
                    state.is_done = pulled.is_ok();
                    state.error = pulled.as_ref().err().map(ToString::to_string);
                });
            });
            Ok(Self {
                name: name.to_owned(),
                state,
                task: task.abort_handle(),
            })
        }

        pub(crate) fn is_under_way(&self) -> bool {
            !self.task.is_finished()
        }

        /// Its name, and how far it is.
        pub(crate) fn shown(&self) -> Json {
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            json!({
                "name": self.name, "done": state.done, "total": state.total,
                "is_done": state.is_done, "error": state.error,
            })
        }
    }

    impl Drop for Download {
        fn drop(&mut self) {
            self.task.abort();
        }
    }

    pub(crate) fn megabytes(bytes: u64) -> String {
        match bytes / 1_000_000 {
            small @ 0..1_000 => format!("{small} MB"),
            large => format!("{}.{} GB", large / 1_000, large % 1_000 / 100),
        }
    }
}

#[cfg(not(feature = "local"))]
mod absent {
    use serde_json::Value as Json;

    use crate::{app::App, args::Global, error::Error};

    pub(crate) fn catalogue() -> [(&'static str, String); 0] {
        []
    }

    pub(crate) fn is_only_choice(_: &Global) -> Result<bool, Error> {
        Ok(false)
    }

    pub(crate) async fn remove(_: &str, _: &mut App<'_>) -> Result<(), Error> {
        Err(absent())
    }

    pub(crate) async fn pull_for_use(_: &mut App<'_>) -> Result<(), Error> {
        Err(absent())
    }

    fn absent() -> Error {
        Error::Usage("this program was built without the local model".into())
    }

    /// No download: this program has no local model.
    pub(crate) enum Download {}

    impl Download {
        pub(crate) fn begin(_: &str) -> Result<Self, Error> {
            Err(absent())
        }

        pub(crate) fn is_under_way(&self) -> bool {
            match *self {}
        }

        pub(crate) fn shown(&self) -> Json {
            match *self {}
        }
    }
}
