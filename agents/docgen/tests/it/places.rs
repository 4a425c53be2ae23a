//! What is cited: names, definitions, lines.

use superstep_docgen::{claims::check, facts::Lookup};
use tempfile::TempDir;

use crate::support::{facts, tree};

/// A shop in Python that uses libraries: `charge` is payments.py:6, `Cart` models.py:4, `PaymentFailed` errors.py:8.
fn shop() -> TempDir {
    tree(&[
        (
            "shop/errors.py",
            "\"\"\"Errors.\"\"\"\n\n\nclass ShopError(Exception):\n    pass\n\n\nclass PaymentFailed(ShopError):\n    pass\n",
        ),
        (
            "shop/models.py",
            "from .errors import ShopError\n\n\nclass Cart:\n    def total(self):\n        return sum(self.items)\n\n    def clear(self):\n        self.items = []\n",
        ),
        (
            "shop/payments.py",
            "import requests\nfrom .errors import PaymentFailed\n\nKEY = 1\n\ndef charge(cents):\n    r = requests.post('x')\n    r.raise_for_status()\n    return r.json()\n\ndef refund(): return 1\n",
        ),
        (
            "pyproject.toml",
            "[project]\nname = \"shop\"\ndependencies = [\"requests>=2.31\"]\n\n[build-system]\nrequires = [\"setuptools>=68\"]\n\n[tool.mypy]\nplugins = [\"numpy\"]\n",
        ),
        (
            "poetry.lock",
            "[[package]]\nname = \"urllib3\"\nversion = \"2.2.1\"\n",
        ),
    ])
}

/// Checks each text and says what is left, with how many claims were verified, fixed, removed, unverified.
fn judged(table: &[(&str, &str, [u32; 4])]) {
    let folder = shop();
    let facts = facts(folder.path());
    let lookup = Lookup::new(&facts);
    for (text, right, counts) in table {
        let (kept, it) = check(text, &lookup);
        let right = if *right == "=" { text } else { right };
        let seen = [it.verified, it.fixed, it.removed, it.unverified];
        assert_eq!((kept.as_str(), seen), (*right, *counts), "{text}: {it:?}");
        assert_eq!(it.made, seen.iter().sum::<u32>(), "{text}");
    }
}

#[test]
fn what_is_called_and_not_defined_here_is_verified_where_its_line_has_it_and_never_refuted() {
    judged(&[
        (
            "- `r.raise_for_status()` fails on 404 (`shop/payments.py:8`).",
            "=",
            [2, 0, 0, 0],
        ),
        (
            "`r.json()` reads it (`shop/payments.py:9`).",
            "=",
            [2, 0, 0, 0],
        ),
        (
            "`sum()` adds prices (`shop/models.py:6`).",
            "=",
            [2, 0, 0, 0],
        ),
        ("`print()` may be called.", "=", [0, 0, 0, 1]),
        (
            "`frobnicate()` is called by it (`shop/models.py:6`).",
            "=",
            [0, 0, 0, 2],
        ),
        (
            "The function `post()` of requests is called (`shop/payments.py:7`).",
            "=",
            [2, 0, 0, 0],
        ),
    ]);
}

#[test]
fn a_dependency_of_a_lock_file_or_of_the_build_is_one() {
    judged(&[
        (
            "The dependency `setuptools` builds it (`pyproject.toml:6`).",
            "=",
            [2, 0, 0, 0],
        ),
        (
            "`urllib3` 2.2.1 is locked (`poetry.lock`).",
            "=",
            [3, 0, 0, 0],
        ),
        // A manifest has the word, in a part that is not read.
        ("It depends on `numpy` for types.", "=", [0, 0, 0, 1]),
        ("It depends on `pandas` for types.", "", [0, 0, 1, 0]),
    ]);
}

#[test]
fn a_definition_is_verified_where_it_is_and_put_right_where_it_is_not() {
    judged(&[
        (
            "`charge` is defined in `shop/payments.py:6`.",
            "=",
            [2, 0, 0, 0],
        ),
        (
            "`charge` is defined in `shop/models.py:3`.",
            "`charge` is defined in `shop/payments.py:6`.",
            [1, 1, 0, 0],
        ),
        (
            "The function `charge` defined at `shop/errors.py:8`.",
            "The function `charge` defined at `shop/payments.py:6`.",
            [1, 1, 0, 0],
        ),
        (
            "`PaymentFailed` is at `shop/errors.py:1`.",
            "`PaymentFailed` is at `shop/errors.py:8`.",
            [1, 1, 0, 0],
        ),
        // It is used there and defined elsewhere.
        (
            "`PaymentFailed` is declared at `shop/payments.py:2`.",
            "`PaymentFailed` is declared at `shop/errors.py:8`.",
            [1, 1, 0, 0],
        ),
        (
            "`PaymentFailed` is imported at `shop/payments.py:2`.",
            "=",
            [2, 0, 0, 0],
        ),
        (
            "`Cart` is defined in `shop/errors.py`.",
            "`Cart` is defined in `shop/models.py`.",
            [1, 1, 0, 0],
        ),
        (
            "`shop/errors.py:4` defines `PaymentFailed`.",
            "`shop/errors.py:8` defines `PaymentFailed`.",
            [1, 1, 0, 0],
        ),
        (
            "| `Cart` | `shop/models.py:2` |",
            "| `Cart` | `shop/models.py:4` |",
            [1, 1, 0, 0],
        ),
        // Within it is about it; behind it is not.
        (
            "`charge` asks again (`shop/payments.py:8`).",
            "=",
            [2, 0, 0, 0],
        ),
        (
            "`charge` asks again (`shop/payments.py:11`).",
            "=",
            [0, 0, 0, 2],
        ),
        (
            "The class `Cart` is implemented in `shop/cart/cart.py:9`.",
            "The class `Cart` is implemented in `shop/models.py:4`.",
            [1, 1, 0, 0],
        ),
        (
            "`refund` is located at `shop/payments.py:4`.",
            "`refund` is located at `shop/payments.py:11`.",
            [1, 1, 0, 0],
        ),
        (
            "`Cart` and `PaymentFailed` (`shop/errors.py:8`) differ.",
            "=",
            [2, 0, 0, 1],
        ),
    ]);
}

