//! Planted claims: what a model may invent about a library, and true sentences that look like it.

use superstep_docgen::{claims::check, facts::Lookup};
use tempfile::TempDir;

use crate::support::{facts, tree};

fn library() -> TempDir {
    tree(&[
        (
            "pyproject.toml",
            "[project]\nname = \"parcel\"\nversion = \"1.4.0\"\nlicense = \"BSD-3-Clause\"\nrequires-python = \">=3.10\"\n\
             dependencies = [\"httpx>=0.27\"]\n",
        ),
        (
            "src/parcel/sign.py",
            "import hmac\nimport typing as t\n\nfrom .errors import BadSeal\n\n\nclass Algorithm:\n    def seal(self, key: bytes) -> bytes:\n        \
             raise NotImplementedError\n\n\nclass HmacAlgorithm(Algorithm):\n    def seal(self, key: bytes) -> bytes:\n        \
             return hmac.digest(key, b\"\", \"sha1\")\n\n\nclass Signer:\n    max_age = 30\n    retry_limit: int = 5  # attempts\n\n    \
             def verify_seal(self, value: bytes) -> bool:\n        if not value:\n            raise BadSeal(\"empty\")\n        \
             return True\n",
        ),
        (
            "src/parcel/errors.py",
            "from .base import Root as Base\n\n\nclass BadData(Exception):\n    pass\n\n\nclass BadSeal(BadData):\n    pass\n\n\n\
             class BadTime(BadSeal):\n    pass\n\n\nclass Odd(Base):\n    pass\n",
        ),
        ("src/parcel/base.py", "class Root:\n    pass\n"),
        (
            "src/parcel/models.py",
            "from pydantic import BaseModel\nfrom tools import json_methods\n\n\nclass Order(BaseModel):\n    id: int\n\n\n\
             @json_methods\nclass Label:\n    text: str\n\n\nclass Loose:\n    def __getattr__(self, name):\n        return name\n",
        ),
        (
            "src/parcel/every.py",
            "from .sign import *\n\nsigner = Signer()\nTIMEOUT = 1_209_600\n",
        ),
        ("tests/__init__.py", ""),
        ("tests/test_sign.py", "def test_seal():\n    pass\n"),
    ])
}

fn changed(texts: &[&str]) -> Vec<(String, String)> {
    let folder = library();
    let facts = facts(folder.path());
    let lookup = Lookup::new(&facts);
    let checked = texts.iter().map(|text| {
        let (kept, report) = check(&format!("## Notes\n\nAnchor.\n\n{text}\n"), &lookup);
        let kept = kept.trim_start_matches("## Notes\n\nAnchor.").trim();
        let is_refuted = report.fixed + report.removed > 0;
        assert_eq!(is_refuted, kept != *text, "{text}: {kept}: {report:?}");
        ((*text).to_owned(), kept.to_owned())
    });
    checked.filter(|(text, kept)| text != kept).collect()
}

#[test]
fn planted_falsehoods_are_put_right_or_taken_out() {
    let planted = [
        (
            "The current version is 2.0.1.",
            "The current version is 1.4.0.",
        ),
        (
            "It requires Python 3.8 or newer.",
            "It requires Python 3.10 or newer.",
        ),
        ("The project is licensed under the MIT license.", ""),
        (
            "`HmacAlgorithm` extends `Signer` (`src/parcel/sign.py:12`).",
            "`HmacAlgorithm` extends `Algorithm` (`src/parcel/sign.py:12`).",
        ),
        (
            "`BadTime` is a subclass of `Algorithm`.",
            "`BadTime` is a subclass of `BadSeal`.",
        ),
        ("`src/parcel/sign.py` imports `hashlib`.", ""),
        ("`src/parcel/errors.py` imports `src/parcel/sign.py`.", ""),
        ("`Signer.rotate_keys()` replaces the key.", ""),
        ("The function `open_sealed` checks a seal.", ""),
        (
            "`Signer` keeps seals in the class `SealCache` (`src/parcel/sign.py:17`).",
            "",
        ),
        (
            "`verify_seal` calls `load_keyring` (`src/parcel/sign.py:21`).",
            "",
        ),
        ("`max_age` is 90 seconds (`src/parcel/sign.py:18`).", ""),
        ("Seals are kept in `src/parcel/cache.py:7`.", ""),
        ("It depends on `cryptography` 41.0.", ""),
        ("There are 4 test files.", "There are 2 test files."),
    ];
    let texts: Vec<&str> = planted.iter().map(|(text, _)| *text).collect();
    let wanted = planted.map(|(text, kept)| (text.to_owned(), kept.to_owned()));
    assert_eq!(changed(&texts), wanted);
}

#[test]
fn no_true_sentence_is_changed() {
    let kept = [
        "The current version is 1.4.0.",
        "Version 1.2 added `BadTime`.",
        "The current version of the protocol is 3.1.",
        "It requires Python 3.10 or newer.",
        "The documentation build requires Python 3.12 or newer.",
        "The `match` statement needs Python 3.10 at least.",
        "The project is licensed under BSD-3-Clause.",
        "The bundled `zlib` has the MIT license.",
        "`BadTime` is a subclass of `BadData`, by way of `BadSeal` (`src/parcel/errors.py:12`).",
        "`BadData` extends `Exception`.",
        "`Odd` extends `Root` under another name (`src/parcel/errors.py:16`).",
        "`BadSeal` does not extend `ValueError`.",
        "`src/parcel/sign.py` imports `hmac` (`src/parcel/sign.py:1`).",
        "`src/parcel/every.py` imports `Algorithm`.",
        "`Signer.verify_seal()` raises `BadSeal` (`src/parcel/sign.py:21-23`).",
        "`Order.model_dump()` gives a dictionary.",
        "`Label.to_json()` is added by the decorator (`src/parcel/models.py:9`).",
        "`Loose.any_name()` answers with its name (`src/parcel/models.py:13`).",
        "`httpx.AsyncClient` sends requests.",
        "It resembles the class `ThreadPoolExecutor` of the standard library.",
        "It resembles the class `ThreadPoolExecutor` (`src/parcel/sign.py:17`).",
        "`ThreadPoolExecutor` is not used (`src/parcel/sign.py:17`).",
        "A class `SealCache` could keep seals.",
        "There is no function `open_sealed`.",
        "`max_age` is 30 seconds (`src/parcel/sign.py:18`).",
        "`max_age` is less than 90 seconds (`src/parcel/sign.py:18`).",
        "`max_age` is half a minute (`src/parcel/sign.py:18`).",
        "`retry_limit` is 5 (`src/parcel/sign.py:19`).",
        "`TIMEOUT` is 14 days (`src/parcel/every.py:4`).",
        "Seals use `sha1` (`src/parcel/sign.py:14`).",
        "There is 1 test file.",
        "Callers may pass a subclass such as `BlakeAlgorithm`.",
    ];
    assert_eq!(changed(&kept), []);
}

#[test]
fn names_that_a_build_makes_are_no_inventions() {
    let folder = tree(&[
        (
            "api/user.proto",
            "syntax = \"proto3\";\nservice UserService {}\n",
        ),
        (
            "src/client.py",
            "class Client:\n    def open(self):\n        pass\n",
        ),
    ]);
    let facts = facts(folder.path());
    let text = "The class `UserServiceStub` calls the server (`api/user.proto:2`).";
    assert_eq!(check(text, &Lookup::new(&facts)).0, text);
}
