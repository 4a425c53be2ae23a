//! Mutations of an input.

use fastrand::Rng;

/// Bytes that mean something to one of the readers, or stand at a limit of numbers.
const TELLING: &[u8] =
    b"\0\x01\x7f\x80\xc1\xc4\xd9\xdc\xde\xdf\xff\r\n\t \"'\\{}[]:,-=<>;%&?#@/.0a";

/// The most bytes an input grows to.
const LONGEST: usize = 1 << 16;

/// An input made of `seeds` by one to eight mutations.
pub fn mutated(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut input = pick(seeds, rng);
    for _ in 0..rng.usize(1..=8) {
        mutate(&mut input, seeds, rng);
    }
    input.truncate(LONGEST);
    input
}

fn pick(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    rng.choice(seeds).cloned().unwrap_or_default()
}

fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut Rng) {
    let at = rng.usize(..=input.len());
    match rng.u8(..9) {
        0 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << rng.u8(..8);
            }
        }
        1 => {
            if let Some(byte) = input.get_mut(at) {
                *byte = telling(rng);
            }
        }
        2 => input.insert(at, telling(rng)),
        3 => {
            let run = vec![telling(rng); rng.usize(1..=300)];
            input.splice(at..at, run);
        }
        4 => {
            let range = piece(input.len(), rng);
            input.drain(range);
        }
        5 => {
            let copied: Vec<u8> = input
                .get(piece(input.len(), rng))
                .unwrap_or_default()
                .to_vec();
            input.splice(at..at, copied);
        }
        6 => input.truncate(at),
        7 => {
            let other = pick(seeds, rng);
            let copied = other
                .get(piece(other.len(), rng))
                .unwrap_or_default()
                .to_vec();
            input.splice(at..at, copied);
        }
        _ => {
            if let Some(byte) = input.get_mut(at) {
                *byte = rng.u8(..);
            }
        }
    }
}

fn telling(rng: &mut Rng) -> u8 {
    rng.choice(TELLING).copied().unwrap_or_default()
}

fn piece(len: usize, rng: &mut Rng) -> std::ops::Range<usize> {
    let from = rng.usize(..=len);
    let to = rng.usize(from..=len.min(from.saturating_add(400)));
    from..to
}
