//! Sentences as models write them, against one code base of several languages: what is true stays as it was written,
//! what is plainly false is put right or goes, and what may be either stays.

use superstep_docgen::{claims::check, facts::Lookup};
use tempfile::TempDir;

use crate::support::{facts, tree};

/// 25 files in 19 folders with 165 lines; Python is 5 files with 48 lines, Go 2 with 21, Rust 4 with 24.
fn monorepo() -> TempDir {
    tree(&[
        ("README.md", "# Shop\n\nA shop with services.\n"),
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]\n\n[workspace.dependencies]\nserde = \"1.0\"\n",
        ),
        (
            "Cargo.lock",
            "[[package]]\nname = \"serde\"\nversion = \"1.0.203\"\n",
        ),
        (
            "crates/core/Cargo.toml",
            "[package]\nname = \"shop-core\"\nversion = \"0.1.0\"\n\n[dependencies]\nserde.workspace = true\n",
        ),
        (
            "crates/core/src/lib.rs",
            "//! Core of the shop.\npub mod price;\npub mod tax;\n\npub trait Priced {\n    fn price(&self) -> u64;\n}\n",
        ),
        (
            "crates/core/src/price.rs",
            "use crate::tax::rate;\nuse crate::Priced;\n\npub struct Price { pub cents: u64 }\n\nimpl Priced for Price {\n    \
             fn price(&self) -> u64 { self.cents * rate() }\n}\n",
        ),
        (
            "crates/core/src/tax.rs",
            "use crate::price::Price;\n\n/// The rate.\npub fn rate() -> u64 { 2 }\n\npub fn tax(p: &Price) -> u64 { p.cents }\n",
        ),
        (
            "crates/cli/Cargo.toml",
            "[package]\nname = \"shop-cli\"\nversion = \"0.1.0\"\n\n[dependencies]\nshop-core = { path = \"../core\" }\n",
        ),
        (
            "crates/cli/src/main.rs",
            "use shop_core::Priced;\n\nfn main() {}\n",
        ),
        (
            "go/go.mod",
            "module example.com/ship\n\ngo 1.22\n\nrequire github.com/gin-gonic/gin v1.10.0\n",
        ),
        (
            "go/cmd/ship/main.go",
            "package main\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc main() { gin.Default() }\n",
        ),
        (
            "go/internal/track/track.go",
            "// Package track follows parcels.\npackage track\n\nimport \"errors\"\n\nvar ErrLost = errors.New(\"lost\")\n\n\
             type Tracker struct{ ID string }\n\ntype Finder interface {\n\tFind(id string) (*Tracker, error)\n}\n\n\
             func New(id string) *Tracker { return &Tracker{ID: id} }\n\n\
             func (t *Tracker) Find(id string) (*Tracker, error) { return nil, ErrLost }\n",
        ),
        (
            "native/util.c",
            "#include \"util.h\"\n#include <stdio.h>\n\nint util_add(int a, int b) { return a + b; }\n",
        ),
        (
            "native/util.h",
            "#ifndef UTIL_H\n#define UTIL_H\nstruct buf { int n; };\nint util_add(int a, int b);\n#endif\n",
        ),
        (
            "services/orders/pyproject.toml",
            "[project]\nname = \"orders\"\nversion = \"1.2.0\"\ndependencies = [\"fastapi>=0.110,<1\", \"httpx==0.27.0\"]\n",
        ),
        (
            "services/orders/src/orders/billing.py",
            "from .models import Order\nfrom .store import OrderStore\n\n\nclass Invoice:\n    def __init__(self, order: Order):\n        \
             self.order = order\n\n\ndef bill(order: Order, store: OrderStore) -> Invoice:\n    return Invoice(order)\n",
        ),
        (
            "services/orders/src/orders/main.py",
            "from fastapi import FastAPI\n\nfrom .store import OrderStore\n\napp = FastAPI()\nstore = OrderStore()\n\ndef run():\n    import uvicorn\n    open('config.json')\n",
        ),
        (
            "services/orders/src/orders/models.py",
            "class Order:\n    id: int\n",
        ),
        (
            "services/orders/src/orders/store.py",
            "from .models import Order\nfrom . import billing\n\n\nclass StoreError(Exception):\n    pass\n\n\n\
             class NotFound(StoreError):\n    pass\n\n\nclass OrderStore:\n    def get(self, order_id: int) -> Order:\n        \
             raise NotFound(order_id)\n\n    def save(self, order: Order) -> None:\n        \
             billing.bill(order, self)\n",
        ),
        (
            "services/orders/tests/test_store.py",
            "import pytest\nfrom orders.store import OrderStore, NotFound\n\n\ndef test_get():\n    with pytest.raises(NotFound):\n        \
             OrderStore().get(1)\n",
        ),
        (
            "web/app/package.json",
            "{\n  \"name\": \"@shop/app\",\n  \"version\": \"0.3.0\",\n  \"main\": \"dist/index.js\",\n  \"dependencies\": {\n    \
             \"express\": \"^4.19.0\",\n    \"react\": \"^18.3.0\"\n  },\n  \"devDependencies\": {\n    \"vitest\": \"^1.6.0\"\n  }\n}\n",
        ),
        (
            "web/app/package-lock.json",
            "{\"packages\": {\"node_modules/express\": {\"version\": \"4.19.2\"}, \"node_modules/react\": {\"version\": \"18.3.1\"}, \
             \"node_modules/vitest\": {\"version\": \"1.6.0\"}}}\n",
        ),
        (
            "web/app/src/cart.ts",
            "export class CartError extends Error {}\n\nexport class Cart {\n  add(): void {}\n}\n",
        ),
        (
            "web/app/src/index.ts",
            "import express from \"express\";\nimport { makeRouter } from \"./router\";\n\nconst app = express();\napp.use(makeRouter());\n",
        ),
        (
            "web/app/src/router.ts",
            "import { Router } from \"express\";\nimport { Cart } from \"./cart\";\n\nexport function makeRouter(): Router {\n  \
             const r = Router();\n  r.get(\"/cart\", (req, res) => res.json(new Cart()));\n  return r;\n}\n",
        ),
    ])
}

