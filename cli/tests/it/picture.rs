//! The picture in the README: what a terminal shows of an agent that is killed and resumed. `BLESS=1` draws it anew.

use std::path::Path;

use crate::{
    env::{TestEnv, thread_in},
    terminal::Terminal,
};

const LETTER: usize = 8;
const LINE: usize = 18;
const MARGIN: usize = 14;
/// Rows for the whole demo, of which the picture has the beginning.
const ROWS: u16 = 200;
const COLUMNS: u16 = 100;
const FIRST_WORDS: &str = "The documents name two ways:";

#[test]
fn the_picture_in_the_readme_is_what_a_terminal_shows() {
    let env = TestEnv::new();
    let terminal = Terminal::sized(&env, "demo archie", ROWS, COLUMNS);
    terminal.shows("Those replies were scripted");
    let rows = terminal.rows();
    assert_eq!(terminal.end(), 0);
    let rows = rows.into_iter();
    let rows = rows.skip_while(|row| !row.starts_with("# Archie"));
    let rows = rows.take_while(|row| !row.starts_with("the analysis is in"));
    let mut rows: Vec<String> = rows.collect();
    rows.push("the analysis is in ./docs/analysis_result.md".to_owned());
    // How much the model says before it is killed depends on the machine.
    let place = |start: &str| rows.iter().position(|row| row.starts_with(start)).unwrap();
    let said = place(FIRST_WORDS)..place("killed");
    rows.splice(said, [FIRST_WORDS.to_owned()]);
    let screen = rows.join("\n");
    let thread = thread_in(&screen).unwrap();
    let drawn = drawn(&screen.replace(&thread, "archie-7f3k2m"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/session.svg");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &drawn).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), drawn);
}

/// The lines of a screen as SVG: commands are brightest, then what the model says.
fn drawn(screen: &str) -> String {
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let widest = lines
        .iter()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0);
    let (width, height) = (
        widest * LETTER + 2 * MARGIN,
        lines.len() * LINE + 2 * MARGIN,
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#14161a\"/>\n"
    );
    let mut is_command = false;
    for (row, line) in lines.iter().enumerate() {
        // A long command continues on the next line.
        is_command = line.starts_with("$ ") || is_command && line.contains("./replies.jsonl");
        if line.is_empty() {
            continue;
        }
        let y = MARGIN + row * LINE + 13;
        let color = match line {
            line if is_command || line.starts_with("you> ") => "#9fe0a5",
            line if line.starts_with("killed") => "#f2a19a",
            line if is_aside(line) => "#8b93a1",
            _ => "#e6e9ef",
        };
        let text = line
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        svg.push_str(&format!(
            "<text x=\"{MARGIN}\" y=\"{y}\" fill=\"{color}\" xml:space=\"preserve\">{text}</text>\n"
        ));
    }
    svg.push_str("</svg>\n");
    svg
}

/// Whether a line is about the conversation and no part of it.
fn is_aside(line: &str) -> bool {
    let asides = ["# ", "model:", "thread ", "added ", "demo ·"];
    asides.iter().any(|aside| line.starts_with(aside))
}
