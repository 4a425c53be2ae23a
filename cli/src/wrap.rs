//! Lines broken between words, at the width of a terminal: whole lines ([`wrapped`], [`soft_wrapped`]) and a text that
//! streams ([`Flow`]).

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use superstep_agent::{Span, plain};

use crate::program_name;

/// The narrowest terminal that lines are broken for.
const NARROWEST: usize = 20;

/// The mark of lines of a model.
const GUTTER: &str = "│ ";

/// Whether a text is a command of this program, which is printed to be copied.
fn is_command(text: &str) -> bool {
    let rest = text.strip_prefix(program_name::get());
    rest.is_some_and(|rest| rest.starts_with(' '))
}

/// How many columns the terminal has, as far as that is known.
pub(crate) fn columns() -> Option<usize> {
    // `size` starts a process where there is no terminal, and this is asked for every line.
    #[cfg(unix)]
    let columns = crossterm::terminal::window_size().ok()?.columns;
    #[cfg(not(unix))]
    let (columns, _) = crossterm::terminal::size().ok()?;
    // One that was never given a size says that it has none.
    (columns > 0).then(|| usize::from(columns).max(NARROWEST))
}

/// A line in as many rows as it needs, none of which is wider than this. Each row of a line that is marked as a model's
/// has the mark.
pub(crate) fn wrapped(line: &[Span], width: usize) -> Vec<Vec<Span>> {
    if let [only] = line
        && let Some(said) = only.text().strip_prefix(GUTTER)
    {
        let said = [only.with(said.to_owned())];
        let mut rows = broken(&said, width.saturating_sub(2).max(1), 0, false);
        for row in &mut rows {
            row.insert(0, only.with(GUTTER.to_owned()));
        }
        return rows;
    }
    broken(line, width, 0, false)
}

/// The same with later rows indented as the line is, or as its second column is.
pub(crate) fn indented(line: &[Span], width: usize) -> Vec<Vec<Span>> {
    broken(line, width, indent(line, width), false)
}

/// Rows for a terminal: as [`indented`], and a command that is longer than a row is left to the terminal, so that it can
/// be copied.
pub(crate) fn soft_wrapped(line: &[Span], width: usize) -> Vec<Vec<Span>> {
    let mut rows = Vec::new();
    for line in lines(line) {
        let wide: usize = line.iter().map(|span| span.text().width()).sum();
        match wide <= width {
            true => rows.push(line),
            false => {
                let indent = indent(&line, width);
                rows.extend(broken(&line, width, indent, true));
            }
        }
    }
    rows
}

/// Below so many columns pages and tables that are made for more are laid out otherwise.
pub(crate) const NARROW: usize = 80;

/// A line of a page as rows: as [`soft_wrapped`], and a second column that begins far to the right stands below the first.
pub(crate) fn stacked(line: &str, width: usize) -> Vec<Vec<Span>> {
    let words = line.trim_start_matches(' ');
    let first = line.len() - words.len();
    let of = |indent: usize, words: &str| {
        let text = format!("{}{words}", " ".repeat(indent));
        match is_command(words) {
            // It is copied, so it stays in one piece.
            true => vec![vec![plain(text)]],
            false => soft_wrapped(&[plain(text)], width),
        }
    };
    if line.width() > width
        && let Some((left, right)) = words.split_once("  ")
    {
        let right = right.trim_start_matches(' ');
        let column = line.width() - right.width();
        if column > width / 2 {
            let mut rows = of(first, left);
            rows.extend(of((first + 4).min(width / 2), right));
            return rows;
        }
    }
    of(first, words)
}

/// As much of a line as fits into a row; what is cut ends with an ellipsis.
pub(crate) fn cut(line: &[Span], width: usize) -> Vec<Span> {
    let wide: usize = line.iter().map(|span| span.text().width()).sum();
    let is_cut = wide > width;
    let mut left = width.saturating_sub(usize::from(is_cut));
    let mut row = Vec::new();
    let mut is_full = false;
    for span in line {
        let fits = |c: &char| {
            let rest = left.checked_sub(c.width().unwrap_or(0));
            is_full |= rest.is_none();
            left = rest.unwrap_or(0);
            !is_full
        };
        row.push(span.with(span.text().chars().take_while(fits).collect()));
    }
    if is_cut {
        row.push(plain("…"));
    }
    row
}

/// The lines that pieces of text are in.
fn lines(spans: &[Span]) -> Vec<Vec<Span>> {
    let mut all = vec![Vec::new()];
    for span in spans {
        for (at, part) in span.text().split('\n').enumerate() {
            if at > 0 {
                all.push(Vec::new());
            }
            if let Some(last) = all.last_mut() {
                last.push(span.with(part.to_owned()));
            }
        }
    }
    all
}

