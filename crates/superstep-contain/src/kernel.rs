//! What the kernel takes from a process before it runs a program. The calling process is contained
//! for good: nothing gives it back.

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub use linux::landlock;
#[cfg(target_os = "linux")]
pub(crate) use linux::{Files, files, memory, system_calls, with_parent};

/// Elsewhere only the process itself contains programs.
#[cfg(not(target_os = "linux"))]
pub(crate) fn memory(_: u64, _: u64) -> Result<(), String> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn with_parent(_: Option<u32>) -> Result<(), String> {
    Ok(())
}
