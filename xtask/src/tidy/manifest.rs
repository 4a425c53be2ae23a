//! A `Cargo.toml` as flat entries with line numbers.
//!
//! Cargo itself tells what a manifest means, but not where it says so, nor whether a value was
//! inherited. For that the lines are enough: each becomes `table.key=value` without spaces.

/// The entries of one manifest, in order.
pub(super) struct Manifest {
    entries: Vec<(usize, String)>,
}

impl Manifest {
    pub(super) fn parse(text: &str) -> Self {
        let mut entries = Vec::new();
        let mut table = String::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default();
            let line: String = line.split_whitespace().collect();
            if line.is_empty() {
                continue;
            }
            if let Some(header) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                table = format!("{header}.");
                entries.push((number, header.to_owned()));
                continue;
            }
            let entry = line.replace("={workspace=true}", ".workspace=true");
            entries.push((number, format!("{table}{entry}")));
        }
        Self { entries }
    }

    /// Whether `key`, such as `package.edition`, takes the value of the workspace.
    pub(super) fn inherits(&self, key: &str) -> bool {
        let wanted = format!("{key}.workspace=true");
        self.line_of(|entry| entry == wanted).is_some()
    }

    /// The first line whose entry is as wanted.
    pub(super) fn line_of(&self, wanted: impl Fn(&str) -> bool) -> Option<usize> {
        self.entries
            .iter()
            .find(|(_, entry)| wanted(entry))
            .map(|(line, _)| *line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_inheritance_is_understood() {
        for text in [
            "[package]\nedition.workspace = true\n",
            "[package]\nedition = { workspace = true }  # of all\n",
            "package.edition.workspace = true\n",
            "[package.edition]\nworkspace = true\n",
        ] {
            assert!(Manifest::parse(text).inherits("package.edition"), "{text}");
        }
    }

    #[test]
    fn a_value_of_its_own_is_not_inherited() {
        let manifest = Manifest::parse("[package]\nedition = \"2024\"\n");
        assert!(!manifest.inherits("package.edition"));
        assert_eq!(
            manifest.line_of(|entry| entry.starts_with("package.edition")),
            Some(2)
        );
    }
}
