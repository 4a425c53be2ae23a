//! Demo of the documentation agents: facts of a small code base, and one agent that refines its page.

use super::Scene;

pub(super) const SCENE: Scene = Scene {
    about: "documents a code base; what it claims is checked against facts",
    files: &[
        (
            "shop/pyproject.toml",
            b"[project]\nname = \"shop\"\nversion = \"0.3.0\"\ndependencies = [\"requests>=2.31\"]\n",
        ),
        (
            "shop/shop/cart.py",
            b"class Cart:\n    def total(self):\n        return sum(self.items)  # HACK: no discounts\n",
        ),
        (
            "shop/shop/main.py",
            b"from shop.cart import Cart\n\ndef main():\n    print(Cart().total())\n",
        ),
        ("replies.jsonl", include_bytes!("docs.jsonl")),
    ],
    commands: &[
        (
            "facts alone, without a model",
            "docs ./shop --no-model --agents file-structure,dependency-analyzer",
        ),
        (
            "an agent writes, grades itself, asks, refines; a file that it invents is taken out",
            "docs ./shop --agents architecture-analyzer --model script:./replies.jsonl",
        ),
        (
            "how the page came about",
            "docs show architecture-analyzer --path ./shop",
        ),
        (
            "again: nothing changed, so nothing is asked",
            "docs ./shop --agents architecture-analyzer --model script:./replies.jsonl",
        ),
        (
            "what a change of a file concerns",
            "docs impact shop/cart.py --path ./shop",
        ),
    ],
    leaves: &[],
};
