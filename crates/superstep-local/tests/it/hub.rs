//! A file of the catalogue from the hub, over connections of all kinds.

use std::fs;
use std::sync::{Arc, Mutex};

use superstep_local::weights::{Progress, Source, Weights};
use tokio::sync::Notify;

use crate::fixture::{Fixture, bytes, entry, sha256};
use crate::server::{Framing, Reply, serve, start};

#[tokio::test]
async fn a_pulled_file_has_its_hash_as_its_name_and_nothing_is_left_beside_it() {
    let body = bytes(10_007);
    let wanted = entry(&body, vec![]);
    let served = body.clone();
    let server = serve(move |request, _| Reply::file(&served, request)).await;
    let fixture = Fixture::with_hub(&server.address());
    let message = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&message);
    let watch = Arc::new(move |progress: Progress| log.lock().unwrap().push(progress));
    let found = fixture
        .sources
        .pull(&Weights::Entry(wanted), watch)
        .await
        .unwrap();
    assert_eq!(found.source, Source::Hub);
    assert_eq!(found.sha256, Some(sha256(&body)));
    assert_eq!(fs::read(&found.path).unwrap(), body);
    assert_eq!(fixture.files(), [format!("{}.gguf", sha256(&body))]);
    assert_eq!(
        server.requests()[0].path,
        "/owner/repo/resolve/abc/folder/model.gguf"
    );
    let last = Progress {
        done: 10_007,
        total: Some(10_007),
        source: Source::Hub,
    };
    assert_eq!(message.lock().unwrap().last(), Some(&last));
    let again = fixture.pull(wanted).await.unwrap();
    assert_eq!(again.source, Source::Cache);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_download_that_is_cut_every_so_often_is_the_same_file_in_the_end() {
    let body = bytes(10_007);
    let wanted = entry(&body, vec![]);
    for step in [997, 4_096, 10_006] {
        for framing in [None, Some(Framing::Chunked), Some(Framing::UntilClose)] {
            let served = body.clone();
            let server = serve(move |request, _| {
                let reply = Reply::file(&served, request).cut(step);
                let framing = framing.unwrap_or(reply.framing);
                reply.framed(framing)
            })
            .await;
            let fixture = Fixture::with_hub(&server.address());
            let found = fixture.pull(wanted).await.unwrap();
            assert_eq!(fs::read(&found.path).unwrap(), body, "{step} {framing:?}");
            let starts: Vec<_> = server
                .requests()
                .iter()
                .map(|request| start(request).unwrap_or(0))
                .collect();
            let expected: Vec<_> = (0..body.len()).step_by(step).collect();
            assert_eq!(starts, expected, "{step} {framing:?}");
        }
    }
}

#[tokio::test]
async fn one_cut_at_any_byte_does_no_harm() {
    let body = bytes(61);
    let wanted = entry(&body, vec![]);
    for at in 0..body.len() {
        let served = body.clone();
        let server = serve(move |request, number| {
            let reply = Reply::file(&served, request);
            if number == 0 { reply.cut(at) } else { reply }
        })
        .await;
        let fixture = Fixture::with_hub(&server.address());
        // Nothing at all on the first try counts as nobody there.
        let first = fixture.pull(wanted).await;
        let found = match first {
            Err(error) if at == 0 => {
                assert_eq!(error.code(), "SS3404");
                fixture.pull(wanted).await.unwrap()
            }
            first => first.unwrap(),
        };
        assert_eq!(fs::read(&found.path).unwrap(), body, "{at}");
        assert_eq!(server.requests().len(), 2, "{at}");
    }
}

#[tokio::test]
async fn a_pull_that_failed_goes_on_where_it_was_cut() {
    let body = bytes(9_000);
    let wanted = entry(&body, vec![]);
    let served = body.clone();
    let server = serve(move |request, number| match number {
        0 => Reply::file(&served, request).cut(5_000),
        1..=3 => Reply::status(503),
        _ => Reply::file(&served, request),
    })
    .await;
    let fixture = Fixture::with_hub(&server.address());
    let error = fixture.pull(wanted).await.unwrap_err();
    assert_eq!(error.code(), "SS3406");
    assert_eq!(fs::read(fixture.part(wanted)).unwrap(), &body[..5_000]);
    fixture.pull(wanted).await.unwrap();
    assert_eq!(start(server.requests().last().unwrap()), Some(5_000));
}

#[tokio::test]
async fn a_server_that_ignores_ranges_does_not_spoil_the_file() {
    let body = bytes(9_000);
    let wanted = entry(&body, vec![]);
    let served = body.clone();
    let server = serve(move |_, number| match number {
        0 => Reply::whole(&served).cut(4_000),
        1 => Reply::whole(&served).cut(6_000),
        _ => Reply::whole(&served),
    })
    .await;
    let fixture = Fixture::with_hub(&server.address());
    let found = fixture.pull(wanted).await.unwrap();
    assert_eq!(fs::read(&found.path).unwrap(), body);
    let starts: Vec<_> = server.requests().iter().map(start).collect();
    assert_eq!(starts, [None, Some(4_000), Some(6_000)]);
}

