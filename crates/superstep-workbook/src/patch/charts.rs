//! New charts: a chart part each, in the drawing of their sheet.

use std::fmt::Write as _;

use crate::{
    book::Workbook,
    chart::{Chart, ChartAxis, ChartKind, ChartLabels, Series},
    error::Error,
    formula::sheet_prefix,
    frame::Frame,
    package::Package,
    relations::{OFFICE, Target, declare, free_name, relate, relations},
    sheet::{Sheet, Value},
    xml,
};

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const CHART: &str = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml";
const DRAWING: &str = "application/vnd.openxmlformats-officedocument.drawing+xml";
const CHART_NS: &str = "http://schemas.openxmlformats.org/drawingml/2006/chart";
const DRAWING_NS: &str = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing";
const MAIN_NS: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";

/// Adds the new charts of a sheet.
pub(super) fn write(
    book: &Workbook,
    sheet: &Sheet,
    part: &str,
    package: &mut Package,
) -> Result<(), Error> {
    if sheet.new_charts.is_empty() {
        return Ok(());
    }
    let drawing = drawing(part, package)?;
    for chart in &sheet.new_charts {
        let name = free_name(package, "xl/charts/chart", ".xml");
        package.set(&name, chart_part(book, chart).into_bytes());
        declare(package, &name, CHART)?;
        let id = relate(package, &drawing, "chart", &Target::Part(&name))?;
        let bytes = package.part(&drawing)?.unwrap_or_default().into_owned();
        let text = xml::decode(&drawing, &bytes)?;
        let number = text.matches("Anchor>").count() + 2;
        let end = text.rfind("</").unwrap_or(text.len());
        let (before, after) = text.split_at_checked(end).unwrap_or((&text, ""));
        let text = format!("{before}{}{after}", anchor(chart, number, &id));
        package.set(&drawing, text.into_bytes());
    }
    Ok(())
}

/// The drawing of a sheet, made if there is none.
fn drawing(part: &str, package: &mut Package) -> Result<String, Error> {
    let known = relations(package, part)?;
    if let Some(known) = known.into_iter().find(|it| it.kind == "drawing") {
        let bytes = package
            .part(&known.target)?
            .unwrap_or_default()
            .into_owned();
        let text = xml::decode(&known.target, &bytes)?;
        // A drawing without content may have no end tag to write before.
        let text = Frame::read(&known.target, &text)?.write();
        package.set(&known.target, text.into_bytes());
        return Ok(known.target);
    }
    let name = free_name(package, "xl/drawings/drawing", ".xml");
    let empty = format!(
        "{DECLARATION}<xdr:wsDr xmlns:xdr=\"{DRAWING_NS}\" xmlns:a=\"{MAIN_NS}\"></xdr:wsDr>"
    );
    package.set(&name, empty.into_bytes());
    declare(package, &name, DRAWING)?;
    let id = relate(package, part, "drawing", &Target::Part(&name))?;
    let element = format!("<drawing xmlns:r=\"{OFFICE}\" r:id=\"{id}\"/>");
    super::put(package, part, "drawing", element)?;
    Ok(name)
}

