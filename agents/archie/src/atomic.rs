//! Atomic file replacement: a temporary file beside the target, fsync, rename.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

/// A new file beside its final place, fsync'd already.
pub(crate) struct Ready {
    file: NamedTempFile,
    target: PathBuf,
}

impl Ready {
    /// Writes the content beside the target. It becomes a file like others: the umask says who may
    /// read it.
    pub(crate) fn new(target: &Path, content: &[u8]) -> io::Result<Self> {
        Self::with_rights(target, content, 0o666)
    }

    /// The same for what is nobody else's business: a new file is for its owner alone, one that is
    /// replaced keeps its rights.
    pub(crate) fn private(target: &Path, content: &[u8]) -> io::Result<Self> {
        Self::with_rights(target, content, rights(target))
    }

    fn with_rights(target: &Path, content: &[u8], rights: u32) -> io::Result<Self> {
        let mut file = builder(rights).tempfile_in(folder(target))?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        Ok(Self {
            file,
            target: target.to_owned(),
        })
    }

    /// Puts it in its place. What was there is gone, a link as such.
    pub(crate) fn place(self) -> io::Result<()> {
        self.file
            .persist(&self.target)
            .map_err(|error| error.error)?;
        sync_folder(&self.target)
    }
}

/// The folder of a file.
pub(crate) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the names in a file's folder last.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder(path))?.sync_all()?;
    }
    Ok(())
}

/// The same file under a second name, which must be free. Where the file system has no second
/// names it is moved.
pub(crate) fn second_name(path: &Path, second: &Path) -> io::Result<()> {
    match fs::hard_link(path, second) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => fs::rename(path, second),
    }
}

#[cfg_attr(
    not(unix),
    expect(unused_variables, reason = "rights are those of the folder")
)]
fn builder(rights: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".superstep-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(rights));
    }
    builder
}

/// The rights of a file that is there; those of a new one are its owner's alone.
#[cfg(unix)]
pub(crate) fn rights(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    let there = fs::metadata(path).map_or(0, |about| about.permissions().mode());
    there & 0o666 | 0o600
}

#[cfg(not(unix))]
fn rights(_: &Path) -> u32 {
    0o600
}

/// Makes a folder for its owner alone, if it is not there.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
