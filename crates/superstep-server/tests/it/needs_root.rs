//! Requests of another user of the machine; only root can start a process as one.
//!
//! Without root, the tests of `caller` cover how the server finds the user of a connection.

use std::{
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

use superstep::Secret;

use crate::{
    client::Running,
    graphs::{memory, server},
};

const NOBODY: u32 = 65534;

#[tokio::test(flavor = "multi_thread")]
async fn other_users_of_the_machine_are_refused_without_a_token() {
    let call = |address: &str, token: &str| {
        let (host, port) = address.rsplit_once(':').unwrap();
        let script = format!(
            "exec 3<>/dev/tcp/{host}/{port}; \
             printf 'GET /threads/none HTTP/1.1\\r\\nhost: localhost\\r\\n{token}connection: close\\r\\n\\r\\n' >&3; \
             cat <&3"
        );
        let ran = |user: u32| {
            let mut command = Command::new("bash");
            let command = command.args(["-c", &script]).stdin(Stdio::null());
            let ran = command.uid(user).gid(user).output().unwrap();
            let said = String::from_utf8(ran.stdout).unwrap();
            said.split(' ')
                .nth(1)
                .map(|status| status.parse::<u16>().unwrap())
        };
        (ran(0), ran(NOBODY))
    };
    let open = Running::start(server(memory())).await;
    let (own, other) = call(&open.address, "");
    assert_eq!((own, other), (Some(422), Some(403)));
    let closed = Running::start(server(memory()).token(Secret::new("t"))).await;
    let (own, other) = call(&closed.address, "x-api-key: t\\r\\n");
    assert_eq!((own, other), (Some(422), Some(422)));
    let (_, other) = call(&closed.address, "");
    assert_eq!(other, Some(401));
}
