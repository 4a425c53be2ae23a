//! Demo of Atris: questions to a fake Audius, answered by rules.

use super::Scene;

pub(super) const SCENE: Scene = Scene {
    about: "answers questions about Audius from its API; here from a fake one on this machine",
    files: &[],
    commands: &[
        (
            "one call, in the order of the reply",
            "atris ask 'top 5 trending tracks this week' --fake --no-model",
        ),
        (
            "a name is looked up first, and every number is a field of a reply",
            "atris ask 'How many followers does Nova Kane have?' --fake --no-model --explain",
        ),
        (
            "two calls to compare",
            "atris ask 'compare plays of \"First Light\" and \"Paper Moons\"' --fake --no-model",
        ),
        ("the graph behind it", "graph atris"),
    ],
    leaves: &[],
};
