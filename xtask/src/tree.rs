//! The files of the repository, read once and handed to every check.
//!
//! A file belongs to the tree if git tracks it or would take it up with `git add`: a mistake in a
//! new file shows before it is committed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::error::Error;

/// All files, in the order of their paths.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
}

/// One file; the text of a symbolic link is its target.
#[derive(Debug)]
pub(crate) struct File {
    /// Relative to the root, with `/` between folders.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Tree {
    /// Reads the tree below `root`.
    pub(crate) fn load(root: &Path) -> Result<Self, Error> {
        let mut files = Vec::new();
        for path in list(root)? {
            let full = root.join(&path);
            // A tracked file that was just removed, or a submodule, has no text.
            let Ok(found) = fs::symlink_metadata(&full) else {
                continue;
            };
            let bytes = if found.is_symlink() {
                fs::read_link(&full).map(|to| to.to_string_lossy().into_owned().into_bytes())
            } else if found.is_file() {
                fs::read(&full)
            } else {
                continue;
            };
            let bytes = bytes.map_err(|source| Error::File { path: full, source })?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            files.push(File { path, text });
        }
        Ok(Self { files })
    }

    /// The file at exactly this path.
    pub(crate) fn get(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// All Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files
            .iter()
            .filter(|file| file.extension() == Some("rs"))
    }
}

impl File {
    /// The name without its folders.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// What follows the last dot of the name.
    pub(crate) fn extension(&self) -> Option<&str> {
        self.name().rsplit_once('.').map(|(_, extension)| extension)
    }

    /// Whether a folder of this name lies on the way to the file.
    pub(crate) fn is_below(&self, folder: &str) -> bool {
        let mut folders = self.path.split('/');
        folders.next_back();
        folders.any(|name| name == folder)
    }

    /// Whether the whole file is tests.
    pub(crate) fn is_test(&self) -> bool {
        self.name() == "tests.rs" || self.is_below("tests")
    }

    /// All lines with their numbers, counted from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// The lines that are not tests: nothing of a test file, and of any other file all that is
    /// before its `mod tests {`. Clippy sees to it that no item follows that module.
    pub(crate) fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = if self.is_test() {
            0
        } else {
            self.start_of_tests().unwrap_or(usize::MAX)
        };
        self.lines().take(end)
    }

    /// How many lines stand before the `#[cfg(test)]` of `mod tests {`.
    fn start_of_tests(&self) -> Option<usize> {
        let mut start = None;
        for (before, line) in self.text.lines().enumerate() {
            match line.trim_end() {
                "#[cfg(test)]" => start = start.or(Some(before)),
                "mod tests {" if start.is_some() => return start,
                // Further attributes and comments may stand between the two.
                line if line.starts_with(['#', '/', ' ', ')']) => {}
                _ => start = None,
            }
        }
        None
    }
}

fn list(root: &Path) -> Result<BTreeSet<String>, Error> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others"])
        .arg("--exclude-standard")
        .current_dir(root)
        // Inside a git hook these point elsewhere than `root`.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .map_err(|source| Error::Start {
            program: "git".to_owned(),
            source,
        })?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(Error::failed("git ls-files", why.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout)
        .split_terminator('\0')
        .map(str::to_owned)
        .collect())
}

/// A tree of texts, for the tests of the checks.
#[cfg(test)]
pub(crate) fn of(files: &[(&str, &str)]) -> Tree {
    let files = files
        .iter()
        .map(|(path, text)| File {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        })
        .collect();
    Tree { files }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;
    use std::path::PathBuf;
    use std::process;

    /// A folder that is removed with its value.
    struct Scratch(PathBuf);

    impl Drop for Scratch {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }

    fn repository(name: &str) -> Scratch {
        let folder = env::temp_dir().join(format!("superstep-xtask-{}-{name}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let made = Command::new("git")
            .args(["init", "--quiet"])
            .current_dir(&folder)
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .status()
            .unwrap();
        assert!(made.success());
        Scratch(folder)
    }

    #[test]
    fn new_files_belong_to_the_tree_and_ignored_ones_do_not() {
        let scratch = repository("tree");
        fs::write(scratch.0.join(".gitignore"), "out\n").unwrap();
        fs::write(scratch.0.join("out"), "built").unwrap();
        fs::create_dir(scratch.0.join("src")).unwrap();
        fs::write(scratch.0.join("src/a b.rs"), "//! A.\n").unwrap();
        let tree = Tree::load(&scratch.0).unwrap();
        let paths: Vec<_> = tree.files.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(paths, [".gitignore", "src/a b.rs"]);
        assert_eq!(tree.get("src/a b.rs").unwrap().text, "//! A.\n");
    }

    #[test]
    fn a_file_of_other_bytes_is_still_read() {
        let scratch = repository("bytes");
        fs::write(scratch.0.join("image.png"), [0xff, 0x00, b'x']).unwrap();
        let tree = Tree::load(&scratch.0).unwrap();
        assert!(tree.get("image.png").unwrap().text.ends_with('x'));
    }

    #[test]
    fn tests_at_the_end_are_not_product() {
        let text =
            "//! A.\nfn a() {}\n\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n    fn b() {}\n}\n";
        let tree = of(&[("a.rs", text)]);
        assert_eq!(tree.files[0].product_lines().count(), 3);
    }

    #[test]
    fn a_test_only_item_before_the_product_hides_nothing() {
        let text = "#[cfg(test)]\nuse a::b;\n\nfn c() {}\n";
        let tree = of(&[("a.rs", text)]);
        assert_eq!(tree.files[0].product_lines().count(), 4);
    }

    #[test]
    fn a_tests_folder_counts_only_as_a_whole_name() {
        let tree = of(&[
            ("a/tests/it/main.rs", "x"),
            ("a/src/tests.rs", "x"),
            ("a/src/contests/b.rs", "x"),
            ("a/src/tests", "x"),
        ]);
        let seen: Vec<_> = tree.files.iter().map(File::is_test).collect();
        assert_eq!(seen, [true, true, false, false]);
    }
}