/// Where later rows of a line begin: below its second column if there is one in the left half, else below its first
/// letter.
fn indent(line: &[Span], width: usize) -> usize {
    let text: String = line.iter().map(Span::text).collect();
    let first = text.len() - text.trim_start_matches(' ').len();
    let words = text.trim_start_matches(' ');
    let second = words.find("  ").map(|gap| {
        let (before, behind) = words.split_at(gap);
        let blank = behind.len() - behind.trim_start_matches(' ').len();
        first + before.width() + blank
    });
    let second = second.filter(|at| *at <= width / 2);
    second.unwrap_or(first).min(width / 2)
}

/// A letter of a line.
struct Letter<'a> {
    span: &'a Span,
    letter: char,
    wide: usize,
    /// Within a command, which stays in one piece if that is possible.
    is_fixed: bool,
}

fn broken(line: &[Span], width: usize, indent: usize, leaves_long: bool) -> Vec<Vec<Span>> {
    let blank = plain("");
    let letters = letters(line, width.saturating_sub(indent), leaves_long);
    let mut rows: Vec<Vec<Letter<'_>>> = Vec::new();
    let (mut row, mut used, mut start): (Vec<Letter<'_>>, _, _) = (Vec::new(), 0, 0);
    for letter in letters {
        let is_space = |it: &Letter<'_>| it.letter == ' ' && !it.is_fixed;
        if used + letter.wide > width {
            let within = row.get(start..).unwrap_or_default();
            let space = within.iter().rposition(is_space).map(|at| start + at + 1);
            let cut = match space {
                Some(space) if !is_space(&letter) => Some(space),
                _ if is_space(&letter) => Some(row.len()),
                _ if letter.is_fixed && leaves_long => None,
                _ => Some(row.len()),
            };
            if let Some(cut) = cut {
                let rest = row.split_off(cut);
                let mut next: Vec<Letter<'_>> = Vec::new();
                for _ in 0..indent {
                    next.push(Letter {
                        span: &blank,
                        letter: ' ',
                        wide: 1,
                        is_fixed: true,
                    });
                }
                start = next.len();
                next.extend(rest);
                rows.push(std::mem::replace(&mut row, next));
                used = row.iter().map(|it| it.wide).sum();
                if is_space(&letter) {
                    continue;
                }
            }
        }
        used += letter.wide;
        row.push(letter);
    }
    rows.push(row);
    rows.iter().map(|row| joined(row)).collect()
}

fn letters(line: &[Span], width: usize, leaves_long: bool) -> Vec<Letter<'_>> {
    let mut all = Vec::new();
    for span in line {
        // Every second part is between backticks.
        let mut is_quoted = false;
        for part in span.text().split_inclusive('`') {
            let is_whole = part == span.text();
            let is_copied = is_command(part) && (is_quoted || is_whole);
            let is_fixed = is_copied && (leaves_long || part.width() <= width);
            all.extend(part.chars().map(|letter| Letter {
                span,
                letter,
                wide: letter.width().unwrap_or(0),
                is_fixed,
            }));
            is_quoted = !is_quoted;
        }
    }
    all
}