/// Checks each text alone, below a heading; `=` is a text that stays as it is, with nothing refuted.
fn judged(table: &[(&str, &str)]) {
    let folder = monorepo();
    let facts = facts(folder.path());
    let lookup = Lookup::new(&facts);
    let mut wrong = Vec::new();
    for (text, right) in table {
        let (kept, it) = check(&format!("## A\n\nAnchor.\n\n{text}\n"), &lookup);
        let kept = kept
            .trim_start_matches("## A\n\nAnchor.\n")
            .trim_matches('\n');
        let is_same = *right == "=";
        let right = if is_same { text } else { right };
        if kept != *right || (it.fixed + it.removed > 0) == is_same {
            wrong.push(format!("{text}\n  {kept}\n  {it:?}"));
        }
        let sum = it.verified + it.fixed + it.removed + it.unverified;
        assert_eq!(it.made, sum, "{text}: {it:?}");
    }
    assert!(wrong.is_empty(), "{:?}\n{}", facts.counts, wrong.join("\n"));
}

/// How many claims of a text were made, verified and unverified; nothing may be refuted.
fn confirmed(table: &[(&str, u32, u32)]) {
    let folder = monorepo();
    let facts = facts(folder.path());
    let lookup = Lookup::new(&facts);
    for (text, verified, unverified) in table {
        let (kept, it) = check(text, &lookup);
        assert_eq!(kept, *text);
        assert_eq!(
            (it.verified, it.unverified),
            (*verified, *unverified),
            "{text}: {it:?}"
        );
    }
}

