//! The picture of a session in the README: what a terminal shows now. `BLESS=1` draws it anew.

use std::path::Path;

use crate::{
    env::{TestEnv, thread_in},
    terminal::Terminal,
};

const LETTER: usize = 8;
const LINE: usize = 18;
const MARGIN: usize = 14;

#[test]
fn the_picture_in_the_readme_is_what_a_terminal_shows() {
    let env = TestEnv::new();
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/documents/bookings");
    for name in ["overview.md", "requirements.md", "notes.txt"] {
        let text = std::fs::read_to_string(documents.join(name)).unwrap();
        env.write(&format!("work/bookings/{name}"), &text);
    }
    let script = include_str!("../../src/demo/archie.jsonl");
    env.write("work/replies.jsonl", script);
    let terminal = Terminal::run(&env, "shell --model script:replies.jsonl");
    terminal.prompts(1);
    terminal.say("analyze --query 'One service or two?' --inputs bookings");
    terminal.shows("nobody pays twice?").prompts(2);
    terminal.say("Nobody may pay twice; that comes first.");
    terminal.shows("Do you agree?").prompts(3);
    terminal.say("/approve").shows("the analysis is in");
    terminal.prompts(4).say("threads list").prompts(5);
    // The prompt is drawn after the editor begins to read; it is no part of the picture.
    terminal.ends_with("archie>");
    let thread = thread_in(&terminal.screen()).unwrap();
    let rows = terminal.rows();
    let screen = rows.join("\n");
    let screen = screen.trim_end().trim_end_matches("archie>").trim_end();
    let folder = env.path("work").canonicalize().unwrap();
    let screen = screen.replace(folder.to_str().unwrap(), "~/work");
    let screen = screen.replace(&thread, "archie-7f3k2m");
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);
    let drawn = drawn(&screen);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/session.svg");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &drawn).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), drawn);
}

/// The lines of a screen as SVG. What the person typed is brighter.
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
    for (row, line) in lines.iter().enumerate() {
        if line.is_empty() {
            continue;
        }
        let y = MARGIN + row * LINE + 13;
        let color = match line {
            line if line.starts_with("archie> ") || line.starts_with("you> ") => "#9fe0a5",
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
    let asides = [
        "model:", "thread ", "read ", "added ", "to ask ", "demo ·", "superstep shell",
    ];
    asides.iter().any(|aside| line.starts_with(aside))
}
