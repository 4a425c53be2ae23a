//! Several pulls of one file at once, as several processes make them.

use std::fs;

use superstep_local::weights::{Source, Weights, silent};

use crate::fixture::{Fixture, bytes, entry};
use crate::server::{Reply, serve};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn pulls_at_once_download_a_file_only_once() {
    let body = bytes(2 << 20);
    let wanted = entry(&body, vec![]);
    let served = body.clone();
    let server = serve(move |request, _| Reply::file(&served, request).cut(300_000)).await;
    let fixture = Fixture::with_hub(&server.address());
    // Locks are of open files, so that two in one process keep each other out as two processes do.
    let pulls: Vec<_> = (0..8)
        .map(|_| {
            let sources = fixture.sources.clone();
            tokio::spawn(async move { sources.pull(&Weights::Entry(wanted), silent()).await })
        })
        .collect();
    let mut from_hub = 0;
    for pull in pulls {
        let found = pull.await.unwrap().unwrap();
        assert_eq!(fs::read(&found.path).unwrap(), body);
        from_hub += usize::from(found.source == Source::Hub);
    }
    assert_eq!(from_hub, 1);
    assert_eq!(server.requests().len(), body.len().div_ceil(300_000));
}
