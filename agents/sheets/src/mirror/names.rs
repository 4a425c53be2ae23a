//! Names of tables and columns: whatever a sheet says, quoted, and each once.

/// A name as SQL writes it, whatever is in it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The longest name.
const LONGEST: usize = 60;

/// Gives each name once: the second `Total` is `Total_2`. Names are equal without regard to case.
#[derive(Default)]
pub(super) struct Unique(std::collections::BTreeSet<String>);

impl Unique {
    pub(super) fn name(&mut self, wanted: &str, otherwise: &str) -> String {
        let line = wanted
            .split(char::is_whitespace)
            .filter(|it| !it.is_empty());
        let line = line.collect::<Vec<_>>().join(" ").replace('\0', "");
        let line: String = line.chars().take(LONGEST).collect();
        let base = match line.is_empty() {
            true => otherwise.to_owned(),
            false => line,
        };
        let mut name = base.clone();
        let mut number = 2;
        while !self.0.insert(name.to_lowercase()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_told_apart_and_quotes_stay_inside() {
        let mut names = Unique::default();
        let given: Vec<String> = ["Währung", "WÄHRUNG", "", "a\"b", "Währung_2"]
            .iter()
            .map(|name| names.name(name, "C"))
            .collect();
        assert_eq!(given, ["Währung", "WÄHRUNG_2", "C", "a\"b", "Währung_2_2"]);
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}
