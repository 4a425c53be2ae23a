//! The saver passes the conformance kit.

use std::sync::Arc;

use superstep_conformance::saver_kit;
use superstep_core::saver::Saver;
use superstep_sqlite::Database;

#[tokio::test(flavor = "multi_thread")]
async fn the_saver_passes_the_kit() {
    let folder = tempfile::tempdir().unwrap();
    let count = std::sync::atomic::AtomicUsize::new(0);
    let report = saver_kit::check(|| {
        let n = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = folder.path().join(format!("{n}.db"));
        Box::pin(async move { Ok(Arc::new(Database::open(path)?.saver()) as Arc<dyn Saver>) })
    })
    .await;
    assert!(report.passed(), "{report}");
}