fn anchor(chart: &Chart, number: usize, id: &str) -> String {
    let (row, column) = (chart.at.row - 1, chart.at.column - 1);
    let place = |name: &str, column: u32, row: u32| {
        format!(
            "<x:{name}><x:col>{column}</x:col><x:colOff>0</x:colOff>\
             <x:row>{row}</x:row><x:rowOff>0</x:rowOff></x:{name}>"
        )
    };
    let from = place("from", column, row);
    let (kind, extent) = match chart.size {
        Some((width, height)) => {
            // Checked to be at most 500 centimetres.
            let units = |centimetres: f64| (centimetres * 360_000.0).round() as u64;
            let (cx, cy) = (units(width), units(height));
            ("oneCellAnchor", format!("<x:ext cx=\"{cx}\" cy=\"{cy}\"/>"))
        }
        None => (
            "twoCellAnchor",
            place("to", column + chart.columns, row + chart.rows),
        ),
    };
    // Prefixes of its own: the drawing may use others.
    format!(
        "<x:{kind} xmlns:x=\"{DRAWING_NS}\">{from}{extent}<x:graphicFrame macro=\"\">\
         <x:nvGraphicFramePr><x:cNvPr id=\"{number}\" name=\"Chart {number}\"/>\
         <x:cNvGraphicFramePr/></x:nvGraphicFramePr><x:xfrm><a:off xmlns:a=\"{MAIN_NS}\" x=\"0\" y=\"0\"/>\
         <a:ext xmlns:a=\"{MAIN_NS}\" cx=\"0\" cy=\"0\"/></x:xfrm><a:graphic xmlns:a=\"{MAIN_NS}\">\
         <a:graphicData uri=\"{CHART_NS}\"><c:chart xmlns:c=\"{CHART_NS}\" xmlns:r=\"{OFFICE}\" \
         r:id=\"{id}\"/></a:graphicData></a:graphic></x:graphicFrame><x:clientData/></x:{kind}>"
    )
}

/// The part of a chart.
pub(crate) fn chart_part(book: &Workbook, chart: &Chart) -> String {
    let series: String = (0..)
        .zip(&chart.series)
        .map(|(number, series)| series_element(book, chart.kind, number, series))
        .collect();
    let is_piled = chart.stacked || chart.shares;
    let grouping = match chart.kind {
        _ if chart.shares => "percentStacked",
        _ if chart.stacked => "stacked",
        ChartKind::Column | ChartKind::Bar => "clustered",
        _ => "standard",
    };
    let axes = "<c:axId val=\"100\"/><c:axId val=\"200\"/>";
    let overlap = chart.overlap.or(is_piled.then_some(100));
    let overlap = overlap.map_or(String::new(), |it| format!("<c:overlap val=\"{it}\"/>"));
    let gap = chart.gap.unwrap_or(150);
    let vary = "<c:varyColors val=\"0\"/>";
    let labels = labels_element(chart.labels.as_ref());
    let bars = |direction: &str| {
        format!(
            "<c:barChart><c:barDir val=\"{direction}\"/><c:grouping val=\"{grouping}\"/>{vary}{series}\
             {labels}<c:gapWidth val=\"{gap}\"/>{overlap}{axes}</c:barChart>"
        )
    };
    let plot = match chart.kind {
        ChartKind::Column => bars("col"),
        ChartKind::Bar => bars("bar"),
        ChartKind::Line => format!(
            "<c:lineChart><c:grouping val=\"{grouping}\"/>{vary}{series}{labels}<c:marker val=\"1\"/>{axes}\
             </c:lineChart>"
        ),
        ChartKind::Area => format!(
            "<c:areaChart><c:grouping val=\"{grouping}\"/>{vary}{series}{labels}{axes}</c:areaChart>"
        ),
        ChartKind::Scatter => format!(
            "<c:scatterChart><c:scatterStyle val=\"lineMarker\"/>{vary}{series}{labels}{axes}\
             </c:scatterChart>"
        ),
        ChartKind::Pie => {
            format!("<c:pieChart><c:varyColors val=\"1\"/>{series}{labels}</c:pieChart>")
        }
        ChartKind::Doughnut => format!(
            "<c:doughnutChart><c:varyColors val=\"1\"/>{series}{labels}<c:holeSize val=\"50\"/>\
             </c:doughnutChart>"
        ),
    };
    let (horizontal, vertical) = match chart.kind {
        ChartKind::Bar => ("l", "b"),
        _ => ("b", "l"),
    };
    let axis = |element: &str, ids: (u32, u32), place: &str, extra: &str| {
        let (settings, title) = match ids.0 {
            100 => (&chart.x_axis, &chart.x_title),
            _ => (&chart.y_axis, &chart.y_title),
        };
        axis_element(element, ids, place, settings, title.as_deref(), extra)
    };
    let axes = match chart.kind {
        ChartKind::Pie | ChartKind::Doughnut => String::new(),
        ChartKind::Scatter => {
            axis("valAx", (100, 200), "b", "") + &axis("valAx", (200, 100), "l", "")
        }
        _ => {
            axis("catAx", (100, 200), horizontal, "<c:auto val=\"1\"/>")
                + &axis("valAx", (200, 100), vertical, "")
        }
    };
    let title = title_element(chart.title.as_deref());
    let no_title = if chart.title.is_none() { "1" } else { "0" };
    let style = chart
        .style
        .map_or(String::new(), |it| format!("<c:style val=\"{it}\"/>"));
    let legend = match chart.legend.as_deref().unwrap_or("r") {
        "none" => String::new(),
        place => {
            format!("<c:legend><c:legendPos val=\"{place}\"/><c:overlay val=\"0\"/></c:legend>")
        }
    };
    format!(
        "{DECLARATION}<c:chartSpace xmlns:c=\"{CHART_NS}\" xmlns:a=\"{MAIN_NS}\" xmlns:r=\"{OFFICE}\">\
         {style}<c:chart>{title}<c:autoTitleDeleted val=\"{no_title}\"/><c:plotArea><c:layout/>{plot}{axes}\
         </c:plotArea>{legend}<c:plotVisOnly val=\"1\"/><c:dispBlanksAs val=\"gap\"/></c:chart>\
         </c:chartSpace>"
    )
}

