//! How a sentence speaks: of what is there now, or of what was, will be, should be, or is not.
//!
//! Only the first can be refuted by facts. These are lists of words, and so they err; they err on the side of what
//! stays, as a sentence that is taken for advice is only not checked.

/// Verbs that begin advice to make something.
const MAKING: &[&str] = &[
    "add", "adopt", "bring", "choose", "consider", "create", "define", "enable", "evaluate",
    "extract", "generate", "install", "introduce", "make", "migrate", "move", "plan", "prefer",
    "propose", "provide", "put", "replace", "set", "split", "switch", "try", "use", "write",
];

/// Verbs that begin advice about a version.
const CHANGING: &[&str] = &[
    "avoid", "do", "downgrade", "ensure", "keep", "let", "lock", "pin", "raise", "require", "stay",
    "wait",
];

/// Words that make advice, a plan or a condition of a sentence wherever they stand.
const ADVISING: &[&str] = &[
    "add", "adding", "adopting", "belong", "belongs", "consider", "considering", "could", "create",
    "creating", "eventually", "future", "if", "introduce", "introducing", "might", "must", "ought",
    "plan", "planned", "propose", "proposed", "recommend", "recommendation", "recommended",
    "should", "suggest", "suggested", "unless", "will", "would",
];

/// Words of what is not there, or is not kept: made by the build, taken away, named otherwise.
const ABSENT: &[&str] = &[
    "absent", "creates", "deleted", "emitted", "example", "formerly", "generated", "ignored",
    "instead", "lack", "lacks", "longer", "missing", "need", "needed", "needs", "neither", "never",
    "no", "nor", "nowhere", "outputs", "previously", "produced", "produces", "removed", "renamed",
    "saves", "was", "were", "without", "writes", "written",
];

/// Words that compare versions, or speak of other ones than the one in use.
const COMPARING: &[&str] = &[
    "above", "affected", "affects", "after", "ago", "api", "available", "before", "below",
    "beyond", "branch", "break", "breaking", "breaks", "bug", "bugs", "bump", "can", "cannot",
    "changed", "changelog", "compared", "compatible", "cve", "deprecated", "deprecates",
    "different", "documentation", "downgrade", "dropped", "drops", "earlier", "era", "expected",
    "features", "fixed", "fixes", "former", "had", "historically", "history", "incompatible",
    "instead", "introduced", "introduces", "later", "latest", "least", "legacy", "may", "migrate",
    "migrating", "migration", "minimum", "most", "move", "moves", "moving", "needed", "never",
    "new", "newer", "newest", "next", "not", "old", "older", "once", "only", "or", "originally",
    "out", "outdated", "patched", "pending", "planned", "plans", "prior", "rather", "recent",
    "released", "replaced", "safe", "semantics", "series", "since", "soon", "style", "support",
    "supported", "supports", "switch", "switching", "syntax", "target", "targets", "than", "then",
    "unlike", "until", "up", "upcoming", "update", "updated", "updates", "updating", "upgrade",
    "upgraded", "upgrades", "upgrading", "upstream", "versus", "vs", "vulnerabilities",
    "vulnerability", "vulnerable", "when", "while", "yet",
];

/// Words that say of a name what is locked, so that `to` before a version states and does not advise.
const HOLDING: &[&str] = &[
    "pins", "pinned", "locks", "locked", "resolves", "resolved", "set",
];

/// Words before a name that ask for another version or compare with one.
const TOWARDS: &[&str] = &["from", "in", "like", "than", "to", "toward", "towards"];

/// The words of a text, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let signs = |c: char| !(c.is_alphanumeric() || c == '_');
    let words = text.split(signs).filter(|it| !it.is_empty());
    words.map(str::to_lowercase).collect()
}

/// The words of a sentence that are in no code.
fn spoken(unit: &str) -> Vec<String> {
    let pieces: Vec<&str> = unit.split('`').step_by(2).collect();
    words(&pieces.join(" "))
}

fn has_any(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|it| list.contains(&&**it))
}

fn begins(words: &[String], list: &[&str]) -> bool {
    words.first().is_some_and(|it| list.contains(&&**it))
}

/// Whether a sentence asks, advises to make something, or speaks of what may be.
pub(super) fn is_advice(unit: &str) -> bool {
    let words = spoken(unit);
    unit.trim_end().ends_with('?') || begins(&words, MAKING) || has_any(&words, ADVISING)
}

/// Whether a sentence says that something is not there.
pub(super) fn is_denied(unit: &str) -> bool {
    const GONE: &[&str] = &["there", "a", "present", "found", "in", "part", "tracked"];
    spoken(unit).windows(3).any(|it| {
        let [verb, not, rest] = it else {
            return false;
        };
        not == "not" && (rest == "exist" || verb == "is" && GONE.contains(&rest.as_str()))
    })
}

/// Whether a sentence denies something, whatever it is.
pub(super) fn is_negated(unit: &str) -> bool {
    const WORDS: &[&str] = &[
        "cannot", "hardly", "nobody", "none", "not", "nothing", "rarely",
    ];
    has_any(&spoken(unit), WORDS) || ["n't", "n’t"].iter().any(|it| unit.contains(it))
}

/// The last line that a sentence names in words: `line 5`, `lines 5-9`, `lines 5 to 9`.
pub(super) fn last_line(unit: &str) -> Option<u32> {
    let mut words = unit.split(|c: char| !c.is_alphanumeric());
    let is_line = |it: &str| it.eq_ignore_ascii_case("line") || it.eq_ignore_ascii_case("lines");
    words.find(|it| is_line(it))?;
    let first: u32 = words.next()?.parse().ok()?;
    let next = words.find(|it| !["", "to", "and", "through"].contains(it));
    let last = next.and_then(|it| it.parse().ok());
    Some(last.unwrap_or(first))
}

/// Whether a sentence may speak of what is not there: advice, the past, what a build makes, what is missed.
pub(super) fn is_of_absent(unit: &str) -> bool {
    let words = spoken(unit);
    let is_denied = is_denied(unit);
    let lower = unit.to_lowercase();
    let is_example = ["e.g.", "such as "].iter().any(|it| lower.contains(it));
    is_advice(unit) || is_denied || is_example || has_any(&words, ABSENT)
}

/// Whether a sentence may speak of what no manifest asks for: what is not there, and what something else from outside
/// brings along, which only lock files know.
pub(super) fn is_of_unasked(unit: &str) -> bool {
    const WORDS: &[&str] = &[
        "brings", "bundled", "bundles", "comes", "indirect", "indirectly", "not", "pulls",
        "through", "transitive", "transitively", "via",
    ];
    is_of_absent(unit) || has_any(&spoken(unit), WORDS)
}

/// Whether a sentence says which version is in use, of a name that begins at a place, and nothing about other ones.
pub(super) fn is_of_use(unit: &str, name: usize, version: usize) -> bool {
    let words = spoken(unit);
    let last = |text: &str| {
        let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
        let word = text.rsplit(|c: char| !c.is_alphanumeric()).next();
        word.unwrap_or_default().to_lowercase()
    };
    let is_towards = {
        let before = last(unit.get(..name).unwrap_or_default());
        TOWARDS.contains(&&*before)
    };
    let between = spoken(unit.get(name..version).unwrap_or_default());
    let is_led = between.iter().any(|it| it == "to") && !has_any(&words, HOLDING);
    let is_other =
        begins(&words, CHANGING) || has_any(&words, COMPARING) || has_any(&words, ABSENT);
    !(is_advice(unit) || is_other || is_towards || is_led)
}