#[test]
fn a_version_that_is_not_said_to_be_in_use_stays() {
    judged(&[
        ("CVE-2024-29041 concerns `express` 4.19.1 and older.", "="),
        (
            "`express` 4.18.3 is vulnerable, the locked one is not.",
            "=",
        ),
        ("Upgrade `express` to 5.0.0.", "="),
        ("Do not upgrade `express` to 5.0.0 yet.", "="),
        ("Since `react` 16.8 there are hooks.", "="),
        ("The newest `express` is 5.1.0.", "="),
        ("`express` was 4.18.0 before.", "="),
        ("Move to `react` 19.0.0.", "="),
        ("Pin `httpx` to 0.27.2.", "="),
        ("`express` 5.0.0 would break `makeRouter`.", "="),
        ("Migrate from `express` 4.19.2 to 5.0.0.", "="),
        ("Hooks came in `react` 16.8.", "="),
        ("Is `express` 5.0.0 in use?", "="),
        ("Support for `express` 5.0.0 is missing.", "="),
        ("`express@5` is out.", "="),
        ("`express` 3.0 style handlers are there.", "="),
        ("The next version of `shop-core` is 0.2.0.", "="),
        ("`react` 17 is supported upstream.", "="),
        ("Bring `express` to 5.0.1.", "="),
        (
            "`express` 4.19.2 is one patch behind `express` 4.19.3.",
            "=",
        ),
        ("`express` 5 handlers share a router.", "="),
        (
            "| package | version | latest |\n|---|---|---|\n| `express` | 4.19.2 | 5.1.0 |",
            "=",
        ),
        (
            "| package | recommended version |\n|---|---|\n| `express` | 5.1.0 |",
            "=",
        ),
        (
            "## Recommendations\n\n- `express` 5.1.0: errors of promises",
            "=",
        ),
    ]);
}

#[test]
fn a_version_that_is_plainly_said_to_be_in_use_is_put_right() {
    judged(&[
        (
            "`express` 5 is the web framework.",
            "`express` 4.19.2 is the web framework.",
        ),
        ("The app uses Express 5.", "The app uses Express 4.19.2."),
        ("The app uses `react` 17.", "The app uses `react` 18.3.1."),
        (
            "| dependency | version |\n|---|---|\n| `express` | 5 |",
            "| dependency | version |\n|---|---|\n| `express` | 4.19.2 |",
        ),
        (
            "| Package | Version |\n|---|---|\n| express | 5 |",
            "| Package | Version |\n|---|---|\n| express | 4.19.2 |",
        ),
        (
            "The app depends on `express` 4.18.0.",
            "The app depends on `express` 4.19.2.",
        ),
        (
            "`express` is locked to 4.18.0.",
            "`express` is locked to 4.19.2.",
        ),
        (
            "| package | version | latest |\n|---|---|---|\n| `express` | 4.18.0 | 5.1.0 |",
            "| package | version | latest |\n|---|---|---|\n| `express` | 4.19.2 | 5.1.0 |",
        ),
        ("- **`express`** — 4.18.0", "- **`express`** — 4.19.2"),
        ("- Express: 4.18.0", "- Express: 4.19.2"),
        ("`fastapi` 1 is used.", "`fastapi` >=0.110,<1 is used."),
    ]);
    confirmed(&[
        ("`express` 4 is the web framework.", 2, 0),
        ("The app uses React 18.", 1, 0),
        ("`express` 4.19.2 is vulnerable.", 2, 0),
        ("`express` 5.0.0 would be next.", 1, 1),
    ]);
}

