//! The memory saver passes the kit.

use std::sync::Arc;

use superstep_conformance::saver_kit::check;
use superstep_core::saver::Saver;
use superstep_engine::memory::MemorySaver;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_memory_saver_passes_the_kit() {
    let report =
        check(|| Box::pin(async { Ok(Arc::new(MemorySaver::new()) as Arc<dyn Saver>) })).await;
    assert!(report.passed(), "{report}");
    assert!(report.checks.len() >= 35, "{report}");
}

#[tokio::test]
async fn the_kit_can_be_spawned_and_names_each_check_once() {
    let run = tokio::spawn(check(|| {
        Box::pin(async { Ok(Arc::new(MemorySaver::new()) as Arc<dyn Saver>) })
    }));
    let report = run.await.unwrap();
    let mut names: Vec<&str> = report.checks.iter().map(|check| check.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}
