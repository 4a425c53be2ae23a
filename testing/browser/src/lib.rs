//! A browser that is driven over the WebDriver protocol by Chromium's own driver, for tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value as Json, json};
use superstep_http::{Client, Method, Settings, Url};

/// What a page may take to show something. A test that passes waits for much less.
const LIMIT: Duration = Duration::from_secs(30);
/// The key under which the protocol names elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A window of a browser of its own; both end when this is dropped.
pub struct Browser {
    driver: Child,
    session: String,
    client: Client,
    server: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// A window for the server at this address.
    pub async fn open(server: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let program = std::env::var("CHROMEDRIVER").unwrap_or("chromedriver".to_owned());
        let mut driver = Command::new(program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines
            .by_ref()
            .map(Result::unwrap)
            .find_map(|line| {
                Some(
                    line.split_once("successfully on port ")?
                        .1
                        .trim_end_matches('.')
                        .to_owned(),
                )
            })
            .expect("chromedriver says its port");
        // What else it says must not fill or close the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser = Self {
            driver,
            session: format!("http://127.0.0.1:{port}/session"),
            client: Client::new(&Settings::default()).unwrap(),
            server: server.to_owned(),
            _profile: profile,
        };
        let folder = browser._profile.path().display();
        let arguments = [
            "--headless".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-quic".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            "--window-size=1200,900".to_owned(),
            format!("--user-data-dir={folder}"),
        ];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
        } } });
        let session = browser.call(Method::POST, "", Some(wanted)).await.unwrap();
        let id = session["sessionId"].as_str().unwrap();
        browser.session = format!("{}/{id}", browser.session);
        browser
    }

    /// Shows a screen by its part of the address, from a fresh page.
    pub async fn go(&self, screen: &str) {
        let post = |url: String| self.call(Method::POST, "/url", Some(json!({ "url": url })));
        post("about:blank".to_owned()).await.unwrap();
        post(format!("http://{}/{screen}", self.server))
            .await
            .unwrap();
    }

    /// Waits until the page shows this text.
    pub async fn see(&self, text: &str) {
        let shown = "const fields = [...document.querySelectorAll('textarea, input')].map((field) => field.value); \
                     return document.body.innerText + fields.join('\\n')";
        let mut last = Json::Null;
        let seen = self
            .until(async || {
                last = self.script(shown).await;
                last.as_str().unwrap().contains(text).then_some(())
            })
            .await;
        assert!(
            seen.is_some(),
            "the page does not show {text:?}, but: {last}"
        );
    }

    /// Waits until a script gives true.
    pub async fn wait_for(&self, script: &str) {
        let held = self
            .until(async || (self.script(script).await == true).then_some(()))
            .await;
        assert!(held.is_some(), "it does not become true: {script}");
    }

    /// Waits until keys act on the shown question of the inbox, which they do once it could be seen.
    pub async fn takes_keys(&self) {
        self.wait_for("return document.querySelector('.detail')?.dataset.keys === 'ready'")
            .await;
    }

    /// Waits until the screen has loaded.
    pub async fn settled(&self) {
        let title = "return document.querySelector('main h1') !== null";
        let loaded = self
            .until(async || (self.script(title).await == true).then_some(()))
            .await;
        assert!(loaded.is_some(), "the screen does not load");
    }

    /// Clicks the first element that a selector finds.
    pub async fn click(&self, css: &str) {
        self.click_found("css selector", css).await;
    }

    /// Clicks the first element of this kind with exactly this text.
    pub async fn click_text(&self, tag: &str, text: &str) {
        self.click_found("xpath", &format!("//{tag}[normalize-space()='{text}']"))
            .await;
    }

    /// Clicks the first element that an XPath finds.
    pub async fn click_path(&self, path: &str) {
        self.click_found("xpath", path).await;
    }

    /// A list that changes may take an element away between finding and clicking it, so both are tried again.
    async fn click_found(&self, using: &str, value: &str) {
        let clicked = self
            .until(async || {
                let element = self.find(using, value).await?;
                let path = format!("/element/{element}/click");
                self.call(Method::POST, &path, Some(json!({}))).await.ok()
            })
            .await;
        assert!(clicked.is_some(), "{value} cannot be clicked");
    }

    /// Puts a text in the place of what a field holds.
    pub async fn fill(&self, css: &str, text: &str) {
        let filled = self
            .until(async || {
                let element = self.find("css selector", css).await?;
                let clear = format!("/element/{element}/clear");
                self.call(Method::POST, &clear, Some(json!({})))
                    .await
                    .ok()?;
                let path = format!("/element/{element}/value");
                let keys = json!({ "text": text });
                self.call(Method::POST, &path, Some(keys)).await.ok()
            })
            .await;
        assert!(filled.is_some(), "{css} cannot be filled");
    }

    /// Chooses a file for a field.
    pub async fn choose(&self, css: &str, file: &std::path::Path) {
        let chosen = self
            .until(async || {
                let element = self.find("css selector", css).await?;
                let path = format!("/element/{element}/value");
                let keys = json!({ "text": file });
                self.call(Method::POST, &path, Some(keys)).await.ok()
            })
            .await;
        assert!(chosen.is_some(), "{css} takes no file");
    }

    /// Presses keys where the focus is.
    pub async fn keys(&self, keys: &str) {
        let actions: Vec<Json> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })))
            .collect();
        let actions =
            json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] });
        self.call(Method::POST, "/actions", Some(actions))
            .await
            .unwrap();
    }

    /// What a script gives.
    pub async fn script(&self, script: &str) -> Json {
        let body = json!({ "script": script, "args": [] });
        self.call(Method::POST, "/execute/sync", Some(body))
            .await
            .unwrap()
    }

    /// What axe-core, which the page must have, finds wrong with it: the rules, and the first element of each.
    pub async fn checked(&self) -> Json {
        let script = "const done = arguments[arguments.length - 1]; \
             axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'best-practice'] }).then((found) => \
             done(found.violations.map((rule) => [rule.id, rule.nodes[0].html])))";
        let body = json!({ "script": script, "args": [] });
        let found = self.call(Method::POST, "/execute/async", Some(body));
        found.await.unwrap()
    }

    /// The size of the page itself, whatever the window has around it.
    pub async fn resize(&self, width: u32, height: u32) {
        let body = json!({
            "cmd": "Emulation.setDeviceMetricsOverride",
            "params": { "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false },
        });
        self.call(Method::POST, "/goog/cdp/execute", Some(body))
            .await
            .unwrap();
        // A bar beside the page would take some of its width away.
        let body = json!({ "cmd": "Emulation.setScrollbarsHidden", "params": { "hidden": true } });
        self.call(Method::POST, "/goog/cdp/execute", Some(body))
            .await
            .unwrap();
    }

    /// Shows pages light or dark, as the system of a person says.
    pub async fn scheme(&self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        let body = json!({
            "cmd": "Emulation.setEmulatedMedia",
            "params": { "features": [feature] },
        });
        self.call(Method::POST, "/goog/cdp/execute", Some(body))
            .await
            .unwrap();
    }

    /// The whole page as a PNG.
    pub async fn picture(&self) -> Vec<u8> {
        let body = json!({
            "cmd": "Page.captureScreenshot",
            "params": { "format": "png", "captureBeyondViewport": true },
        });
        let taken = self.call(Method::POST, "/goog/cdp/execute", Some(body));
        decoded(taken.await.unwrap()["data"].as_str().unwrap())
    }

    async fn find(&self, using: &str, value: &str) -> Option<String> {
        let body = json!({ "using": using, "value": value });
        let found = self.call(Method::POST, "/element", Some(body)).await.ok()?;
        Some(found[ELEMENT].as_str()?.to_owned())
    }

    /// Asks again until there is an answer; the page has no event for "has drawn it".
    async fn until<T>(&self, mut ask: impl AsyncFnMut() -> Option<T>) -> Option<T> {
        let search = async {
            loop {
                if let Some(found) = ask().await {
                    return found;
                }
            }
        };
        tokio::time::timeout(LIMIT, search).await.ok()
    }

    /// The value of an answer, or what the driver says is wrong.
    async fn call(&self, method: Method, path: &str, body: Option<Json>) -> Result<Json, Json> {
        let url = Url::parse(&format!("{}{path}", self.session)).unwrap();
        let mut request = self.client.request(method, url);
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        let response = self.client.send(request).await.unwrap();
        let is_ok = response.status().is_success();
        let body = response.read(1 << 24).await.unwrap();
        let mut reply: Json = serde_json::from_slice(&body).unwrap();
        let value = reply["value"].take();
        if is_ok { Ok(value) } else { Err(value) }
    }
}

/// The bytes of a text in base64.
fn decoded(text: &str) -> Vec<u8> {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for sign in text.bytes().take_while(|sign| *sign != b'=') {
        let value = SIGNS.iter().position(|known| *known == sign).unwrap();
        bits = bits << 6 | u32::try_from(value).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap());
        }
    }
    bytes
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A driver that is killed leaves its browser behind, so the session is ended first.
        let Some((host, path)) = self.session.trim_start_matches("http://").split_once('/') else {
            return;
        };
        if let Ok(mut driver) = TcpStream::connect(host) {
            let request =
                format!("DELETE /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
            // The driver answers once the browser has ended, and keeps the connection.
            let _limited = driver.set_read_timeout(Some(LIMIT));
            let _sent = driver.write_all(request.as_bytes());
            let _ended = driver.read(&mut [0; 512]);
        }
        let _killed = self.driver.kill();
        let _ended = self.driver.wait();
    }
}
