//! The tables of all sockets. To read them takes milliseconds, as the kernel goes through all it has.

use std::{
    fs,
    net::{IpAddr, SocketAddr},
};

/// The user who has the socket between these ends.
pub(super) fn owner(there: SocketAddr, here: SocketAddr) -> Option<u32> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    tables.iter().find_map(|table| {
        let table = fs::read_to_string(table).ok()?;
        listed(&table, there, here)
    })
}

/// Whose socket has these ends. One that was closed belongs to nobody, and is listed as root's, without
/// an inode.
fn listed(table: &str, there: SocketAddr, here: SocketAddr) -> Option<u32> {
    let (there, here) = (written(there), written(here));
    table.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (near, far) = (words.next()?, words.next()?);
        if !there
            .iter()
            .zip(&here)
            .any(|ends| (near, far) == (ends.0, ends.1))
        {
            return None;
        }
        let mut words = words.skip(4);
        let (owner, _timeout, inode) = (words.next()?, words.next()?, words.next()?);
        owner.parse().ok().filter(|_| inode != "0")
    })
}

/// An address as the tables have it: of version 4, and of version 6, into which version 4 can be mapped.
fn written(address: SocketAddr) -> [String; 2] {
    let words = |bytes: &[u8]| {
        let words = bytes.chunks_exact(4).map(|word| {
            let word = <[u8; 4]>::try_from(word).unwrap_or_default();
            format!("{:08X}", u32::from_ne_bytes(word))
        });
        words.collect::<String>()
    };
    let port = address.port();
    let (short, long) = match address.ip().to_canonical() {
        IpAddr::V4(ip) => (words(&ip.octets()), words(&ip.to_ipv6_mapped().octets())),
        IpAddr::V6(ip) => (String::new(), words(&ip.octets())),
    };
    [short, long].map(|ip| format!("{ip}:{port:04X}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of the table is one of it.
    fn table(rows: &[(&str, &str, u32, u32)]) -> String {
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        let row = |(at, (near, far, owner, inode)): (usize, &(&str, &str, u32, u32))| {
            format!(
                "{at:>4}: {near} {far} 01 00000000:00000000 00:00000000 00000000 {owner:>5}        0 {inode} 1 0 20 4 30 10 -1\n"
            )
        };
        let rows = rows.iter().enumerate().map(row);
        std::iter::once(head.to_owned()).chain(rows).collect()
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn a_socket_is_found_by_both_ends_in_both_versions() {
        let ends = ("0100007F:C350", "0100007F:07E8");
        let mapped = (
            "0000000000000000FFFF00000100007F:C351",
            "0000000000000000FFFF00000100007F:07E8",
        );
        let six = (
            "00000000000000000000000001000000:C352",
            "00000000000000000000000001000000:07E8",
        );
        let table = table(&[
            (ends.1, ends.0, 1, 11),
            (ends.0, ends.1, 1000, 12),
            (mapped.0, mapped.1, 1001, 13),
            (six.0, six.1, 1002, 14),
        ]);
        let of =
            |there: &str, here: &str| listed(&table, there.parse().unwrap(), here.parse().unwrap());
        assert_eq!(of("127.0.0.1:50000", "127.0.0.1:2024"), Some(1000));
        assert_eq!(of("127.0.0.1:50001", "127.0.0.1:2024"), Some(1001));
        assert_eq!(of("[::1]:50002", "[::1]:2024"), Some(1002));
        assert_eq!(of("127.0.0.1:50002", "127.0.0.1:2024"), None);
        assert_eq!(of("127.0.0.1:50000", "127.0.0.1:2025"), None);
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn a_socket_that_was_closed_belongs_to_nobody() {
        let table = table(&[("0100007F:C350", "0100007F:07E8", 0, 0)]);
        let (there, here) = ("127.0.0.1:50000", "127.0.0.1:2024");
        let found = listed(&table, there.parse().unwrap(), here.parse().unwrap());
        assert_eq!(found, None);
    }
}
