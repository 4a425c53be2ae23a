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
    ("openpyxl._refuse", include_str!("lib/openpyxl_refuse.py")),
    ("openpyxl._values", include_str!("lib/openpyxl_values.py")),
    ("openpyxl.cell", include_str!("lib/openpyxl_cell.py")),
    (
        "openpyxl.cell.cell",
        "from openpyxl.cell import Cell, MergedCell\n",
    ),
    ("openpyxl.chart", include_str!("lib/openpyxl_chart.py")),
    (
        "openpyxl.chart.axis",
        "from openpyxl.chart import ChartLines, Scaling\n",
    ),
    (
        "openpyxl.chart.label",
        "from openpyxl.chart import DataLabelList\n",
    ),
    (
        "openpyxl.chart.layout",
        "from openpyxl.chart import Layout, ManualLayout\n",
    ),
    (
        "openpyxl.chart.legend",
        "from openpyxl.chart import Legend\n",
    ),
    (
        "openpyxl.chart.marker",
        "from openpyxl.chart import DataPoint, Marker\n",
    ),
    (
        "openpyxl.chart.reference",
        "from openpyxl.chart import Reference\n",
    ),
    (
        "openpyxl.chart.series",
        "from openpyxl.chart import Series, SeriesLabel, DataPoint\n",
    ),
    (
        "openpyxl.chart.shapes",
        "from openpyxl.chart import GraphicalProperties\n",
    ),
    (
        "openpyxl.comments",
        include_str!("lib/openpyxl_comments.py"),
    ),
    (
        "openpyxl.comments.comments",
        "from openpyxl.comments import Comment\n",
    ),
    ("openpyxl.drawing", ""),
    (
        "openpyxl.drawing.image",
        "from openpyxl._refuse import refused\nclass Image:\n    def __init__(self, *args):\n        raise refused('a picture (openpyxl.drawing.image.Image)')\n",
    ),
    (
        "openpyxl.drawing.line",
        "from openpyxl.chart import LineProperties\n",
    ),
    ("openpyxl.formatting", ""),
    (
        "openpyxl.formatting.rule",
        include_str!("lib/openpyxl_rule.py"),
    ),
    ("openpyxl.formula", ""),
    (
        "openpyxl.formula.translate",
        "import _sheet\nfrom openpyxl.utils import coordinate_to_tuple\nclass Translator:\n    def __init__(self, formula, origin):\n        self.formula = formula\n        self.origin = coordinate_to_tuple(origin)\n    def translate_formula(self, dest=None, row_delta=0, col_delta=0):\n        if dest is not None:\n            row, column = coordinate_to_tuple(dest)\n            row_delta, col_delta = row - self.origin[0], column - self.origin[1]\n        return _sheet.translate(self.formula, row_delta, col_delta)\n",
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
    (
        "openpyxl.styles.protection",
        "from openpyxl.styles import Protection\n",
    ),
    ("openpyxl.utils", include_str!("lib/openpyxl_utils.py")),
    ("openpyxl.utils.cell", "from openpyxl.utils import *\n"),
    (
        "openpyxl.utils.dataframe",
        "def dataframe_to_rows(*args, **kwargs):\n    raise NotImplementedError('pandas is not available in the sandbox `embedded`; use the sandbox `cpython`')\n",
    ),
    (
        "openpyxl.utils.exceptions",
        "class InvalidFileException(Exception): pass\nclass IllegalCharacterError(Exception): pass\n",
    ),
    (
        "openpyxl.workbook",
        include_str!("lib/openpyxl_workbook.py"),
    ),
    (
        "openpyxl.workbook.defined_name",
        include_str!("lib/openpyxl_names.py"),
    ),
    (
        "openpyxl.workbook.workbook",
        "from openpyxl.workbook import Workbook\n",
    ),
    ("openpyxl.worksheet", ""),
    (
        "openpyxl.worksheet.cell_range",
        include_str!("lib/openpyxl_ranges.py"),
    ),
    (
        "openpyxl.worksheet.datavalidation",
        include_str!("lib/openpyxl_validation.py"),
    ),
    (
        "openpyxl.worksheet.dimensions",
        include_str!("lib/openpyxl_dimensions.py"),
    ),
    (
        "openpyxl.worksheet.filters",
        include_str!("lib/openpyxl_filters.py"),
    ),
    (
        "openpyxl.worksheet.hyperlink",
        include_str!("lib/openpyxl_hyperlink.py"),
    ),
    (
        "openpyxl.worksheet.page",
        include_str!("lib/openpyxl_page.py"),
    ),
    (
        "openpyxl.worksheet.properties",
        "from openpyxl.worksheet.page import WorksheetProperties, PageSetupProperties\n",
    ),
    (
        "openpyxl.worksheet.table",
        include_str!("lib/openpyxl_table.py"),
    ),
    (
        "openpyxl.worksheet.worksheet",
        include_str!("lib/openpyxl_worksheet.py"),
    ),
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
