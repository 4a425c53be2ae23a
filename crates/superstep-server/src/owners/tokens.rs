//! The tokens that callers show, and who shows them.

use std::{collections::HashSet, net::SocketAddr};

use superstep::{Caller, Secret};

use super::{check_name, visitor::Visitor};
use crate::error::ServerError;

/// The fewest characters of a token that others can try: shorter ones are guessed.
const SHORTEST: usize = 16;

/// The tokens that callers show.
#[derive(Default)]
pub(crate) struct Tokens(Vec<(Secret, Caller)>);

impl Tokens {
    /// One that sees everything, and those of owners. A name or a token that is there twice, and a token that
    /// can be guessed, is refused.
    pub(crate) fn new(
        whole: Option<Secret>,
        owners: Vec<(Caller, Secret)>,
    ) -> Result<Self, ServerError> {
        let wrong = |why: String| ServerError::Owner { why };
        let whole = whole.filter(|token| !token.expose().is_empty());
        let whole = whole.into_iter().map(|token| (token, Caller::local()));
        let mut all: Vec<_> = whole.collect();
        let mut names = HashSet::new();
        for (caller, token) in owners {
            let name = caller.owner().unwrap_or_default().to_owned();
            check_name(&name).map_err(wrong)?;
            if token.expose().chars().count() < SHORTEST {
                let why = format!("the token of `{name}` has less than {SHORTEST} characters");
                return Err(wrong(why));
            }
            if all
                .iter()
                .any(|(other, _)| other.expose() == token.expose())
            {
                return Err(wrong(format!("the token of `{name}` is that of another")));
            }
            if !names.insert(name.clone()) {
                return Err(wrong(format!("`{name}` is there twice")));
            }
            all.push((token, caller));
        }
        Ok(Self(all))
    }

    /// Whether nobody needs one.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is one that sees everything.
    pub(crate) fn has_whole(&self) -> bool {
        self.0.iter().any(|(_, caller)| caller.is_local())
    }

    /// Refuses tokens that other machines could guess.
    pub(crate) fn check_length(&self, address: SocketAddr) -> Result<(), ServerError> {
        let (shortest, tokens) = (SHORTEST, self.0.iter().map(|(token, _)| token));
        match tokens.min_by_key(|token| token.expose().chars().count()) {
            Some(token) if token.expose().chars().count() < shortest => {
                Err(ServerError::WeakToken { address, shortest })
            }
            _ => Ok(()),
        }
    }

    /// The names of the owners.
    pub(crate) fn owners(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|(_, caller)| caller.owner())
    }

    /// Who shows a token. All tokens are compared, whichever it is.
    pub(crate) fn caller(&self, given: &str) -> Option<Visitor> {
        self.0.iter().fold(None, |found, (token, caller)| {
            match same(given, token.expose()) {
                true => Some(Visitor::new(caller.clone())),
                false => found,
            }
        })
    }
}

/// Whether two texts are the same, in a time that tells nothing about where they differ.
fn same(given: &str, wanted: &str) -> bool {
    let pairs = given.bytes().zip(wanted.bytes());
    let differing = pairs.fold(0, |differing, (a, b)| differing | (a ^ b));
    given.len() == wanted.len() && std::hint::black_box(differing) == 0
}
