//! What programs can import. Most modules are Python, in `lib`; what they cannot do themselves is Rust.

mod math;
mod random;
mod regex;
pub(crate) mod sheet;

use super::value::{Function, Value};

const SOURCES: &[(&str, &str)] = &[
    (
        "__future__",
        "annotations = division = print_function = None",
    ),
    ("_re", ""),
    ("_sheet", ""),
    ("_random", ""),
    ("_clock", ""),
    ("abc", include_str!("lib/abc.py")),
    ("calendar", include_str!("lib/calendar.py")),
    ("collections", include_str!("lib/collections.py")),
    ("collections.abc", include_str!("lib/collections_abc.py")),
    ("copy", include_str!("lib/copy.py")),
    ("dataclasses", include_str!("lib/dataclasses.py")),
    ("datetime", include_str!("lib/datetime.py")),
    ("decimal", include_str!("lib/decimal.py")),
    ("enum", include_str!("lib/enum.py")),
    ("functools", include_str!("lib/functools.py")),
    ("itertools", include_str!("lib/itertools.py")),
    ("json", include_str!("lib/json.py")),
    ("math", ""),
    ("operator", include_str!("lib/operator.py")),
    ("random", include_str!("lib/random.py")),
    ("re", include_str!("lib/re.py")),
    ("statistics", include_str!("lib/statistics.py")),
    ("string", include_str!("lib/string.py")),
    ("sys", include_str!("lib/sys.py")),
    ("time", include_str!("lib/time.py")),
    (
        "types",
        "SimpleNamespace = type('SimpleNamespace', (), {'__init__': lambda self, **kw: [setattr(self, k, v) for k, v in kw.items()] and None})",
    ),
    ("typing", include_str!("lib/typing.py")),
    (
        "warnings",
        "def filterwarnings(*args, **kwargs): pass\ndef simplefilter(*args, **kwargs): pass\ndef warn(*args, **kwargs): pass\n",
    ),
    ("openpyxl", include_str!("lib/openpyxl.py")),
    (
        "openpyxl.cell",
        "from openpyxl._sheets import Cell, MergedCell\n",
    ),
    (
        "openpyxl.cell.cell",
        "from openpyxl._sheets import Cell, MergedCell\n",
    ),
    ("openpyxl.chart", include_str!("lib/openpyxl_chart.py")),
    (
        "openpyxl.chart.label",
        "from openpyxl.chart import DataLabelList\n",
    ),
    (
        "openpyxl.chart.layout",
        "from openpyxl.chart import Layout, ManualLayout\n",
    ),
    (
        "openpyxl.chart.reference",
        "from openpyxl.chart import Reference\n",
    ),
    (
        "openpyxl.chart.series",
        "from openpyxl.chart import Series, DataPoint\n",
    ),
    (
        "openpyxl.chart.shapes",
        "from openpyxl.chart import GraphicalProperties\n",
    ),
    (
        "openpyxl.comments",
        "from openpyxl._sheets import Comment\n",
    ),
    ("openpyxl.drawing", ""),
    (
        "openpyxl.drawing.image",
        "class Image:\n    def __init__(self, *args):\n        raise NotImplementedError('pictures are not supported in this sandbox')\n",
    ),
    ("openpyxl.formatting", ""),
    (
        "openpyxl.formatting.rule",
        include_str!("lib/openpyxl_rule.py"),
    ),
    ("openpyxl.styles", include_str!("lib/openpyxl_styles.py")),
    (
        "openpyxl.styles.alignment",
        "from openpyxl.styles import Alignment\n",
    ),
    (
        "openpyxl.styles.borders",
        "from openpyxl.styles import Border, Side\n",
    ),
    (
        "openpyxl.styles.colors",
        "from openpyxl.styles import Color\n",
    ),
    (
        "openpyxl.styles.differential",
        "from openpyxl.styles import DifferentialStyle\n",
    ),
    (
        "openpyxl.styles.fills",
        "from openpyxl.styles import PatternFill, GradientFill\n",
    ),
    (
        "openpyxl.styles.fonts",
        "from openpyxl.styles import Font\n",
    ),
    (
        "openpyxl.styles.numbers",
        include_str!("lib/openpyxl_numbers.py"),
    ),
    ("openpyxl.utils", include_str!("lib/openpyxl_utils.py")),
    ("openpyxl.utils.cell", "from openpyxl.utils import *\n"),
    (
        "openpyxl.utils.dataframe",
        "def dataframe_to_rows(*args, **kwargs):\n    raise NotImplementedError('pandas is not available in this sandbox; use the sandbox `cpython`')\n",
    ),
    (
        "openpyxl.utils.exceptions",
        "class InvalidFileException(Exception): pass\nclass IllegalCharacterError(Exception): pass\n",
    ),
    ("openpyxl.workbook", "from openpyxl import Workbook\n"),
    (
        "openpyxl.workbook.workbook",
        "from openpyxl import Workbook\n",
    ),
    (
        "openpyxl.workbook.defined_name",
        "from openpyxl._sheets import DefinedName\n",
    ),
    ("openpyxl.worksheet", ""),
    (
        "openpyxl.worksheet.datavalidation",
        "from openpyxl._sheets import DataValidation\n",
    ),
    (
        "openpyxl.worksheet.hyperlink",
        "from openpyxl._sheets import Hyperlink\n",
    ),
    (
        "openpyxl.worksheet.properties",
        "from openpyxl._sheets import WorksheetProperties, PageSetupProperties\n",
    ),
    (
        "openpyxl.worksheet.table",
        "from openpyxl._sheets import Table, TableStyleInfo\n",
    ),
    (
        "openpyxl.worksheet.worksheet",
        "from openpyxl._sheets import Worksheet\n",
    ),
    ("openpyxl.worksheet.page", ""),
    ("openpyxl._sheets", include_str!("lib/openpyxl_sheets.py")),
];

