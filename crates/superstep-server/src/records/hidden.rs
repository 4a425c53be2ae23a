//! Namespaces of the long-term store that are not for clients: what the server and the engine keep there, and the bookkeeping
//! of agents ([`Server::bookkeeping`](crate::Server::bookkeeping)). `/store` neither lists, reads nor changes them.

use superstep::{
    Provenance,
    store::{Namespace, Prefix},
};

use super::{ASSISTANTS, CRONS, DELETED_RUNS, FILE_OWNERS, FILES, OWNED_FILES, Place, RESULTS};
use crate::owners;

/// Namespaces that are the server's and the engine's own.
const OWN: [Place; 8] = [
    ASSISTANTS,
    DELETED_RUNS,
    CRONS,
    FILES,
    OWNED_FILES,
    FILE_OWNERS,
    RESULTS,
    Provenance::NAMESPACE,
];

/// Namespaces that are not for clients.
pub(crate) struct Hidden(Vec<Place>);

impl Hidden {
    pub(crate) fn new(bookkeeping: Vec<Place>) -> Self {
        Self(OWN.into_iter().chain(bookkeeping).collect())
    }

    /// Whether a namespace is not for clients, also below the name of an owner.
    pub(crate) fn has(&self, namespace: &Namespace) -> bool {
        let is_under = |labels: &[String]| {
            let is_all = |place: &Place| labels.get(..place.len()).is_some_and(|it| it == place);
            self.0.iter().any(is_all)
        };
        let labels = namespace.labels();
        is_under(labels) || owners::store::below_owner(labels).is_some_and(is_under)
    }

    /// Whether a prefix may have such namespaces below it.
    pub(crate) fn may_be_below(&self, prefix: &Prefix) -> bool {
        let overlaps = |labels: &[String]| {
            let agrees = |place: &Place| labels.iter().zip(place).all(|(one, other)| one == other);
            self.0.iter().any(agrees)
        };
        let labels = prefix.labels();
        overlaps(labels) || owners::store::below_owner(labels).is_some_and(overlaps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bookkeeping_is_hidden_with_all_below_it_and_below_owners() {
        let hidden = Hidden::new(vec![["mail", "queue"]]);
        for (labels, is_hidden) in [
            (vec!["mail", "queue"], true),
            (vec!["mail", "queue", "thread"], true),
            (vec!["owners", "ann", "mail", "queue", "thread"], true),
            (vec!["mail"], false),
            (vec!["mail", "notes"], false),
            (vec!["queue"], false),
            (vec!["owners", "ann", "mail"], false),
        ] {
            let namespace = Namespace::new(labels.clone()).unwrap();
            assert_eq!(hidden.has(&namespace), is_hidden, "{labels:?}");
        }
        for (labels, may) in [
            (vec![], true),
            (vec!["mail"], true),
            (vec!["mail", "queue", "thread"], true),
            (vec!["owners"], true),
            (vec!["owners", "ann"], true),
            (vec!["owners", "ann", "mail"], true),
            (vec!["owners", "ann", "notes"], false),
            (vec!["notes"], false),
        ] {
            let prefix = Prefix::new(labels.clone()).unwrap();
            assert_eq!(hidden.may_be_below(&prefix), may, "{labels:?}");
        }
    }
}
