//! How large a workbook may be.

/// What is refused before it costs memory.
///
/// A million cells take about 50 MB, and 220 MB at the peak while they are read, changed and written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub file: u64,
    /// Entries of the archive.
    pub entries: usize,
    /// Bytes of one part, unpacked.
    pub part: u64,
    /// Bytes of all parts, unpacked.
    pub total: u64,
    /// How many times larger a part may get by unpacking, once it is larger than 8 MiB.
    pub ratio: u64,
    /// Cells of all sheets.
    pub cells: usize,
}

/// Below this size no part is a bomb, however well it is compressed.
pub(super) const HARMLESS: u64 = 8 << 20;

impl Default for Limits {
    fn default() -> Self {
        Self {
            file: 256 << 20,
            entries: 10_000,
            part: 512 << 20,
            total: 1 << 30,
            ratio: 300,
            cells: 5_000_000,
        }
    }
}
