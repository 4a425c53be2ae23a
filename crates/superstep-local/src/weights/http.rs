//! The hub over HTTP: https, no credentials, and redirects that are checked.

use std::time::Duration;

use superstep_http::{
    Client, Egress, Proxy, Response, Settings, Url,
    header::{ACCEPT_ENCODING, HeaderMap, HeaderValue},
    host, is_loopback,
};

use super::error::WeightsError;

/// How many redirects are followed.
const REDIRECTS: usize = 5;
/// How long a server may be silent.
const IDLE: Duration = Duration::from_secs(60);

/// A client for addresses below `base`. Plain http is allowed to this machine only, and only if the
/// base is there.
pub(super) fn client(base: &Url, proxy: Proxy) -> Result<Client, WeightsError> {
    let egress = match base.scheme() == "http" && is_loopback(base) {
        true => Egress::HttpsOrLoopback,
        false => Egress::Https,
    };
    egress.check(base).map_err(|error| explain(base, error))?;
    let client = Client::new(&Settings {
        idle: Some(IDLE),
        proxy,
        egress,
        redirects: REDIRECTS,
        ..Settings::default()
    });
    client.map_err(|error| explain(base, error))
}

/// Asks for `url` and follows redirects.
pub(super) async fn get(
    client: &Client,
    url: &Url,
    mut headers: HeaderMap,
) -> Result<Response, WeightsError> {
    // Lengths and ranges are those of the file itself.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    let sent = client.send(client.get(url.clone()).headers(headers)).await;
    sent.map_err(|error| explain(url, error))
}

/// What a failure of the client means.
pub(super) fn explain(url: &Url, error: superstep_http::Error) -> WeightsError {
    use superstep_http::Error as Http;
    let host = host(url);
    match error {
        Http::Forbidden { to, why } | Http::Redirected { to, why, .. } => {
            WeightsError::Redirect { to, reason: why }
        }
        Http::Proxy { message } => WeightsError::Proxy {
            host,
            reason: message,
        },
        error => WeightsError::Network {
            host,
            reason: error.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn plain_http_is_asked_only_if_the_hub_is_on_this_machine() {
        let far = client(&url("http://a.example/x"), Proxy::None).unwrap_err();
        assert_eq!(far.code(), "SS3407");
        let hub = client(&url("https://a.example/x"), Proxy::None).unwrap();
        assert_eq!(hub.settings().egress, Egress::Https);
        let near = client(&url("http://127.0.0.1:1/x"), Proxy::None).unwrap();
        assert_eq!(near.settings().egress, Egress::HttpsOrLoopback);
    }

    #[tokio::test]
    async fn a_proxy_that_refuses_is_named_as_such() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = format!("http://{}", listener.local_addr().unwrap());
        let refusing = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = [0; 64];
            let count = stream.read(&mut head).await.unwrap();
            let answer = b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(answer).await.unwrap();
            String::from_utf8_lossy(&head[..count]).into_owned()
        });
        let address = url("https://hub.example/x");
        let client = client(&address, Proxy::At(proxy)).unwrap();
        let error = get(&client, &address, HeaderMap::new()).await.unwrap_err();
        assert_eq!(error.code(), "SS3405", "{error}");
        let asked = refusing.await.unwrap();
        assert!(asked.starts_with("CONNECT hub.example:443"), "{asked}");
    }
}
