//! Asks the kernel for one socket, by the ends of its connection (`sock_diag(7)`). That takes microseconds however many there
//! are.

use std::{
    io::{Read as _, Write as _},
    net::{IpAddr, SocketAddr},
};

use socket2::{Socket, Type};

/// `AF_NETLINK`
const NETLINK: i32 = 16;
/// `NETLINK_SOCK_DIAG`
const SOCK_DIAG: i32 = 4;
/// `SOCK_DIAG_BY_FAMILY`: the kind of questions, and of their answers.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST`
const REQUEST: u16 = 1;
/// `AF_INET`
const V4: u8 = 2;
/// `AF_INET6`
const V6: u8 = 10;
/// `IPPROTO_TCP`
const TCP: u8 = 6;

/// How long a question is.
const LENGTH: u32 = 72;

/// The user who has the socket between these ends; nothing if the kernel knows none, or does not answer.
pub(super) fn owner(there: SocketAddr, here: SocketAddr) -> Option<u32> {
    let ends = ends(there, here);
    let socket = Socket::new(NETLINK.into(), Type::DGRAM, Some(SOCK_DIAG.into())).ok()?;
    // The answer is there when the question has been taken.
    socket.set_nonblocking(true).ok()?;
    (&socket).write_all(&question(family(there), &ends)).ok()?;
    let mut answer = [0; 1024];
    let length = (&socket).read(&mut answer).ok()?;
    owner_in(answer.get(..length)?, &ends)
}

fn family(address: SocketAddr) -> u8 {
    match address.ip().to_canonical() {
        IpAddr::V4(_) => V4,
        IpAddr::V6(_) => V6,
    }
}

/// The ports and the addresses of a connection: of the end that is looked for, then of the other one.
fn ends(there: SocketAddr, here: SocketAddr) -> Vec<u8> {
    let ip = |address: SocketAddr| match address.ip().to_canonical() {
        IpAddr::V4(ip) => [&ip.octets()[..], &[0; 12]].concat(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    [
        &there.port().to_be_bytes()[..],
        &here.port().to_be_bytes(),
        &ip(there),
        &ip(here),
    ]
    .concat()
}

/// The question for one socket: the head of a message, what kind of socket it is, and its ends.
fn question(family: u8, ends: &[u8]) -> Vec<u8> {
    [
        &LENGTH.to_ne_bytes()[..],
        &BY_FAMILY.to_ne_bytes(),
        &REQUEST.to_ne_bytes(),
        // Its number, and who sends it.
        &[0; 8],
        &[family, TCP, 0, 0],
        // In any state.
        &[0xff; 4],
        ends,
        // On any interface, and whichever it is.
        &[0; 4],
        &[0xff; 8],
    ]
    .concat()
}

/// Whose socket an answer is about. One that listens has other ends, and one that was closed is nobody's: it has no inode.
fn owner_in(answer: &[u8], ends: &[u8]) -> Option<u32> {
    let kind = answer.get(4..6)?.try_into().ok()?;
    if u16::from_ne_bytes(kind) != BY_FAMILY || answer.get(20..56)? != ends {
        return None;
    }
    let number = |at: std::ops::Range<usize>| {
        let bytes = answer.get(at)?.try_into().ok()?;
        Some(u32::from_ne_bytes(bytes))
    };
    let (owner, inode) = (number(80..84)?, number(84..88)?);
    (inode != 0).then_some(owner)
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    /// Both ends of a connection, as the server sees them, and the sockets that keep it.
    fn connected(at: &str) -> Option<(SocketAddr, SocketAddr, [TcpStream; 2])> {
        let listener = TcpListener::bind(at).ok()?;
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, there) = listener.accept().unwrap();
        let here = server.local_addr().unwrap();
        Some((there, here, [client, server]))
    }

    #[test]
    fn the_kernel_says_the_same_as_its_table() {
        let own = Some(rustix::process::geteuid().as_raw());
        // A machine may be without the second.
        for at in ["127.0.0.1:0", "[::1]:0"] {
            let Some((there, here, kept)) = connected(at) else {
                continue;
            };
            assert_eq!(super::super::table::owner(there, here), own);
            // Where the kernel does not answer, the table is asked.
            let asked = owner(there, here);
            assert!(asked.is_none() || asked == own, "{asked:?}");
            drop(kept);
        }
    }

    #[test]
    fn a_question_has_the_form_of_the_kernel() {
        let (there, here) = ("127.0.0.1:258", "127.0.0.1:772");
        let ends = ends(there.parse().unwrap(), here.parse().unwrap());
        assert_eq!(ends.get(..8), Some(&[1, 2, 3, 4, 127, 0, 0, 1][..]));
        assert_eq!(question(V4, &ends).len(), LENGTH as usize);
    }

    /// An answer about a socket with these ends.
    fn answer(kind: u16, ends: &[u8], owner: u32, inode: u32) -> Vec<u8> {
        let head = [&88_u32.to_ne_bytes()[..], &kind.to_ne_bytes(), &[0; 10]].concat();
        let numbers = [owner.to_ne_bytes(), inode.to_ne_bytes()].concat();
        [&head[..], &[V4, 1, 0, 0], ends, &[0; 24], &numbers].concat()
    }

    #[test]
    fn a_socket_that_listens_or_was_closed_is_nobodys() {
        let [there, here] = ["127.0.0.1:50000", "127.0.0.1:2024"].map(|it| it.parse().unwrap());
        let own = ends(there, here);
        let listens = ends(there, "0.0.0.0:0".parse().unwrap());
        let of = |answer: Vec<u8>| owner_in(&answer, &own);
        assert_eq!(of(answer(BY_FAMILY, &own, 1000, 7)), Some(1000));
        assert_eq!(of(answer(BY_FAMILY, &own, 0, 0)), None);
        assert_eq!(of(answer(BY_FAMILY, &listens, 1000, 7)), None);
        assert_eq!(of(answer(2, &own, 1000, 7)), None);
        assert_eq!(of(answer(BY_FAMILY, &own, 1000, 7)[..60].to_vec()), None);
        assert_eq!(of(Vec::new()), None);
    }
}
