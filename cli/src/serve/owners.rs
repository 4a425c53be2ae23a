//! The file of owners: a line `NAME TOKEN` for each.

use std::path::Path;

use superstep::Secret;

use crate::error::{Error, FileError};

/// The most bytes of the file.
const LARGEST: u64 = 1 << 20;

/// The owners of a file with their tokens. What is wrong with a line is said without the token.
pub(super) fn read(file: &Path) -> Result<Vec<(String, Secret)>, Error> {
    let not_read = |why: String| FileError::not_read(file, why);
    let bytes = superstep::fs::read_regular(file, LARGEST);
    let bytes = bytes.map_err(|error| not_read(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| not_read("it is no text".to_owned()))?;
    let mut owners = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split_whitespace();
        let (Some(name), Some(token), None) = (words.next(), words.next(), words.next()) else {
            let why = format!("line {} must be a name and a token", n + 1);
            return Err(not_read(why).into());
        };
        owners.push((name.to_owned(), Secret::new(token)));
    }
    Ok(owners)
}

/// Whether other users of the machine can read the file.
#[cfg(unix)]
pub(super) fn is_open(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

/// Whether other users of the machine can read the file; unknown on this system.
#[cfg(not(unix))]
pub(super) fn is_open(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<(String, Secret)>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("owners");
        std::fs::write(&file, text).unwrap();
        read(&file)
    }

    #[test]
    fn a_line_is_an_owner_and_a_token() {
        let found = of("# people\nann  t0ken\n\n bob other\n").unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|(name, token)| (&**name, token.expose()))
            .collect();
        assert_eq!(found, [("ann", "t0ken"), ("bob", "other")]);
    }

    #[test]
    fn a_line_that_is_not_says_which_and_not_what() {
        let wrong = of("ann t0ken\nbob s3cret more\n").map(|_| ()).unwrap_err();
        let said = wrong.lines().join("\n");
        assert!(
            said.contains("line 2") && !said.contains("s3cret"),
            "{said}"
        );
    }
}
