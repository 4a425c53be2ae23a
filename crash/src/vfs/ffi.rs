//! Foreign functions of the VFS, and the only place with `unsafe`.
//!
//! The shim is a copy of the default VFS with its own `xOpen` and `xDelete`. A file is the default
//! VFS's own file with a [`Tail`] behind it; the tail holds a copy of that file's methods in which
//! close, write, truncate and sync are ours. Every other method, shared memory and locks among
//! them, is called by SQLite directly, on the very object it was made for.
#![allow(
    unsafe_code,
    reason = "SQLite calls a VFS through C function pointers; each block says why it is sound"
)]

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    mem::{align_of, size_of},
    path::Path,
    ptr,
    sync::OnceLock,
};

use rusqlite::ffi::{
    SQLITE_CANTOPEN, SQLITE_FULL, SQLITE_IOERR_DELETE, SQLITE_IOERR_FSYNC, SQLITE_IOERR_TRUNCATE,
    SQLITE_IOERR_WRITE, SQLITE_OK, SQLITE_OPEN_MAIN_JOURNAL, SQLITE_OPEN_READWRITE,
    SQLITE_OPEN_SUPER_JOURNAL, SQLITE_OPEN_WAL, sqlite3_file, sqlite3_filename, sqlite3_io_methods,
    sqlite3_vfs, sqlite3_vfs_find, sqlite3_vfs_register,
};

use super::{Error, Fault, Op, Verdict, begin, begin_sync, die, done};

/// The wrapped VFS. SQLite never frees a registered VFS, so the address stays good.
struct Wrapped(*mut sqlite3_vfs);
// SAFETY: the pointee is only read, and the functions in it may be called from any thread: SQLite
// itself does so with the default VFS.
unsafe impl Send for Wrapped {}
// SAFETY: as above.
unsafe impl Sync for Wrapped {}

static WRAPPED: OnceLock<Wrapped> = OnceLock::new();

/// What follows the wrapped VFS's own file.
struct Tail {
    /// What SQLite calls; the file's `pMethods` points here while it is open.
    methods: sqlite3_io_methods,
    /// What the wrapped VFS had put there.
    wrapped: *const sqlite3_io_methods,
    /// The file's name without its folder; null for a file that is not watched.
    name: *mut String,
}

/// Wraps the default VFS and takes its place.
pub(super) fn register() -> Result<(), Error> {
    // SAFETY: a null name asks for the default; the answer is null or lives as long as the process.
    let wrapped = unsafe { sqlite3_vfs_find(ptr::null()) };
    if wrapped.is_null() {
        return Err(Error::NoDefault);
    }
    let wrapped = &WRAPPED.get_or_init(|| Wrapped(wrapped)).0;
    // SAFETY: not null, as checked, and `sqlite3_vfs` is plain data.
    let mut shim = unsafe { **wrapped };
    shim.zName = c"superstep-crash".as_ptr();
    shim.pNext = ptr::null_mut();
    shim.szOsFile = tail_at(shim.szOsFile) + size::<Tail>();
    shim.xOpen = Some(open);
    shim.xDelete = Some(delete);
    // SAFETY: the struct is leaked, so it lives as long as SQLite may use it.
    match unsafe { sqlite3_vfs_register(Box::into_raw(Box::new(shim)), 1) } {
        SQLITE_OK => Ok(()),
        code => Err(Error::Refused(code)),
    }
}

fn size<T>() -> c_int {
    c_int::try_from(size_of::<T>()).unwrap_or(c_int::MAX)
}

/// Where the tail begins behind a file of this size.
fn tail_at(file: c_int) -> c_int {
    let align = c_int::try_from(align_of::<Tail>()).unwrap_or(16);
    (file + align - 1) / align * align
}

fn wrapped() -> *mut sqlite3_vfs {
    WRAPPED.get().map_or(ptr::null_mut(), |wrapped| wrapped.0)
}

/// The tail of a file that our `open` was given.
///
/// # Safety
/// `file` must be an object of the shim: `szOsFile` bytes, aligned as SQLite aligns them (8).
unsafe fn tail(file: *mut sqlite3_file) -> *mut Tail {
    let wrapped = wrapped();
    // SAFETY: a file of the shim exists, so `register` has set the wrapped VFS; and by its
    // `szOsFile` the file has room for a tail at this offset, which is a multiple of its alignment.
    unsafe {
        let at = usize::try_from(tail_at((*wrapped).szOsFile)).unwrap_or_default();
        file.cast::<u8>().add(at).cast::<Tail>()
    }
}

fn file_name(path: *const c_char) -> Option<String> {
    if path.is_null() {
        return None;
    }
    // SAFETY: SQLite passes names as C strings that live during the call.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy();
    let name = Path::new(&*path).file_name()?;
    Some(name.to_string_lossy().into_owned())
}

fn exists(path: *const c_char) -> bool {
    // SAFETY: as in `file_name`; the caller has checked for null.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy();
    Path::new(&*path).exists()
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    path: sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let wrapped = wrapped();
    // SAFETY: only a registered shim is called, so `wrapped` is set; all arguments are passed on
    // as SQLite gave them, and our object begins with one of the wrapped VFS.
    let pass = || unsafe {
        match (*wrapped).xOpen {
            Some(open) => open(wrapped, path, file, flags, out_flags),
            None => SQLITE_CANTOPEN,
        }
    };
    let name = file_name(path).filter(|_| flags & SQLITE_OPEN_READWRITE != 0);
    let Some(name) = name else {
        // Read-only and temporary files hold nothing that must last.
        return pass();
    };
    let created = !exists(path);
    let verdict = begin();
    if let Verdict::Fails(_) = verdict {
        // SAFETY: SQLite gave us the object; without methods it does not close it.
        unsafe { (*file).pMethods = ptr::null() };
        return SQLITE_CANTOPEN;
    }
    let code = pass();
    if code == SQLITE_OK {
        let syncs = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
        let dir_sync = created && flags & syncs != 0;
        done(&name, Op::Open { created, dir_sync });
        // SAFETY: the wrapped VFS has just filled the object, so `pMethods` points to its methods.
        unsafe { attach(file, name) };
    }
    ends(verdict);
    code
}

