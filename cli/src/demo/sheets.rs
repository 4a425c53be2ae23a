//! Demo of the spreadsheet agent: an instruction in three steps, and the workbook that comes of it.

use super::Scene;

pub(super) const SCENE: Scene = Scene {
    about: "works on spreadsheets step by step; the input is never modified",
    files: &[
        ("sales.xlsx", include_bytes!("sheets/sales.xlsx")),
        ("replies.jsonl", include_bytes!("sheets.jsonl")),
    ],
    commands: &[
        (
            "the workbook, as a model reads it",
            "sheet state ./sales.xlsx",
        ),
        (
            "each step is a transaction on a copy; formulas are calculated, and what changed is told",
            "sheet run ./sales.xlsx -i 'Add the revenue of each sale, and a sheet with the sums by region' \
             -o ./result.xlsx --model script:./replies.jsonl",
        ),
        (
            "the result can be queried like the input",
            "sheet state ./result.xlsx --sql 'SELECT * FROM \"By region\"'",
        ),
        ("the graph behind it", "graph sheets"),
    ],
    leaves: &[],
};