fn axis_element(
    element: &str,
    (own, other): (u32, u32),
    place: &str,
    axis: &ChartAxis,
    title: Option<&str>,
    extra: &str,
) -> String {
    let number = |name: &str, value: Option<f64>| {
        value.map_or(String::new(), |value| {
            format!("<c:{name} val=\"{value}\"/>")
        })
    };
    let (max, min) = (number("max", axis.max), number("min", axis.min));
    let direction = if axis.reversed { "maxMin" } else { "minMax" };
    let hidden = u8::from(axis.hidden);
    let lines = match axis.gridlines {
        Some(true) => "<c:majorGridlines/>",
        _ => "",
    };
    let title = title_element(title);
    let mut format = String::new();
    if let Some(code) = &axis.number_format {
        format.push_str("<c:numFmt");
        xml::attribute(&mut format, "formatCode", code);
        format.push_str(" sourceLinked=\"0\"/>");
    }
    let step = number("majorUnit", axis.step.filter(|_| element == "valAx"));
    format!(
        "<c:{element}><c:axId val=\"{own}\"/><c:scaling><c:orientation val=\"{direction}\"/>{max}{min}\
         </c:scaling><c:delete val=\"{hidden}\"/><c:axPos val=\"{place}\"/>{lines}{title}{format}\
         <c:majorTickMark val=\"out\"/><c:minorTickMark val=\"none\"/><c:tickLblPos val=\"nextTo\"/>\
         <c:crossAx val=\"{other}\"/><c:crosses val=\"autoZero\"/>{extra}{step}</c:{element}>"
    )
}

fn labels_element(labels: Option<&ChartLabels>) -> String {
    let Some(labels) = labels else {
        return String::new();
    };
    let mut out = String::from("<c:dLbls>");
    if let Some(place) = &labels.position {
        let _ = write!(out, "<c:dLblPos val=\"{place}\"/>");
    }
    let switches = [
        ("showLegendKey", false),
        ("showVal", labels.value),
        ("showCatName", labels.category),
        ("showSerName", labels.series),
        ("showPercent", labels.percent),
        ("showBubbleSize", false),
    ];
    for (name, is_on) in switches {
        let _ = write!(out, "<c:{name} val=\"{}\"/>", u8::from(is_on));
    }
    out.push_str("</c:dLbls>");
    out
}