/// Puts our methods in front of those of an open file.
///
/// # Safety
/// `file` is an object of the shim that the wrapped VFS has opened.
unsafe fn attach(file: *mut sqlite3_file, name: String) {
    // SAFETY: see above; `sqlite3_io_methods` is plain data, and the tail is written before it is
    // pointed to.
    unsafe {
        let original = (*file).pMethods;
        if original.is_null() {
            return;
        }
        let tail = tail(file);
        tail.write(Tail {
            methods: sqlite3_io_methods {
                xClose: Some(close),
                xWrite: Some(write),
                xTruncate: Some(truncate),
                xSync: Some(sync),
                ..*original
            },
            wrapped: original,
            name: Box::into_raw(Box::new(name)),
        });
        (*file).pMethods = &raw const (*tail).methods;
    }
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite calls this once, on a file that `attach` prepared. The methods are given back
    // first, so the wrapped VFS closes what it opened; the name is freed once.
    unsafe {
        let tail = tail(file);
        drop(Box::from_raw((*tail).name));
        let original = (*tail).wrapped;
        (*file).pMethods = original;
        (*original).xClose.map_or(SQLITE_OK, |close| close(file))
    }
}

/// The methods below a file of ours, and its name.
///
/// # Safety
/// `file` was prepared by `attach` and is open.
unsafe fn below<'a>(file: *mut sqlite3_file) -> (&'a sqlite3_io_methods, &'a str) {
    // SAFETY: both were set by `attach` and live until `close`, which SQLite does not call while
    // another method runs.
    unsafe {
        let tail = tail(file);
        (&*(*tail).wrapped, (*(*tail).name).as_str())
    }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    bytes: *const c_void,
    len: c_int,
    at: i64,
) -> c_int {
    // SAFETY: SQLite calls methods on open files only.
    let (below, name) = unsafe { below(file) };
    let pass = |len: c_int| match below.xWrite {
        // SAFETY: the arguments are SQLite's own; a shorter length stays within its buffer.
        Some(write) => unsafe { write(file, bytes, len, at) },
        None => SQLITE_IOERR_WRITE,
    };
    let verdict = begin();
    match verdict {
        Verdict::Fails(Fault::Io) => return SQLITE_IOERR_WRITE,
        Verdict::Fails(Fault::Full) => return SQLITE_FULL,
        Verdict::Fails(Fault::Short) => {
            pass(len / 2);
            return SQLITE_IOERR_WRITE;
        }
        Verdict::DiesWithin => {
            pass(len / 2);
            die()
        }
        Verdict::Go | Verdict::DiesAfter => {}
    }
    let code = pass(len);
    if code == SQLITE_OK {
        let len = usize::try_from(len).unwrap_or_default();
        // SAFETY: SQLite's buffer holds `len` bytes, and they do not change during the call.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), len) };
        let at = u64::try_from(at).unwrap_or_default();
        done(name, Op::Write { at, bytes });
    }
    ends(verdict);
    code
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, len: i64) -> c_int {
    // SAFETY: SQLite calls methods on open files only.
    let (below, name) = unsafe { below(file) };
    let verdict = begin();
    if let Verdict::Fails(_) = verdict {
        return SQLITE_IOERR_TRUNCATE;
    }
    let code = match below.xTruncate {
        // SAFETY: the arguments are SQLite's own.
        Some(truncate) => unsafe { truncate(file, len) },
        None => SQLITE_IOERR_TRUNCATE,
    };
    if code == SQLITE_OK {
        let len = u64::try_from(len).unwrap_or_default();
        done(name, Op::Truncate { len });
    }
    ends(verdict);
    code
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: SQLite calls methods on open files only.
    let (below, name) = unsafe { below(file) };
    let verdict = begin_sync();
    if let Verdict::Fails(_) = verdict {
        done(name, Op::SyncFailed);
        return SQLITE_IOERR_FSYNC;
    }
    let code = match below.xSync {
        // SAFETY: the arguments are SQLite's own.
        Some(sync) => unsafe { sync(file, flags) },
        None => SQLITE_IOERR_FSYNC,
    };
    if code == SQLITE_OK {
        done(name, Op::Sync);
    }
    ends(verdict);
    code
}

unsafe extern "C" fn delete(_: *mut sqlite3_vfs, path: *const c_char, dir_sync: c_int) -> c_int {
    let verdict = begin();
    if let Verdict::Fails(_) = verdict {
        return SQLITE_IOERR_DELETE;
    }
    let wrapped = wrapped();
    // SAFETY: as in `open`.
    let code = unsafe {
        match (*wrapped).xDelete {
            Some(delete) => delete(wrapped, path, dir_sync),
            None => SQLITE_IOERR_DELETE,
        }
    };
    if let (SQLITE_OK, Some(name)) = (code, file_name(path)) {
        let dir_sync = dir_sync != 0;
        done(&name, Op::Delete { dir_sync });
    }
    ends(verdict);
    code
}

fn ends(verdict: Verdict) {
    if matches!(verdict, Verdict::DiesAfter | Verdict::DiesWithin) {
        die()
    }
}
