//! Path confinement: paths of a project's file stay below its folder, or are refused.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Where a path leads, with all links followed. What is not there yet must still lie below the folder.
pub(super) fn confined(folder: &Path, written: &str) -> Result<PathBuf, String> {
    if written == "~" || written.starts_with("~/") {
        return Err("it is a path of the home folder".into());
    }
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let root = folder.canonicalize();
    let root = root.map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut path = root.join(written);
    // Names behind the last folder that is there.
    let mut missing = Vec::new();
    let found = loop {
        match path.canonicalize() {
            Ok(found) => break found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.to_string()),
        }
        if path.is_symlink() {
            return Err("it is a link that leads nowhere".into());
        }
        let (Some(name), Some(above)) = (path.file_name(), path.parent()) else {
            return Err("it leads out of a folder that is not there".into());
        };
        missing.push(name.to_owned());
        path = above.to_owned();
    };
    if !found.starts_with(&root) {
        let place = missing
            .iter()
            .rev()
            .fold(found, |path, name| path.join(name));
        return Err(format!(
            "that is {}, which is not below {}",
            place.display(),
            root.display()
        ));
    }
    Ok(missing
        .iter()
        .rev()
        .fold(found, |path, name| path.join(name)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_path_stays_below_its_folder() {
        let all = tempfile::tempdir().unwrap();
        let all = all.path().canonicalize().unwrap();
        let root = all.join("project");
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/b"), "").unwrap();
        fs::write(all.join("secret"), "").unwrap();
        // A folder whose name only begins like that of the project.
        fs::create_dir(all.join("project-other")).unwrap();
        fs::write(all.join("project-other/x"), "").unwrap();
        let inside = root.join("a/b");
        for written in ["a/b", "./a/b", "a/../a/b", inside.to_str().unwrap()] {
            assert_eq!(confined(&root, written), Ok(inside.clone()), "{written}");
        }
        for written in ["new", "a/new", "no/such/folder/new"] {
            assert_eq!(confined(&root, written), Ok(root.join(written)));
        }
        let outside = all.join("secret");
        for written in [
            "../secret",
            "a/../../secret",
            "a/../../new",
            "../project-other/x",
            "no/such/../../../secret",
            "~/secret",
            "~",
            "/etc/passwd",
            "..",
            outside.to_str().unwrap(),
        ] {
            assert!(confined(&root, written).is_err(), "{written}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_before_they_are_judged() {
        use std::os::unix::fs::symlink;
        let all = tempfile::tempdir().unwrap();
        let all = all.path().canonicalize().unwrap();
        let root = all.join("project");
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/b"), "").unwrap();
        fs::write(all.join("secret"), "").unwrap();
        symlink(all.join("secret"), root.join("file")).unwrap();
        symlink(&all, root.join("folder")).unwrap();
        symlink(all.join("nothing"), root.join("dangling")).unwrap();
        symlink("a/b", root.join("within")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        for written in ["file", "folder/secret", "folder/new", "dangling", "loop"] {
            assert!(confined(&root, written).is_err(), "{written}");
        }
        assert_eq!(confined(&root, "within"), Ok(root.join("a/b")));
        // The folder itself may be reached by a link.
        symlink(&root, all.join("other-name")).unwrap();
        let by_link = confined(&all.join("other-name"), "a/b");
        assert_eq!(by_link, Ok(root.join("a/b")));
    }
}
