//! Programs about the language and its modules, with what CPython prints for them.

use std::fmt::Write as _;

use super::folder;

/// The files of `tests/language` by name: the program that prints what each of its parts does, and what CPython prints.
///
/// A part begins with `# -- name`. It ends with what it raises, so that one part does not hide the others.
pub(crate) fn all() -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for name in ["language", "library"] {
        let path = folder("language").join(name);
        let text = std::fs::read_to_string(path.with_extension("py")).unwrap();
        let printed = std::fs::read_to_string(path.with_extension("out")).unwrap_or_default();
        found.push((name.to_owned(), guarded(&text), printed));
    }
    found
}

fn guarded(text: &str) -> String {
    const END: &str = "except Exception as error:\n    print(type(error).__name__, error)\n";
    let mut program = String::new();
    let mut is_open = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("# -- ") {
            if is_open {
                program.push_str(END);
            }
            is_open = true;
            writeln!(program, "print('-- {name}')\ntry:").unwrap();
        } else {
            writeln!(program, "    {line}").unwrap();
        }
    }
    program + END
}

/// The lines that differ, with the part that they are in.
pub(crate) fn differences(expected: &str, found: &str) -> Vec<String> {
    let mut part = "";
    let mut differences = Vec::new();
    let mut lines = found.lines();
    for line in expected.lines() {
        let other = lines.next().unwrap_or("(nothing)");
        if line.starts_with("-- ") {
            part = line;
        }
        if line != other {
            differences.push(format!("{part}\n  expected {line}\n  found    {other}"));
        }
    }
    differences.extend(lines.map(|line| format!("{part}\n  found    {line}")));
    differences
}