/// The colors and the line of a series.
fn shape_element(series: &Series) -> String {
    let solid = |color: &str| {
        let color = color.to_ascii_uppercase();
        format!("<a:solidFill><a:srgbClr val=\"{color}\"/></a:solidFill>")
    };
    let fill = series.fill.as_deref().map(solid).unwrap_or_default();
    let has_line = series.line.is_some() || series.line_width.is_some() || series.no_line;
    let mut line = String::new();
    if has_line {
        line.push_str("<a:ln");
        if let Some(width) = series.line_width {
            let _ = write!(line, " w=\"{}\"", (width * 12_700.0).round());
        }
        line.push('>');
        match (&series.line, series.no_line) {
            (_, true) => line.push_str("<a:noFill/>"),
            (Some(color), false) => line.push_str(&solid(color)),
            (None, false) => {}
        }
        line.push_str("</a:ln>");
    }
    match fill.is_empty() && line.is_empty() {
        true => String::new(),
        false => format!("<c:spPr>{fill}{line}</c:spPr>"),
    }
}

fn title_element(title: Option<&str>) -> String {
    let Some(title) = title else {
        return String::new();
    };
    let mut text = String::new();
    xml::escape(&mut text, title);
    format!(
        "<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx>\
         <c:overlay val=\"0\"/></c:title>"
    )
}

fn series_element(book: &Workbook, kind: ChartKind, number: usize, series: &Series) -> String {
    let on = |sheet: &str, area: crate::address::Area| {
        let mut text = String::new();
        xml::escape(
            &mut text,
            &format!("{}{}", sheet_prefix(sheet), area.absolute()),
        );
        text
    };
    let fixed = |area: crate::address::Area| on(&series.sheet, area);
    let mut out = format!("<c:ser><c:idx val=\"{number}\"/><c:order val=\"{number}\"/>");
    let sheet = book.sheet(&series.sheet).ok();
    if let Some(at) = series.name_cell {
        let name = sheet
            .map(|sheet| sheet.value(at).to_string())
            .unwrap_or_default();
        let mut cached = String::new();
        xml::escape(&mut cached, &name);
        let _ = write!(
            out,
            "<c:tx><c:strRef><c:f>{}</c:f><c:strCache><c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>{cached}\
             </c:v></c:pt></c:strCache></c:strRef></c:tx>",
            fixed(at.into())
        );
    } else if let Some(name) = &series.name {
        let mut text = String::new();
        xml::escape(&mut text, name);
        let _ = write!(out, "<c:tx><c:v>{text}</c:v></c:tx>");
    }
    out.push_str(&shape_element(series));
    if let Some(marker) = &series.marker
        && matches!(kind, ChartKind::Line | ChartKind::Scatter)
    {
        let _ = write!(out, "<c:marker><c:symbol val=\"{marker}\"/></c:marker>");
    }
    out.push_str(&labels_element(series.labels.as_ref()));
    let home = series.categories_sheet.as_ref().unwrap_or(&series.sheet);
    let is_text = |area: crate::address::Area| {
        book.sheet(home).is_ok_and(|sheet| {
            area.cells()
                .take(100)
                .any(|at| matches!(sheet.value(at), Value::Text(_)))
        })
    };
    let (categories, values) = match kind {
        ChartKind::Scatter => ("xVal", "yVal"),
        _ => ("cat", "val"),
    };
    if let Some(area) = series.categories {
        let reference = if is_text(area) { "strRef" } else { "numRef" };
        let _ = write!(
            out,
            "<c:{categories}><c:{reference}><c:f>{}</c:f></c:{reference}></c:{categories}>",
            on(home, area)
        );
    }
    let _ = write!(
        out,
        "<c:{values}><c:numRef><c:f>{}</c:f></c:numRef></c:{values}>",
        fixed(series.values)
    );
    if matches!(kind, ChartKind::Line | ChartKind::Scatter) {
        let _ = write!(out, "<c:smooth val=\"{}\"/>", u8::from(series.smooth));
    }
    out.push_str("</c:ser>");
    out
}
