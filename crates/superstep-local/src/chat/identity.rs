//! Which model a file of weights holds.

use std::path::Path;

use super::gguf::Gguf;

/// Which model it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name, from the weights file.
    pub name: String,
    /// How its weights are packed, such as `q4_k_m`.
    pub quantization: String,
    /// The hash of the weights, if the file is named by it. Whoever brought it into the cache has checked it; of any other
    /// file it is what its name says.
    pub sha256: Option<String>,
}

impl Identity {
    pub(super) fn read(file: &Gguf<'_>, path: &Path) -> Self {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy());
        let stem = stem.unwrap_or_default();
        let of_parts = || {
            let name = file.text("general.basename").ok()?;
            let size = file.text("general.size_label").ok()?;
            Some(format!("{name}-{size}"))
        };
        let name = of_parts()
            .or_else(|| file.text("general.name").ok().map(str::to_owned))
            .unwrap_or_else(|| stem.to_string());
        let is_hash = stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
        Self {
            name: name.to_lowercase().replace(char::is_whitespace, "-"),
            quantization: packing(file.whole("general.file_type").ok()).to_owned(),
            sha256: is_hash.then(|| stem.to_lowercase()),
        }
    }
}

/// The usual name of a mix of packings, by its number in the file.
fn packing(number: Option<u64>) -> &'static str {
    match number {
        Some(0) => "f32",
        Some(1) => "f16",
        Some(2) => "q4_0",
        Some(3) => "q4_1",
        Some(7) => "q8_0",
        Some(8) => "q5_0",
        Some(9) => "q5_1",
        Some(14) => "q4_k_s",
        Some(15) => "q4_k_m",
        Some(16) => "q5_k_s",
        Some(17) => "q5_k_m",
        Some(18) => "q6_k",
        _ => "mixed",
    }
}
