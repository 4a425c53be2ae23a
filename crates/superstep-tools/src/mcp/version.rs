//! Versions of the protocol that are spoken.

/// Versions with a handshake, newest first.
pub(super) const WITH_HANDSHAKE: [&str; 4] =
    ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The version without.
pub(super) const WITHOUT_HANDSHAKE: &str = "2026-07-28";
