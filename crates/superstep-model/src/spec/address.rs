//! Classification of addresses: this machine or elsewhere.

use std::net::IpAddr;

/// The host of an address, without its port.
pub fn host(url: &str) -> Option<&str> {
    let rest = url
        .strip_prefix("http://")
        .or_else(|| url.strip_prefix("https://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    // A name before the host makes an address look like another one.
    if authority.contains('@') {
        return None;
    }
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split_once(']')?.0,
        None => authority.split(':').next()?,
    };
    (!host.is_empty()).then_some(host)
}

/// Whether an address is on this machine.
pub fn is_loopback(url: &str) -> bool {
    let Some(host) = host(url) else {
        return false;
    };
    // The standard holds this name to be the loopback.
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| match ip {
            IpAddr::V4(ip) => ip.is_loopback(),
            IpAddr::V6(ip) => {
                ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback())
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_this_machine() {
        for (url, local) in [
            ("http://127.0.0.1:8080/v1", true),
            ("http://127.9.9.9", true),
            ("https://localhost/v1", true),
            ("http://[::1]:80/v1", true),
            ("http://[::ffff:127.0.0.1]/", true),
            ("http://127.0.0.1.example.org/v1", false),
            ("http://localhost.example.org", false),
            ("http://127.0.0.1@example.org/", false),
            ("http://192.168.0.1/", false),
            ("http://0.0.0.0/", false),
            ("https://api.openai.com/v1", false),
            ("ftp://127.0.0.1", false),
            ("127.0.0.1:80", false),
            ("", false),
        ] {
            assert_eq!(is_loopback(url), local, "{url}");
        }
    }
}