#[test]
fn a_number_of_a_part_stays() {
    judged(&[
        (
            "The project has 2 Go files with 21 lines and 4 Rust files with 24 lines.",
            "=",
        ),
        (
            "The repository has 5 files in Python, 4 in Rust and 2 in Go.",
            "=",
        ),
        ("The project has 48 lines of Python.", "="),
        (
            "The code base has 25 files, of which 1 file is a test.",
            "=",
        ),
        (
            "The code base has 25 files, of which 2 files are large.",
            "=",
        ),
        (
            "The project has 1 dependencies that are for development.",
            "=",
        ),
        ("The project has 3 marks in 3 files.", "="),
        ("The project has twelve files larger than 10 lines.", "="),
        (
            "The code base has 30 symbols, 16 symbols being functions.",
            "=",
        ),
        ("The code base has 19 folders, 5 folders at the top.", "="),
        ("This repository contains 3 files that mention `Cart`.", "="),
        (
            "The code base has 19 folders with at most 9 files each.",
            "=",
        ),
        ("The project has only two dependencies in Rust.", "="),
        (
            "The system consists of three components: a web app, a service and a tool.",
            "=",
        ),
        ("The web app is in TypeScript. It has 5 files.", "="),
        ("The web app is small. There are 5 files.", "="),
        ("The project has a web app. It has 5 files.", "="),
        ("The repository contains tests. There are 2 files.", "="),
        ("- (5 files)", "="),
        ("The web app:\n\n- Files: 5\n- Lines: 31", "="),
        ("### Web app\n\nThere are 5 files.", "="),
        ("- **Web app**: 5 files", "="),
        ("- The service\n  - Files: 6", "="),
        ("The web part of the project has 5 files.", "="),
        ("Each project has 5 files.", "="),
        ("The project has 2 crates.", "="),
        ("The project has about 24 files.", "="),
        ("The project has 3 other files.", "="),
        ("The project has 1 C files.", "="),
        ("The project has 5 dependencies.", "="),
        ("`Cart` is in all 3 files.", "="),
        ("## Backend\n\nThere are 6 files.", "="),
        ("**Web app**\n\n- Files: 5", "="),
        ("The web app is small.\n\n- Files: 5\n- Lines: 31", "="),
        ("The project has 25 files and folders.", "="),
        ("| part | files |\n|---|---|\n| web | 5 |", "="),
        ("| what | web | go |\n|---|---|---|\n| Files | 5 | 3 |", "="),
        ("| what | web |\n|---|---|\n| Files | 5 |", "="),
        ("With 5 files, the web app is small.", "="),
        ("The project has 100 lines of code.", "="),
        ("The project has 20 folders.", "="),
        ("The project has 33 symbols in 9 files.", "="),
    ]);
    confirmed(&[
        (
            "The repository has 5 files in Python, 4 in Rust and 2 in Go.",
            1,
            0,
        ),
        ("The project has 48 lines of Python.", 1, 0),
        (
            "The code base has 25 files, of which 2 files are large.",
            1,
            1,
        ),
        ("The code base has 25 files in packages.", 0, 1),
    ]);
}

#[test]
fn a_number_that_is_plainly_of_all_is_put_right_however_it_is_written() {
    judged(&[
        (
            "**Size**: There are 52 files.",
            "**Size**: There are 25 files.",
        ),
        ("- **Files**: 52", "- **Files**: 25"),
        ("Total number of files: 52.", "Total number of files: 25."),
        ("| Files | 52 |", "| Files | 25 |"),
        (
            "| Metric | Value |\n|---|---|\n| Files | 52 |\n| Go files | 9 |",
            "| Metric | Value |\n|---|---|\n| Files | 25 |\n| Go files | 2 |",
        ),
        ("The project has `52` files.", "The project has `25` files."),
        (
            "It is small (52 files, 900 lines).",
            "It is small (25 files, 165 lines).",
        ),
        ("With 52 files, it is small.", "With 25 files, it is small."),
        (
            "There are 52 files; see below.",
            "There are 25 files; see below.",
        ),
        ("**There are 52 files.**", "**There are 25 files.**"),
        (
            "The project has **52** files.",
            "The project has **25** files.",
        ),
        (
            "The project is a shop. It has 52 files.",
            "The project is a shop. It has 25 files.",
        ),
        (
            "There are 52 files in the repository.",
            "There are 25 files in the repository.",
        ),
        (
            "The project has 25 files with 900 lines.",
            "The project has 25 files with 165 lines.",
        ),
        (
            "The project has 25 files in 3 folders.",
            "The project has 25 files in 19 folders.",
        ),
        (
            "The project has 9,000 lines of code.",
            "The project has 120 lines of code.",
        ),
        ("The project has 9 Go files.", "The project has 2 Go files."),
        (
            "The project has 70 lines of Python.",
            "The project has 48 lines of Python.",
        ),
        (
            "The project has 5 test files.",
            "The project has 1 test files.",
        ),
        (
            "The project has about five hundred files.",
            "The project has about 25 files.",
        ),
    ]);
}

