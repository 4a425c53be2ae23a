//! Brings weights into the cache and prints where they are.
//!
//! `cargo run -p superstep-local --features weights --example pull -- tiny`

use std::env;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use superstep_local::weights::{Progress, Sources, Weights, WeightsError, WeightsFile};

fn main() -> ExitCode {
    let Some(name) = env::args().nth(1) else {
        eprintln!("usage: pull <default|tiny|minilm|PATH|hf:owner/repo/file[@revision]>");
        return ExitCode::from(2);
    };
    let begun = Instant::now();
    match pull(&name) {
        Ok(found) => {
            eprintln!(
                "{} bytes from {} in {:.1} s",
                found.size,
                found.source,
                begun.elapsed().as_secs_f64()
            );
            println!("{}", found.path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            let hint = error.hint().unwrap_or_default();
            eprintln!("error: [{}] {error}\nhint: {hint}", error.code());
            ExitCode::FAILURE
        }
    }
}

fn pull(name: &str) -> Result<WeightsFile, WeightsError> {
    let weights: Weights = name.parse()?;
    let sources = Sources::from_env()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| WeightsError::File {
            path: "the runtime".into(),
            source,
        })?;
    let shown = AtomicU64::new(u64::MAX);
    let watch = move |progress: Progress| {
        let Some(total) = progress.total.filter(|total| *total > 0) else {
            return;
        };
        let tenths = progress.done * 10 / total;
        if shown.swap(tenths, Ordering::Relaxed) != tenths {
            eprintln!("{}: {} of {total} bytes", progress.source, progress.done);
        }
    };
    runtime.block_on(sources.pull(&weights, Arc::new(watch)))
}