/// The text of a module, if there is one.
pub(crate) fn source(name: &str) -> Option<&'static str> {
    let found = SOURCES.iter().find(|(known, _)| *known == name);
    found.map(|(_, source)| *source)
}

/// The functions of a module that are not Python.
pub(crate) fn natives(name: &str) -> &'static [(&'static str, Function)] {
    match name {
        "math" => math::FUNCTIONS,
        "_re" => regex::FUNCTIONS,
        "_sheet" => sheet::FUNCTIONS,
        "_random" | "_clock" => random::FUNCTIONS,
        _ => &[],
    }
}

pub(crate) fn constants(name: &str) -> Vec<(&'static str, Value)> {
    match name {
        "math" => math::constants(),
        _ => Vec::new(),
    }
}

/// Why there is no such module.
pub(crate) fn absent(name: &str) -> String {
    let root = name.split('.').next().unwrap_or(name);
    match root {
        "pandas" | "numpy" | "xlsxwriter" | "matplotlib" | "scipy" | "xlrd" => format!(
            "No module named '{name}': it is not available in the sandbox `embedded`; write it with openpyxl and plain \
             Python, or use the sandbox `cpython`"
        ),
        "os" | "io" | "pathlib" | "subprocess" | "socket" | "shutil" | "urllib" | "requests"
        | "http" | "ctypes" | "threading" | "multiprocessing" | "tempfile" | "glob" => format!(
            "No module named '{name}': files, network and processes cannot be reached from this sandbox; the workbook is \
             `workbook`"
        ),
        "openpyxl" => format!("No module named '{name}' in the openpyxl of this sandbox"),
        _ => {
            let known: Vec<&str> = SOURCES
                .iter()
                .map(|(known, _)| *known)
                .filter(|known| !known.starts_with('_') && !known.contains('.'))
                .collect();
            format!("No module named '{name}'; there are: {}", known.join(", "))
        }
    }
}