#[test]
fn what_was_wrong_names_what_is_counted() {
    let folder = monorepo();
    let facts = facts(folder.path());
    let text =
        "The project has 9 Go files. The project has 5 test files. The project has 52 files.";
    let (_, report) = check(text, &Lookup::new(&facts));
    let why: Vec<&str> = report.problems.iter().map(|it| it.why.as_str()).collect();
    assert_eq!(
        why,
        [
            "there are 2 Go files", "there are 1 test files", "there are 25 files"
        ]
    );
}

#[test]
fn the_place_of_a_use_stays_and_that_of_a_definition_is_put_right() {
    judged(&[
        (
            "The call of `bill` is at `services/orders/src/orders/store.py:18`.",
            "=",
        ),
        (
            "Tests of `OrderStore` are at `services/orders/tests/test_store.py:7`.",
            "=",
        ),
        (
            "The only user of `OrderStore` is at `services/orders/src/orders/main.py:6`.",
            "=",
        ),
        ("`util_add` is declared at `native/util.h:4`.", "="),
        ("`util_add` is declared in `native/util.h`.", "="),
        (
            "`Find` is declared at `go/internal/track/track.go:11`.",
            "=",
        ),
        (
            "`Priced` is implemented at `crates/core/src/price.rs:6`.",
            "=",
        ),
        (
            "`Priced` is implemented in `crates/core/src/price.rs`.",
            "=",
        ),
        ("`crates/core/src/price.rs:6` implements `Priced`.", "="),
        (
            "The registration of `makeRouter` is at `web/app/src/index.ts:5`.",
            "=",
        ),
        ("`Cart` is at `web/app/src/router.ts:6`.", "="),
        (
            "The method `Find` is at `go/internal/track/track.go:11`.",
            "=",
        ),
        ("`Cart` is found at `web/app/src/router.ts:6`.", "="),
        (
            "A check for `NotFound` is in `services/orders/tests/test_store.py:6`.",
            "=",
        ),
        (
            "The definition of `makeRouter` is at `web/app/src/index.ts:5`.",
            "The definition of `makeRouter` is at `web/app/src/router.ts:4`.",
        ),
        (
            "`makeRouter` is defined at `web/app/src/index.ts:5`.",
            "`makeRouter` is defined at `web/app/src/router.ts:4`.",
        ),
        (
            "`Priced` is defined at `crates/core/src/price.rs:6`.",
            "`Priced` is defined at `crates/core/src/lib.rs:5`.",
        ),
        (
            "`bill` is declared at `services/orders/src/orders/store.py:18`.",
            "`bill` is declared at `services/orders/src/orders/billing.py:10`.",
        ),
        (
            "The trait `Priced` is in `crates/core/src/price.rs:6`.",
            "The trait `Priced` is in `crates/core/src/lib.rs:5`.",
        ),
        (
            "`bill` is in `services/orders/src/orders/models.py`.",
            "`bill` is in `services/orders/src/orders/billing.py`.",
        ),
        (
            "`Priced` is implemented at `crates/cli/src/main.rs:1`.",
            "`Priced` is implemented at `crates/core/src/lib.rs:5`.",
        ),
    ]);
    confirmed(&[
        (
            "The call of `bill` is at `services/orders/src/orders/store.py:18`.",
            2,
            0,
        ),
        (
            "The call of `bill` is at `services/orders/src/orders/store.py:5`.",
            0,
            2,
        ),
        ("`util_add` is declared at `native/util.h:4`.", 2, 0),
        (
            "`Find` is declared at `go/internal/track/track.go:11`.",
            2,
            0,
        ),
    ]);
}

#[test]
fn a_wrong_kind_of_a_name_costs_its_sentence_however_it_is_said() {
    judged(&[
        ("`makeRouter` is a class.", ""),
        (
            "`Tracker` is a function in `go/internal/track/track.go:8`.",
            "",
        ),
        (
            "The `makeRouter` class is at `web/app/src/router.ts:4`.",
            "",
        ),
        ("`Priced` is a function.", ""),
        (
            "The `Tracker` function (`go/internal/track/track.go:8`) tracks.",
            "",
        ),
        ("The class `makeRouter` routes.", ""),
        ("`makeRouter` is a small exported class that routes.", ""),
        ("`makeRouter` is a function.", "="),
        ("The `Tracker` type tracks.", "="),
        ("`makeRouter` is not a class.", "="),
        ("`bill` is a type of call.", "="),
        ("`makeRouter` is a class factory.", "="),
        ("The `bill` type annotation is there.", "="),
        ("`Priced` is an interface.", "="),
        (
            "The `Priced` method `price` is in `crates/core/src/lib.rs:6`.",
            "=",
        ),
    ]);
}