#[test]
fn what_is_defined_nowhere_is_taken_out_where_a_place_says_that_it_is() {
    judged(&[
        (
            "The class `RefundError` is defined in `shop/errors.py`.",
            "",
            [1, 0, 1, 0],
        ),
        (
            "`RefundError` is defined at `shop/errors.py:8`.",
            "",
            [0, 0, 1, 1],
        ),
        (
            "`Basket` is defined at `shop/models.py:4`.",
            "",
            [0, 0, 1, 1],
        ),
        (
            "`Basket` is not defined in `shop/models.py`.",
            "=",
            [1, 0, 0, 1],
        ),
        // The facts have no variables: the file does.
        (
            "`KEY` is defined at `shop/payments.py:4`.",
            "=",
            [1, 0, 0, 1],
        ),
    ]);
}

#[test]
fn a_line_behind_the_end_of_a_file_is_never_verified_however_it_is_written() {
    judged(&[
        ("See `shop/models.py:4-6`.", "=", [1, 0, 0, 0]),
        (
            "See `shop/models.py:5-9999`.",
            "See `shop/models.py:5`.",
            [0, 1, 0, 0],
        ),
        (
            "See `shop/models.py:9-2`.",
            "See `shop/models.py`.",
            [0, 1, 0, 0],
        ),
        (
            "See `shop/models.py#L18`.",
            "See `shop/models.py`.",
            [0, 1, 0, 0],
        ),
        ("See `shop/models.py#L8`.", "=", [1, 0, 0, 0]),
        (
            "See `shop/models.py:99999999999`.",
            "See `shop/models.py`.",
            [0, 1, 0, 0],
        ),
        (
            "See `shop/models.py:L23`, or `./shop/models.py:23:5`.",
            "See `shop/models.py`, or `shop/models.py`.",
            [0, 2, 0, 0],
        ),
        (
            "See `shop/models.py` at line 9999.",
            "See `shop/models.py`.",
            [0, 1, 0, 0],
        ),
        (
            "See `shop/models.py`:9999.",
            "See `shop/models.py`.",
            [0, 1, 0, 0],
        ),
        (
            "`Cart` is at `shop/models.py:35`.",
            "`Cart` is at `shop/models.py:4`.",
            [1, 1, 0, 0],
        ),
        (
            "`Cart` holds items (`shop/models.py:35`).",
            "`Cart` holds items (`shop/models.py:4`).",
            [1, 1, 0, 0],
        ),
    ]);
}

#[test]
fn an_invented_path_is_found_in_every_dress() {
    judged(&[
        ("It is in shop/ghost.py now.", "", [0, 0, 1, 0]),
        ("It is in **shop/ghost.py**.", "", [0, 0, 1, 0]),
        ("It is in *shop/ghost.py:3*.", "", [0, 0, 1, 0]),
        ("It is in `shop/ghost.py `.", "", [0, 0, 1, 0]),
        ("It is in `the file shop/ghost.py:3`.", "", [0, 0, 1, 0]),
        (
            "Written in Vue.js/React.js, and/or text.",
            "=",
            [0, 0, 0, 0],
        ),
    ]);
}

#[test]
fn a_list_item_loses_the_sentence_that_is_wrong_and_no_other() {
    judged(&[
        (
            "- See `lib/errors.rb:3` for the rest. The class `Cart` is right.",
            "- The class `Cart` is right.",
            [1, 0, 1, 0],
        ),
        (
            "1. See `lib/errors.rb:3`.\n2. Right.",
            "2. Right.",
            [0, 0, 1, 0],
        ),
    ]);
}

#[test]
fn how_long_a_file_is_and_how_much_there_is_is_put_right() {
    judged(&[
        (
            "`shop/models.py` has 340 lines.",
            "`shop/models.py` has 9 lines.",
            [1, 1, 0, 0],
        ),
        ("There are 500 files.", "There are 5 files.", [0, 1, 0, 0]),
        (
            "It has 12 folders and 5 files.",
            "It has 1 folders and 5 files.",
            [1, 1, 0, 0],
        ),
        ("The error pages are 5 files.", "=", [0, 0, 0, 1]),
        (
            "- The error pages are 2 files. In total 19 files.",
            "- The error pages are 2 files. In total 5 files.",
            [0, 1, 0, 1],
        ),
    ]);
}
