//! Weights of the local model: what is there, and fetching them.

#[cfg(not(feature = "local"))]
pub(crate) use absent::*;
#[cfg(feature = "local")]
pub(crate) use present::*;

#[cfg(feature = "local")]
mod present {
    use std::{
        collections::BTreeMap,
        path::PathBuf,
        sync::{
            Arc,
            atomic::{AtomicU64, Ordering},
        },
    };

    use superstep_local::weights::{
        Cache, DEFAULT, Entry, Found, Progress, Sources, TINY, Watch, Weights, silent,
    };

    use crate::{
        failure::Failure,
        output::{Output, faint, plain},
        person::{Person, Said, Topic},
    };

    /// Language models whose weights are in the cache.
    pub(crate) fn cached() -> BTreeMap<String, PathBuf> {
        let Ok(cache) = Cache::from_env() else {
            return BTreeMap::new();
        };
        let sources = Sources::offline(cache);
        let entries = [&DEFAULT, &TINY];
        let there = entries.into_iter().filter_map(|entry| {
            let found = sources.find(&Weights::Entry(entry)).ok()?;
            Some((entry.key.to_owned(), found.path))
        });
        there.collect()
    }

    /// What the default model is, for lists.
    pub(crate) fn catalogue() -> [(&'static str, String); 2] {
        [&DEFAULT, &TINY].map(|entry| (entry.key, about(entry)))
    }

    fn about(entry: &Entry) -> String {
        let size = megabytes(entry.size);
        format!("{} · {size} · {}", entry.name, entry.licence)
    }

    /// Whether the person wants the default model.
    pub(crate) async fn is_wanted(output: &Output, person: &mut Person) -> Result<bool, Failure> {
        output.say(&[plain("There is no model yet.")]);
        let prompt = format!("Fetch {}? It takes a few minutes. [Y/n] ", about(&DEFAULT));
        let Said::Words(answer) = person.words(Topic::Detail, &prompt, output).await? else {
            return Ok(false);
        };
        let answer = answer.trim().to_lowercase();
        Ok(matches!(answer.as_str(), "" | "y" | "yes"))
    }

    /// Fetches the default model, or the tiny one if that cannot be had.
    pub(crate) async fn pull_for_use(output: &Output, person: &mut Person) -> Result<(), Failure> {
        output.say(&[faint(format!("fetching {}", about(&DEFAULT)))]);
        let Err(failure) = pull("default", output, person).await else {
            return Ok(());
        };
        if matches!(failure, Failure::Cancelled) {
            return Err(failure);
        }
        output.say(&[plain(format!("{failure}; trying the tiny model"))]);
        pull("tiny", output, person).await.map(drop)
    }

    /// Fetches weights, and shows how far it is where somebody looks on.
    pub(crate) async fn pull(
        name: &str,
        output: &Output,
        person: &mut Person,
    ) -> Result<Found, Failure> {
        let weights: Weights = name.parse()?;
        let sources = Sources::from_env()?;
        let (tell, told) = std::sync::mpsc::channel();
        let is_watched = output.is_watched();
        let watch = if is_watched { bar(tell) } else { silent() };
        let pull = sources.pull(&weights, watch);
        tokio::pin!(pull);
        let mut tick = tokio::time::interval(std::time::Duration::from_millis(100));
        let found = loop {
            tokio::select! {
                found = &mut pull => break found?,
                () = person.pressed() => {
                    output.say(&[faint("what came is kept: pull again to go on")]);
                    return Err(Failure::Cancelled);
                }
                _ = tick.tick() => if let Some(line) = told.try_iter().last() {
                    output.redraw(&[plain(line)]);
                }
            }
        };
        if is_watched {
            output.redraw(&[]);
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

    pub(crate) fn megabytes(bytes: u64) -> String {
        match bytes / 1_000_000 {
            small @ 0..1_000 => format!("{small} MB"),
            large => format!("{}.{} GB", large / 1_000, large % 1_000 / 100),
        }
    }
}

#[cfg(not(feature = "local"))]
mod absent {
    use std::{collections::BTreeMap, path::PathBuf};

    use crate::{failure::Failure, output::Output, person::Person};

    pub(crate) fn cached() -> BTreeMap<String, PathBuf> {
        BTreeMap::new()
    }

    pub(crate) fn catalogue() -> [(&'static str, String); 0] {
        []
    }

    pub(crate) async fn is_wanted(_: &Output, _: &mut Person) -> Result<bool, Failure> {
        Ok(false)
    }

    pub(crate) async fn pull_for_use(_: &Output, _: &mut Person) -> Result<(), Failure> {
        Err(Failure::Usage(
            "this program was built without the local model".into(),
        ))
    }
}
