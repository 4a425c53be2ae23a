//! A server of the agents, for tests that call it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::Child,
};

use serde_json::Value as Json;

use crate::env::TestEnv;

/// A server that runs until this is dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) address: String,
    /// The header that says who calls.
    token: String,
}

impl Served {
    pub(crate) fn start(env: &TestEnv, line: &str) -> Self {
        let mut child = env.command(line).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert!(said.read_line(&mut line).unwrap() > 0, "it ended");
            if let Some((_, address)) = line.split_once("serving http://") {
                break address.trim().to_owned();
            }
        };
        Self {
            child,
            address,
            token: String::new(),
        }
    }

    /// Tells the server to end, as a service manager does, and gives its exit code.
    #[cfg(unix)]
    pub(crate) fn told_to_end(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        let mut tell = std::process::Command::new("kill");
        assert!(tell.args(["-TERM", &pid]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }

    /// Kills the server, and starts it again at the same address.
    #[cfg(feature = "browser-tests")]
    pub(crate) fn killed_and_restarted(mut self, env: &TestEnv, line: &str) -> Self {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let (_, port) = self.address.rsplit_once(':').unwrap();
        Self::start(env, &format!("{line} --port {port}"))
    }

    pub(crate) fn call(&self, method: &str, path: &str, body: &Json) -> (u16, Json) {
        let (status, body) = self.send(method, path, body.to_string().as_bytes());
        (status, json(&body))
    }

    /// The same as [`Served::call`] with a token.
    pub(crate) fn call_as(
        &mut self,
        token: &str,
        method: &str,
        path: &str,
        body: &Json,
    ) -> (u16, Json) {
        self.token = format!("authorization: Bearer {token}\r\n");
        self.call(method, path, body)
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n{}connection: close\r\n\r\n",
            self.address,
            body.len(),
            self.token
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        let end = reply.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&reply[..end]).into_owned();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, reply.split_off(end + 4))
    }
}

/// The JSON in a body. One that comes in chunks has lengths around it.
pub(crate) fn json(body: &[u8]) -> Json {
    let body = str::from_utf8(body).unwrap();
    let start = body.find(['{', '[']).unwrap_or(0);
    let end = body.rfind(['}', ']']).map_or(body.len(), |end| end + 1);
    serde_json::from_str(&body[start..end]).unwrap_or_default()
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