#[tokio::test]
async fn a_stretch_that_nobody_asked_for_is_not_taken() {
    let body = bytes(900);
    let wanted = entry(&body, vec![]);
    let served = body.clone();
    let server = serve(move |request, number| match number {
        0 => Reply::file(&served, request).cut(400),
        1 => Reply {
            status: 206,
            ..Reply::whole(&served[100..])
        }
        .with("content-range", "bytes 100-899/900"),
        _ => Reply::file(&served, request),
    })
    .await;
    let fixture = Fixture::with_hub(&server.address());
    let found = fixture.pull(wanted).await.unwrap();
    assert_eq!(fs::read(&found.path).unwrap(), body);
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_file_with_the_wrong_hash_is_refused_and_removed() {
    let body = bytes(900);
    let wanted = entry(&body, vec![]);
    let other = vec![b'x'; 900];
    let server = serve(move |request, _| Reply::file(&other, request)).await;
    let fixture = Fixture::with_hub(&server.address());
    let error = fixture.pull(wanted).await.unwrap_err();
    assert_eq!(error.code(), "SS3402");
    assert_eq!(fixture.files(), [] as [String; 0]);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn what_an_earlier_pull_left_damaged_is_pulled_anew() {
    let body = bytes(900);
    let wanted = entry(&body, vec![]);
    for left in [vec![b'x'; 300], vec![b'x'; 900], vec![b'x'; 1_000]] {
        let served = body.clone();
        let server = serve(move |request, _| Reply::file(&served, request)).await;
        let fixture = Fixture::with_hub(&server.address());
        fs::create_dir_all(fixture.cache()).unwrap();
        fs::write(fixture.part(wanted), &left).unwrap();
        let found = fixture.pull(wanted).await.unwrap();
        assert_eq!(fs::read(&found.path).unwrap(), body, "{}", left.len());
    }
}

#[tokio::test]
async fn a_file_of_another_length_is_refused_before_it_is_written() {
    let body = bytes(900);
    let wanted = entry(&body, vec![]);
    for length in [0, 899, 901, 1 << 40] {
        let served = body.clone();
        let server = serve(move |_, _| Reply::whole(&served).framed(Framing::Length(length))).await;
        let fixture = Fixture::with_hub(&server.address());
        let error = fixture.pull(wanted).await.unwrap_err();
        assert_eq!(error.code(), "SS3403", "{length}");
        assert_eq!(fs::metadata(fixture.part(wanted)).unwrap().len(), 0);
    }
}

#[tokio::test]
async fn a_server_that_does_not_stop_is_stopped() {
    let body = bytes(9_000);
    let wanted = entry(&body, vec![]);
    for framing in [Framing::Chunked, Framing::UntilClose] {
        let served = bytes(9_001);
        let server = serve(move |_, _| Reply::whole(&served).framed(framing)).await;
        let fixture = Fixture::with_hub(&server.address());
        let error = fixture.pull(wanted).await.unwrap_err();
        assert_eq!(error.code(), "SS3403", "{framing:?}");
        assert_eq!(fs::metadata(fixture.part(wanted)).unwrap().len(), 0);
    }
}

#[tokio::test]
async fn a_redirect_to_another_host_is_followed_and_carries_no_secrets() {
    let body = bytes(900);
    let wanted = entry(&body, vec![]);
    let served = body.clone();
    let store = serve(move |request, number| {
        let reply = Reply::file(&served, request);
        if number == 0 { reply.cut(500) } else { reply }
    })
    .await;
    let to = store.address().replace("127.0.0.1", "localhost");
    let hub =
        serve(move |_, _| Reply::redirect(&format!("{to}/blob?sig=1")).with("set-cookie", "a=b"))
            .await;
    let fixture = Fixture::with_hub(&hub.address());
    let found = fixture.pull(wanted).await.unwrap();
    assert_eq!(fs::read(&found.path).unwrap(), body);
    assert_eq!(hub.requests().len(), 2, "each attempt begins at the hub");
    let asked = store.requests();
    assert_eq!(start(&asked[1]), Some(500));
    let known = ["host", "user-agent", "accept", "accept-encoding", "range"];
    for (name, _) in asked.iter().flat_map(|request| &request.headers) {
        assert!(known.contains(&name.as_str()), "{name}");
    }
}

#[tokio::test]
async fn redirects_that_lead_astray_are_not_followed() {
    let wanted = entry(&bytes(900), vec![]);
    for to in [
        "http://hub.example/x",
        "ftp://127.0.0.1/x",
        "file:///etc/hosts",
        "https://user:secret@hub.example/x",
        "//",
    ] {
        let server = serve(move |_, _| Reply::redirect(to)).await;
        let fixture = Fixture::with_hub(&server.address());
        let error = fixture.pull(wanted).await.unwrap_err();
        assert_eq!(error.code(), "SS3407", "{to}");
        assert!(!error.to_string().contains("secret"), "{error}");
        assert_eq!(server.requests().len(), 1);
    }
    let server = serve(|_, _| Reply::redirect("/again")).await;
    let fixture = Fixture::with_hub(&server.address());
    assert_eq!(fixture.pull(wanted).await.unwrap_err().code(), "SS3407");
    assert_eq!(server.requests().len(), 6);
    let server = serve(|_, _| Reply::status(302)).await;
    let fixture = Fixture::with_hub(&server.address());
    assert_eq!(fixture.pull(wanted).await.unwrap_err().code(), "SS3407");
}

#[tokio::test]
async fn five_redirects_are_few_enough() {
    let body = bytes(900);
    let wanted = entry(&body, vec![]);
    let server = serve(move |request, number| match number {
        0..5 => Reply::redirect("next"),
        _ => Reply::file(&body, request),
    })
    .await;
    let fixture = Fixture::with_hub(&server.address());
    fixture.pull(wanted).await.unwrap();
}

#[tokio::test]
async fn a_hub_over_plain_http_elsewhere_is_refused() {
    let wanted = entry(&bytes(900), vec![]);
    for url in ["http://hub.example", "https://u:p@hub.example"] {
        let fixture = Fixture::with_hub(url);
        assert_eq!(fixture.pull(wanted).await.unwrap_err().code(), "SS3407");
    }
    let fixture = Fixture::with_hub("nonsense");
    assert_eq!(fixture.pull(wanted).await.unwrap_err().code(), "SS3414");
}

#[tokio::test]
async fn a_server_that_is_busy_is_asked_again_and_one_that_says_no_is_not() {
    let body = bytes(900);
    let wanted = entry(&body, vec![]);
    let served = body.clone();
    let server = serve(move |request, number| match number {
        0 => Reply::status(429).with("retry-after", "0"),
        1 => Reply::status(503),
        _ => Reply::file(&served, request),
    })
    .await;
    Fixture::with_hub(&server.address())
        .pull(wanted)
        .await
        .unwrap();
    for (status, code, times) in [
        (404, "SS3406", 1),
        (401, "SS3406", 1),
        (204, "SS3406", 1),
        (407, "SS3405", 1),
        (500, "SS3406", 3),
        (416, "SS3408", 3),
    ] {
        let server = serve(move |_, _| Reply::status(status)).await;
        let fixture = Fixture::with_hub(&server.address());
        let error = fixture.pull(wanted).await.unwrap_err();
        assert_eq!(error.code(), code, "{status}");
        assert_eq!(server.requests().len(), times, "{status}");
    }
}

#[tokio::test]
async fn a_hub_that_is_not_there_is_named() {
    let wanted = entry(&bytes(900), vec![]);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    let fixture = Fixture::with_hub(&format!("http://{address}"));
    let error = fixture.pull(wanted).await.unwrap_err();
    assert_eq!(error.code(), "SS3404");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_full_disk_ends_the_pull_at_once() {
    let body = bytes(900);
    let wanted = entry(&body, vec![]);
    let server = serve(move |request, _| Reply::file(&body, request)).await;
    let fixture = Fixture::with_hub(&server.address());
    fs::create_dir_all(fixture.cache()).unwrap();
    std::os::unix::fs::symlink("/dev/full", fixture.part(wanted)).unwrap();
    let error = fixture.pull(wanted).await.unwrap_err();
    assert_eq!(error.code(), "SS3412", "{error}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_pull_that_is_dropped_stops_and_keeps_what_came() {
    let body = bytes(3 << 20);
    let wanted = entry(&body, vec![]);
    let served = body.clone();
    let held = Arc::new(Notify::new());
    let hold = Arc::clone(&held);
    let server = serve(move |request, number| {
        let reply = Reply::file(&served, request);
        if number > 0 {
            return reply;
        }
        Reply {
            hold: Some(Arc::clone(&hold)),
            ..reply.cut(2 << 20)
        }
    })
    .await;
    let fixture = Fixture::with_hub(&server.address());
    let came = Arc::new(Notify::new());
    let message = Arc::clone(&came);
    let watch = Arc::new(move |_: Progress| message.notify_one());
    let weights = Weights::Entry(wanted);
    tokio::select! {
        _ = fixture.sources.pull(&weights, watch) => panic!("the server holds it"),
        () = came.notified() => {}
    }
    let found = fixture.pull(wanted).await.unwrap();
    assert_eq!(fs::read(&found.path).unwrap(), body);
    let start = start(&server.requests()[1]).unwrap();
    assert!(start >= 1 << 19, "{start}");
    held.notify_one();
}
