//! Redirects, egress, sizes and encodings.

use std::time::Duration;

use superstep_http::{Client, Egress, Error, Proxy, Settings, Url, header::HeaderValue};
use superstep_loopback::{Act, Answer, Server, head};

fn client(redirects: usize) -> Client {
    Client::new(&Settings {
        proxy: Proxy::None,
        redirects,
        ..Settings::default()
    })
    .unwrap()
}

fn url(server: &Server, path: &str) -> Url {
    Url::parse(&format!("{}{path}", server.address())).unwrap()
}

fn redirect(to: &str) -> Answer {
    Answer::status(302, &[("location", to), ("x-first", "yes")], "")
}

#[tokio::test]
async fn no_redirect_is_followed_unless_asked_for() {
    let server = Server::with(|_| redirect("/elsewhere")).await.unwrap();
    let client = client(0);
    let error = client.send(client.get(url(&server, "/"))).await;
    let error = error.unwrap_err();
    assert!(
        matches!(error, Error::Redirected { status: 302, .. }),
        "{error}"
    );
    assert!(!error.is_unsent());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn secrets_do_not_follow_a_redirect_to_another_server() {
    let other = Server::with(|_| Answer::status(200, &[], "here"))
        .await
        .unwrap();
    let to = format!("{}/file", other.address());
    let server = Server::with(move |_| redirect(&to)).await.unwrap();
    let client = client(1);
    let mut key = HeaderValue::from_static("key");
    key.set_sensitive(true);
    let request = client.get(url(&server, "/")).header("x-key", key);
    let response = client.send(request.header("x-plain", "1")).await.unwrap();
    assert_eq!(response.first_headers().get("x-first").unwrap(), "yes");
    assert_eq!(response.read(10).await.unwrap(), b"here");
    let asked = &other.requests()[0];
    assert_eq!(
        (asked.header("x-key"), asked.header("x-plain")),
        (None, Some("1"))
    );
    assert_eq!(server.requests()[0].header("x-key"), Some("key"));
}

#[tokio::test]
async fn redirects_end_and_each_target_is_checked() {
    let circle = Server::with(|_| redirect("/")).await.unwrap();
    let client = client(3);
    let error = client
        .send(client.get(url(&circle, "/")))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Redirected { .. }), "{error}");
    assert_eq!(circle.requests().len(), 4);
    for to in [
        "http://192.0.2.1/", "ftp://127.0.0.1/", "http://u:p@127.0.0.1/",
    ] {
        let server = Server::with(move |_| redirect(to)).await.unwrap();
        let error = client
            .send(client.get(url(&server, "/")))
            .await
            .unwrap_err();
        assert!(matches!(error, Error::Forbidden { .. }), "{to}: {error}");
        assert!(!error.to_string().contains("u:p"), "{error}");
    }
}

#[tokio::test]
async fn plain_http_elsewhere_is_not_even_connected() {
    let client = Client::new(&Settings::default()).unwrap();
    assert_eq!(client.settings().egress, Egress::HttpsOrLoopback);
    let far = Url::parse("http://192.0.2.1/").unwrap();
    let error = client.send(client.get(far)).await.unwrap_err();
    assert!(
        error.is_unsent() && matches!(error, Error::Forbidden { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn bodies_are_read_to_their_limit_and_no_further() {
    let server = Server::with(|_| Answer::status(200, &[], "x".repeat(100)))
        .await
        .unwrap();
    let client = client(0);
    let get = async || client.send(client.get(url(&server, "/"))).await.unwrap();
    assert_eq!(get().await.read(100).await.unwrap().len(), 100);
    assert_eq!(
        get().await.read(99).await,
        Err(Error::TooLarge { limit: 99 })
    );
    assert_eq!(get().await.read_some(7).await.len(), 7);
}

#[tokio::test]
async fn a_compressed_body_is_refused_unread() {
    let gzip = [("content-encoding", "gzip")];
    let server = Server::with(move |_| Answer::status(200, &gzip, "x"))
        .await
        .unwrap();
    let client = client(0);
    let response = client.send(client.get(url(&server, "/"))).await.unwrap();
    assert_eq!(response.read(10).await, Err(Error::Encoded));
}

/// What reading an answer fails with.
async fn failure(answer: Answer, timeout: Duration) -> Error {
    let server = Server::start([answer]).await.unwrap();
    let client = client(0);
    let request = client.get(url(&server, "/")).timeout(timeout);
    let read = match client.send(request).await {
        Ok(response) => response.read(10).await,
        Err(error) => Err(error),
    };
    let error = read.unwrap_err();
    assert!(!error.is_unsent(), "{error:?}");
    error
}

#[tokio::test]
async fn faults_are_told_apart() {
    let minute = Duration::from_secs(60);
    let cut = Answer(vec![Act::Send(head(200, &[("content-length", "9")]))]);
    for cut in [cut, Answer::reset()] {
        let error = failure(cut, minute).await;
        assert!(matches!(error, Error::Cut { .. }), "{error:?}");
    }
    let error = failure(Answer::raw("SMTP ready\r\n\r\n"), minute).await;
    assert!(matches!(error, Error::Malformed { .. }), "{error:?}");
    let error = failure(Answer::hang(), Duration::from_millis(50)).await;
    assert_eq!(error, Error::TimedOut);
}
