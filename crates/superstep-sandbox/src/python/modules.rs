//! What programs can import. Most modules are Python, in `lib`; what they cannot do themselves is Rust.

mod json;
mod math;
mod pattern;
pub(crate) mod random;
mod regex;
pub(crate) mod sheet;
mod unicode;

use super::value::{Function, Value};

const SOURCES: &[(&str, &str)] = &[
    (
        "__future__",
        "annotations = division = print_function = None",
    ),
    ("_json", ""),
    ("_re", ""),
    ("_sheet", ""),
    ("_unicode", ""),
    ("_random", ""),
    ("_clock", ""),
    ("_dateformat", include_str!("lib/_dateformat.py")),
    ("abc", include_str!("lib/abc.py")),
    ("bisect", include_str!("lib/bisect.py")),
    ("calendar", include_str!("lib/calendar.py")),
    ("collections", include_str!("lib/collections.py")),
    ("collections.abc", include_str!("lib/collections_abc.py")),
    ("contextlib", include_str!("lib/contextlib.py")),
    ("copy", include_str!("lib/copy.py")),
    ("csv", include_str!("lib/csv.py")),
    ("dataclasses", include_str!("lib/dataclasses.py")),
    ("datetime", include_str!("lib/datetime.py")),
    ("decimal", include_str!("lib/decimal.py")),
    ("enum", include_str!("lib/enum.py")),
    ("fractions", include_str!("lib/fractions.py")),
    ("functools", include_str!("lib/functools.py")),
    ("heapq", include_str!("lib/heapq.py")),
    ("io", include_str!("lib/io.py")),
    ("itertools", include_str!("lib/itertools.py")),
    ("json", include_str!("lib/json.py")),
    ("logging", include_str!("lib/logging.py")),
    ("math", ""),
    ("numbers", include_str!("lib/numbers.py")),
    ("operator", include_str!("lib/operator.py")),
    ("os", include_str!("lib/os.py")),
    ("os.path", "from posixpath import *\n"),
    ("pathlib", include_str!("lib/pathlib.py")),
    ("posixpath", include_str!("lib/posixpath.py")),
    ("pprint", include_str!("lib/pprint.py")),
    ("random", include_str!("lib/random.py")),
    ("re", include_str!("lib/re.py")),
    ("statistics", include_str!("lib/statistics.py")),
    ("string", include_str!("lib/string.py")),
    ("sys", include_str!("lib/sys.py")),
    ("textwrap", include_str!("lib/textwrap.py")),
    ("time", include_str!("lib/time.py")),
    ("types", include_str!("lib/types.py")),
    ("typing", include_str!("lib/typing.py")),
    ("unicodedata", include_str!("lib/unicodedata.py")),
    (
        "warnings",
        "def filterwarnings(*args, **kwargs): pass\ndef simplefilter(*args, **kwargs): pass\ndef warn(*args, **kwargs): pass\n",
    ),
    ("zoneinfo", include_str!("lib/zoneinfo.py")),
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
        "openpyxl.chart.area_chart",
        "from openpyxl.chart import AreaChart, AreaChart3D\n",
    ),
    (
        "openpyxl.chart.axis",
        "from openpyxl.chart import ChartLines, DateAxis, Scaling\n",
    ),
    (
        "openpyxl.chart.bar_chart",
        "from openpyxl.chart import BarChart, BarChart3D\n",
    ),
    (
        "openpyxl.chart.error_bar",
        "from openpyxl.chart import ErrorBars\n",
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
        "openpyxl.chart.line_chart",
        "from openpyxl.chart import LineChart, LineChart3D\n",
    ),
    (
        "openpyxl.chart.pie_chart",
        "from openpyxl.chart import PieChart, PieChart3D, DoughnutChart, ProjectedPieChart\n",
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
        "openpyxl.chart.scatter_chart",
        "from openpyxl.chart import ScatterChart\n",
    ),
    (
        "openpyxl.chart.text",
        "from openpyxl._refuse import absent\nRichText = absent('RichText', 'titles are texts: chart.title = \"...\"')\nText = absent('Text', 'titles are texts')\n",
    ),
    (
        "openpyxl.chart.trendline",
        "from openpyxl.chart import Trendline\n",
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
        "openpyxl.drawing.text",
        "from openpyxl._refuse import absent\nParagraph = ParagraphProperties = CharacterProperties = RichTextProperties = RegularTextRun = Font = \\\n    absent('a font of a chart (openpyxl.drawing.text)', 'titles are texts: chart.title = \"...\"')\n",
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
        "openpyxl.worksheet.formula",
        include_str!("lib/openpyxl_formula.py"),
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
        "_json" => json::FUNCTIONS,
        "_re" => regex::FUNCTIONS,
        "_sheet" => sheet::FUNCTIONS,
        "_unicode" => unicode::FUNCTIONS,
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
        "subprocess" | "socket" | "shutil" | "urllib" | "requests" | "http" | "ctypes"
        | "threading" | "multiprocessing" | "tempfile" | "glob" => format!(
            "No module named '{name}': files, network and processes cannot be reached from this sandbox; the workbook is \
             `workbook`"
        ),
        "openpyxl" => {
            let known: Vec<&str> = importable()
                .into_iter()
                .filter(|known| known.starts_with("openpyxl."))
                .collect();
            format!(
                "No module named '{name}' in the openpyxl of this sandbox; the sandbox `cpython` has all of it; there are: {}",
                known.join(", ")
            )
        }
        _ => {
            let known: Vec<&str> = importable()
                .into_iter()
                .filter(|known| !known.contains('.'))
                .collect();
            format!("No module named '{name}'; there are: {}", known.join(", "))
        }
    }
}

/// The modules that programs are meant to import.
pub(crate) fn importable() -> Vec<&'static str> {
    let names = SOURCES.iter().map(|(name, _)| *name);
    names
        .filter(|name| name.split('.').all(|part| !part.starts_with('_')))
        .collect()
}