#[test]
fn a_dependency_or_a_path_that_is_not_there_goes() {
    judged(&[
        ("`crates/core/src/tax.rs` depends on `tokio` 1.38.", ""),
        ("The service depends on `tokio` 1.38.", ""),
        ("The crate `shop-core` uses `tokio` and `serde`.", ""),
        ("`web/app/src/index.ts` imports `lodash`.", ""),
        (
            "| Package | Version |\n|---|---|\n| redis | 4.6.0 |",
            "| Package | Version |\n|---|---|",
        ),
        ("Settings are in config/settings.yaml.", ""),
        ("The `config/` folder holds settings.", ""),
        ("`web/admin` holds pages.", ""),
        ("See `src/ghost.rs` for it.", ""),
        ("The service reads `settings.json`.", ""),
        ("The crate `shop-core` uses `serde`.", "="),
        ("The crate `shop-core` uses `impl` and `Price`.", "="),
        ("`web/app/src/router.ts` imports `Router`.", "="),
        ("`crates/core/src/tax.rs` depends on `rate`.", "="),
        ("| Language | Version |\n|---|---|\n| Python | 3.11 |", "="),
        ("The `services/` folder holds `orders`.", "="),
        ("The package `orders.store` keeps orders.", "="),
        ("Run `cp config/a.yaml config/b.yaml` first.", "="),
        ("Clients send `application/json` to `/api/orders/`.", "="),
        (
            "See https://example.com/docs/x.md and example.com/docs/y.md.",
            "=",
        ),
        (
            "Files such as config/local.yaml are read, e.g. at the start.",
            "=",
        ),
    ]);
}

#[test]
fn what_is_not_there_may_be_advised_missed_or_made_by_the_build() {
    judged(&[
        ("All `.ts` files are formatted.", "="),
        (
            "All `*.ts`, `src/**/*.ts` and `.test.ts` files are formatted.",
            "=",
        ),
        (
            "`dist/index.js` is what `web/app/package.json:4` names as main.",
            "=",
        ),
        ("Add `helmet` as a dependency.", "="),
        ("Create `docs/ADR.md`.", "="),
        ("Add a file `web/app/src/session.ts` for sessions.", "="),
        ("Consider the package `helmet` for headers.", "="),
        ("The settings should be in `config/settings.yaml`.", "="),
        ("There is no `docs/ADR.md`.", "="),
        ("`web/app/src/old.ts` was removed.", "="),
        ("The file `CONTRIBUTING.md` does not exist.", "="),
        ("Checks run by `.github/workflows/ci.yml`.", "="),
        ("The `node_modules/` folder is made by npm.", "="),
        ("The app starts `dist/index.js`.", "="),
        ("It no longer depends on `lodash`.", "="),
        ("The crate `tokio` is not used.", "="),
        ("Reports are written to `data/report.json`.", "="),
        ("The service reads `config.json`.", "="),
        ("`express/lib/router.js` is loaded.", "="),
        ("`settings.toml` is not in the repository.", "="),
        (
            "| Package | Suggested version |\n|---|---|\n| helmet | 7.1.0 |\n| `csurf` | 1.11.0 |",
            "=",
        ),
        ("`cargo` 1.80.0 builds it.", "="),
        ("| Tool | Version |\n|---|---|\n| `cargo` | 1.80.0 |", "="),
        ("`pydantic` is an indirect dependency.", "="),
        ("It depends on `uvicorn`, which a function imports.", "="),
        (
            "Tests belong into `services/orders/tests/test_billing.py`.",
            "=",
        ),
        // A line of a file that is not there is no advice.
        (
            "The check at `web/app/src/session.ts:9` should be tested.",
            "",
        ),
    ]);
    confirmed(&[(
        "`dist/index.js` is what `web/app/package.json:4` names as main.",
        2,
        0,
    )]);
}
