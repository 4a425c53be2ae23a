//! The memory file: locked while it changes, replaced atomically, never discarded, readable by its owner
//! only.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use superstep::fs::{Rights, Staged, private_dir, second_name, sync_parent};

use super::{Memory, VERSION};
use crate::error::{Error, ErrorKind, shown};

/// A larger file is no memory.
const LARGEST: u64 = 32 << 20;

/// How long another process may keep the file, and how often it is looked whether it still does.
const WAIT_LIMIT: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// The longest chain of links that is followed, as on Linux.
const MOST_LINKS: usize = 40;

/// A memory as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// What is remembered.
    pub memory: Memory,
    /// Where a file that made no sense was put.
    pub aside: Option<PathBuf>,
}

/// Reads a memory. No file is an empty memory; one that makes no sense is set aside under another
/// name.
pub fn load(path: &Path) -> Result<Loaded, Error> {
    let path = &followed(path)?;
    match read(path)? {
        Content::Memory(memory) => Ok(Loaded {
            memory,
            aside: None,
        }),
        Content::Nonsense => {
            let _lock = lock(path)?;
            read_or_set_aside(path)
        }
    }
}

/// Changes a memory: nobody else does so at the same time, and readers see the file before or
/// after. A change that changes nothing writes nothing.
pub fn update<T>(path: &Path, change: impl FnOnce(&mut Memory) -> T) -> Result<(T, Loaded), Error> {
    let path = &followed(path)?;
    if let Some(folder) = path.parent() {
        private_dir(folder).map_err(|error| Error::memory(path, error))?;
    }
    let _lock = lock(path)?;
    let mut loaded = read_or_set_aside(path)?;
    let before = loaded.memory.clone();
    let done = change(&mut loaded.memory);
    if loaded.memory != before {
        write(path, &mut loaded.memory)?;
    }
    Ok((done, loaded))
}

/// The file that a path leads to, with links followed: all names of a memory share its lock, and
/// replacing the file keeps the links. A link to a file that is not there yet names that file; one
/// into a folder that is not there is refused, as the disk may only be missing for now.
fn followed(path: &Path) -> Result<PathBuf, Error> {
    let mut named = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&named) else {
            return Ok(named);
        };
        named = named.with_file_name(target);
        let folder = named.parent().unwrap_or(Path::new(""));
        if !folder.as_os_str().is_empty() && !folder.is_dir() {
            let why = format!(
                "it is a link to {}, whose folder does not exist",
                named.display()
            );
            return Err(Error::memory(path, why));
        }
    }
    Err(Error::memory(path, "it is a link that leads to itself"))
}

enum Content {
    Memory(Memory),
    Nonsense,
}

fn read(path: &Path) -> Result<Content, Error> {
    // Before it is opened: a pipe would be waited for.
    let facts = match fs::metadata(path) {
        Ok(facts) => facts,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Content::Memory(Memory::default()));
        }
        Err(error) => return Err(Error::memory(path, error)),
    };
    if !facts.is_file() || facts.len() > LARGEST {
        return Err(Error::memory(path, "it is no file, or far too large"));
    }
    let file = File::open(path).map_err(|error| Error::memory(path, error))?;
    let mut bytes = Vec::new();
    let reading = file.take(LARGEST).read_to_end(&mut bytes);
    reading.map_err(|error| Error::memory(path, error))?;
    let Ok(memory) = serde_json::from_slice::<Memory>(&bytes) else {
        return match is_damaged(&bytes) {
            true => Ok(Content::Nonsense),
            false => Err(Error::memory(
                path,
                "it is a file of another kind, and was not touched",
            )),
        };
    };
    if memory.version > VERSION {
        let why = format!(
            "it has the form {} and this version knows {VERSION}; it was not touched",
            memory.version
        );
        return Err(Error::memory(path, why));
    }
    Ok(Content::Memory(memory))
}

/// Whether bytes can be what is left of a memory: a text that begins like one and breaks off, or zeros. Others
/// are of somebody else, who wants them where they are.
fn is_damaged(bytes: &[u8]) -> bool {
    let is_whole = serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    let begins = bytes.trim_ascii_start().starts_with(b"{");
    !is_whole && (begins || bytes.iter().all(|byte| *byte == 0))
}

fn read_or_set_aside(path: &Path) -> Result<Loaded, Error> {
    match read(path)? {
        Content::Memory(memory) => Ok(Loaded {
            memory,
            aside: None,
        }),
        Content::Nonsense => Ok(Loaded {
            memory: Memory::default(),
            aside: Some(set_aside(path).map_err(|error| Error::memory(path, error))?),
        }),
    }
}

/// Gives a file another name that is free.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default();
    for number in 1..1000 {
        let mut other = name.to_owned();
        other.push(format!(".damaged-{number}"));
        let other = path.with_file_name(other);
        match second_name(path, &other) {
            Ok(()) => {
                if path.exists() {
                    fs::remove_file(path)?;
                }
                sync_parent(path)?;
                return Ok(other);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(
        "there are a thousand damaged files beside it",
    ))
}

fn write(path: &Path, memory: &mut Memory) -> Result<(), Error> {
    memory.version = VERSION;
    let mut text =
        serde_json::to_string_pretty(memory).map_err(|error| Error::memory(path, error))?;
    text.push('\n');
    let placed = Staged::new(path, text.as_bytes(), Rights::Kept).and_then(Staged::replace);
    placed.map_err(|error| Error::memory(path, error))
}

/// Held until it is dropped. It is on a file of its own, because the memory itself is replaced.
fn lock(path: &Path) -> Result<File, Error> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, Rights::Kept.mode(path));
    let file = options
        .open(path.with_file_name(name))
        .map_err(|error| Error::memory(path, error))?;
    // One that was made under another umask keeps no rights that the memory does not give.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let wanted = Rights::Kept.mode(path);
        let mode = file
            .metadata()
            .map(|about| about.permissions().mode() & 0o777);
        if mode.is_ok_and(|mode| mode & !wanted != 0) {
            // Somebody else's lock is no reason not to work.
            let _kept = file.set_permissions(fs::Permissions::from_mode(wanted));
        }
    }
    let until = Instant::now() + WAIT_LIMIT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(Error::memory(path, error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(ErrorKind::MemoryBusy { path: shown(path) }.into());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}