/// Letters as pieces again.
fn joined(row: &[Letter<'_>]) -> Vec<Span> {
    let same = |one: &Letter<'_>, other: &Letter<'_>| std::ptr::eq(one.span, other.span);
    let span = |run: &[Letter<'_>]| {
        let text = run.iter().map(|it| it.letter).collect();
        run.first().map(|it| it.span.with(text))
    };
    row.chunk_by(same).filter_map(span).collect()
}

/// A piece of a text that streams.
pub(crate) enum Piece {
    Text(Span),
    /// The last columns are cleared, and a new line begins: the word that was there comes again.
    Moved(usize),
}

/// A text that streams to a terminal. Every letter is shown at once; a word that reaches the edge moves to the next line.
pub(crate) struct Flow {
    width: usize,
    column: usize,
    word: Vec<Span>,
    word_width: usize,
    /// Whether the word is longer than a row, and is left to the terminal.
    is_long: bool,
}

impl Flow {
    pub(crate) fn new(width: usize) -> Self {
        Self {
            // A terminal whose last column is written in differs from others in where the cursor is.
            width: width.saturating_sub(1).max(1),
            column: 0,
            word: Vec::new(),
            word_width: 0,
            is_long: false,
        }
    }

    pub(crate) fn push(&mut self, spans: Vec<Span>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for span in spans {
            if span.is_code() && span.text().ends_with('\n') {
                // Lines of code are broken by nobody.
                self.end_word(0);
                pieces.push(Piece::Text(span));
                continue;
            }
            let mut text = String::new();
            for letter in span.text().chars() {
                let wide = letter.width().unwrap_or(0);
                if letter == '\n' {
                    text.push(letter);
                    self.end_word(0);
                } else if letter == ' ' && self.column >= self.width && !self.is_long {
                    text.push('\n');
                    self.end_word(0);
                } else if letter == ' ' {
                    text.push(letter);
                    self.end_word(self.column + 1);
                } else {
                    if self.column + wide > self.width && !self.is_long {
                        self.overflow(&span, &mut text, &mut pieces);
                    }
                    text.push(letter);
                    self.word.push(span.with(letter.to_string()));
                    self.word_width += wide;
                    self.column += wide;
                }
            }
            if !text.is_empty() {
                pieces.push(Piece::Text(span.with(text)));
            }
        }
        pieces
    }

    /// Moves the word to the next line, if it began in this one and fits there.
    fn overflow(&mut self, span: &Span, text: &mut String, pieces: &mut Vec<Piece>) {
        if self.word_width >= self.column {
            self.is_long = true;
            return;
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(span.with(std::mem::take(text))));
        }
        pieces.push(Piece::Moved(self.word_width));
        let same = self.word.iter().map(|it| it.with(it.text().to_owned()));
        pieces.extend(same.map(Piece::Text));
        self.column = self.word_width;
    }

    fn end_word(&mut self, column: usize) {
        self.column = match self.is_long {
            true => column % (self.width + 1),
            false => column,
        };
        self.word.clear();
        self.word_width = 0;
        self.is_long = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superstep_agent::{code, strong};

    fn texts(rows: Vec<Vec<Span>>) -> Vec<String> {
        let text = |row: &Vec<Span>| row.iter().map(Span::text).collect();
        rows.iter().map(text).collect()
    }

    #[test]
    fn lines_break_where_the_screen_ends_also_for_wide_letters() {
        let rows = wrapped(&[plain("abc"), strong("日本語")], 6);
        assert_eq!(texts(rows), ["abc日", "本語"]);
        assert_eq!(wrapped(&[], 6).len(), 1);
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        let rows = wrapped(&[plain("one two "), strong("three fourteen")], 8);
        assert_eq!(texts(rows), ["one two ", "three ", "fourteen"]);
    }

    #[test]
    fn every_row_of_a_line_of_a_model_is_marked() {
        let rows = texts(wrapped(&[plain("│ fine --- From: ann")], 7));
        assert!(rows.len() > 2, "{rows:?}");
        assert!(rows.iter().all(|row| row.starts_with("│ ")), "{rows:?}");
    }

    #[test]
    fn rows_of_a_table_begin_below_their_column() {
        let rows = indented(&[strong("  /undo  "), plain("undo your last answer")], 20);
        assert_eq!(texts(rows), ["  /undo  undo your ", "         last answer"]);
    }

    #[test]
    fn a_command_stays_in_one_piece_for_a_terminal() {
        let line = [
            plain("Saved. Resume with: "),
            plain("superstep threads resume archie-1"),
        ];
        let rows = texts(soft_wrapped(&line, 24));
        assert_eq!(
            rows,
            ["Saved. Resume with: ", "superstep threads resume archie-1"]
        );
        let rows = texts(soft_wrapped(
            &[plain("say `superstep db check` to know")],
            24,
        ));
        assert_eq!(rows, ["say `superstep db check`", "to know"]);
    }

    #[test]
    fn a_column_far_to_the_right_stands_below() {
        let rows = texts(stacked(
            "  superstep demo             see the agents work",
            24,
        ));
        assert_eq!(
            rows,
            ["  superstep demo", "      see the agents ", "      work"]
        );
        let rows = texts(stacked("  ask     Archie: answer a question", 24));
        assert_eq!(rows, ["  ask     Archie: answer", "          a question"]);
        assert_eq!(texts(stacked("  short  enough", 24)), ["  short  enough"]);
    }

    #[test]
    fn a_row_that_is_cut_says_so() {
        let row = cut(&[plain("one "), plain("two three")], 8);
        assert_eq!(texts(vec![row]), ["one two…"]);
        let whole = cut(&[plain("one two")], 7);
        assert_eq!(texts(vec![whole]), ["one two"]);
    }

    /// What a terminal of a width shows of a text that comes letter by letter.
    fn streamed(spans: Vec<Span>, width: usize) -> String {
        let mut flow = Flow::new(width);
        let mut shown = String::new();
        for span in spans {
            for piece in flow.push(vec![span]) {
                match piece {
                    Piece::Text(span) => shown.push_str(span.text()),
                    Piece::Moved(count) => {
                        for _ in 0..count {
                            shown.pop();
                        }
                        shown.push('\n');
                    }
                }
            }
        }
        shown
    }

    #[test]
    fn a_word_that_reaches_the_edge_of_a_text_that_streams_moves_to_the_next_line() {
        let letters = "one two three fourteen".chars().map(plain).collect();
        assert_eq!(streamed(letters, 9), "one two \nthree \nfourteen");
        // A word that no line has room for is the terminal's.
        assert_eq!(streamed(vec![plain("a 01234567 b")], 6), "a \n01234567 b");
        let block = vec![code("  let one = two + three;\n"), plain("so")];
        assert_eq!(streamed(block, 9), "  let one = two + three;\nso");
    }
}
