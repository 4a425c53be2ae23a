//! Circles that are left, each with its reason.

/// No module joins these, and one that is in no circle any more leaves its list.
pub(super) const KNOWN: [Known; 1] = [
    // An interpreter is one concept: values hold code and code holds values, the machine runs both, and the text of
    // a value may be what a method of its class returns.
    Known {
        folder: "crates/superstep-sandbox/",
        parent: "python",
        modules: &[
            "code", "compile", "fault", "modules", "number", "text", "value", "vm",
        ],
    },
];

/// The modules of one parent that are in circles, and may be.
pub(super) struct Known {
    /// The folder of the crate.
    pub(super) folder: &'static str,
    pub(super) parent: &'static str,
    pub(super) modules: &'static [&'static str],
}

/// The file that has the list.
pub(super) const LIST: &str = "xtask/src/tidy/circles/known.rs";
