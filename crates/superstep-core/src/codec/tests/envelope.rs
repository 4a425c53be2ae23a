//! Envelopes that were damaged, moved, or written by somebody else.

use super::super::envelope::{Address, Content, EnvelopeError, open, seal};

#[test]
fn what_was_sealed_opens_at_its_place() {
    let place = Address::of(b"here");
    for len in [0, 1, 5, 100, 10_000] {
        let bytes = vec![7; len];
        for content in [Content::Plain(&bytes), Content::Encrypted(&bytes)] {
            assert_eq!(open(&seal(content, &place), &place), Ok(content));
        }
    }
}

#[test]
fn any_single_flipped_bit_is_found() {
    let place = Address::of(b"here");
    for len in [0, 1, 16, 17, 240, 241, 3_000] {
        let bytes: Vec<u8> = (0..len).map(|n: usize| (n * 31) as u8).collect();
        let sealed = seal(Content::Plain(&bytes), &place);
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&damaged, &place).is_err(), "{len} bytes, bit {bit}");
        }
    }
}

#[test]
fn bytes_open_at_no_other_place() {
    let sealed = seal(Content::Plain(b"text"), &Address::of(b"here"));
    let elsewhere = open(&sealed, &Address::of(b"there"));
    assert_eq!(elsewhere, Err(EnvelopeError::Checksum));
}

#[test]
fn cut_off_bytes_do_not_open() {
    let place = Address::of(b"here");
    let sealed = seal(Content::Plain(b"a longer text"), &place);
    for len in 0..sealed.len() {
        assert!(open(&sealed[..len], &place).is_err(), "{len} bytes");
    }
}

#[test]
fn a_newer_version_is_refused_as_such() {
    let place = Address::of(b"here");
    let mut sealed = seal(Content::Plain(b"text"), &place);
    sealed[0] += 1;
    assert_eq!(open(&sealed, &place), Err(EnvelopeError::Version(2)));
}

#[test]
fn plain_and_encrypted_are_not_taken_for_each_other() {
    let place = Address::of(b"here");
    let plain = seal(Content::Plain(b"text"), &place);
    let encrypted = seal(Content::Encrypted(b"text"), &place);
    assert_ne!(plain, encrypted);
    let mut mixed = plain.clone();
    mixed[5] = encrypted[5];
    assert_eq!(open(&mixed, &place), Err(EnvelopeError::Checksum));
}
