//! Line editor: persistent history, several lines, bracketed paste, completion.

use std::{
    borrow::Cow,
    io,
    path::{Path, PathBuf},
    process::Command,
};

use reedline::{
    DefaultHinter, EditCommand, Emacs, FileBackedHistory, HistoryItem, KeyCode, KeyModifiers,
    Keybindings, Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus, Reedline,
    ReedlineEvent, ReedlineMenu, Signal, ValidationResult, Validator, default_emacs_keybindings,
};

use super::{Line, Topic, completer, menu::Completions, typeahead};
use crate::{dirs, private};

/// How many lines are remembered.
const REMEMBERED: usize = 2_000;

/// The name of the menu of completions.
const MENU: &str = "completion";

/// What Ctrl-C and Ctrl-O end a line with: the words in it are not lost.
const STOP: &str = "stop";
const OUTER: &str = "outer editor";

/// The line editor of a topic.
pub(crate) struct Editor {
    line: Reedline,
}

/// How reading a line ended.
pub(super) enum Typed {
    Line(Line),
    /// Ctrl-C, in a line with these words, which the history has now.
    Stopped(String),
    /// These words are to be written on in the person's editor.
    Outer(String),
}

/// What was written in the person's editor.
pub(crate) enum Composed {
    Text(String),
    /// Nothing, because of this.
    Nothing(String),
}

impl Editor {
    pub(crate) fn new(topic: Topic, command: fn() -> clap::Command) -> Self {
        let menu = Completions::new(MENU);
        let has_colors = std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
        let mut editor = Reedline::create()
            .use_bracketed_paste(true)
            .with_ansi_colors(has_colors)
            .with_validator(Box::new(OpenEnd))
            .with_edit_mode(Box::new(Emacs::new(keys())));
        if topic != Topic::Detail {
            editor = editor
                .with_completer(completer::for_topic(topic, command))
                .with_quick_completions(true)
                .with_partial_completions(true)
                .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
                .with_hinter(Box::new(DefaultHinter::default()));
        }
        // A missing history is no reason to fail.
        if let Some(history) = remembered(topic) {
            editor = editor.with_history(Box::new(history));
        }
        Self { line: editor }
    }

    /// Reads a line that begins as the draft.
    pub(super) fn read(&mut self, prompt: &str, draft: &str, topic: Topic) -> io::Result<Typed> {
        // What Ctrl-C left in the line is not part of it.
        self.line.run_edit_commands(&[
            EditCommand::Clear,
            EditCommand::InsertString(draft.to_owned()),
        ]);
        match topic {
            Topic::Command => {}
            // Typeahead becomes a draft, which is sent or cleared once the question is visible.
            Topic::Message | Topic::Chat => {
                let typed = typeahead::text()?;
                self.line
                    .run_edit_commands(&[EditCommand::InsertString(typed)]);
            }
            Topic::Detail => {
                typeahead::text()?;
            }
        }
        let signal = self.line.read_line(&PromptText(prompt));
        let signal = signal.map_err(io::Error::other)?;
        let typed = match signal {
            Signal::Success(words) => Typed::Line(Line::Text(joined(&words))),
            Signal::HostCommand(what) => {
                let words = self.line.current_buffer_contents().to_owned();
                match what == OUTER {
                    true => Typed::Outer(words),
                    false => Typed::Stopped(words),
                }
            }
            Signal::CtrlC => Typed::Stopped(String::new()),
            _ => Typed::Line(Line::End),
        };
        if let Typed::Stopped(words) = &typed
            && !words.trim().is_empty()
        {
            // As below: what cannot be remembered is no reason to stop.
            let item = HistoryItem::from_command_line(words);
            let _kept = self.line.history_mut().save(item);
        }
        // A process that is killed later must not take what was typed with it. A history that
        // cannot be written is no reason to stop talking.
        let _kept = self.line.sync_history();
        Ok(typed)
    }

    /// A text written in `$VISUAL` or `$EDITOR`, or why there is none.
    pub(crate) fn compose(start: &str) -> io::Result<Composed> {
        let Some(outer) = OuterEditor::find() else {
            return Ok(Composed::Nothing("no editor was found; set EDITOR".into()));
        };
        let OuterEditor { line, from, folder } = &outer;
        let path = draft_in(folder);
        let draft = Draft::new(&path)?;
        std::fs::write(draft.0, start)?;
        let mut words = line.split_whitespace();
        let mut program = Command::new(words.next().unwrap_or_default());
        let ended = program.args(words).arg(draft.0).status();
        let text = std::fs::read_to_string(draft.0);
        drop(draft);
        Ok(match ended {
            Ok(status) if status.success() => Composed::Text(text?),
            Ok(status) => Composed::Nothing(format!("`{line}` ({from}) ended with {status}")),
            Err(error) => Composed::Nothing(format!("cannot start `{line}` ({from}): {error}")),
        })
    }
}

fn keys() -> Keybindings {
    let mut keys = default_emacs_keybindings();
    let complete = vec![
        ReedlineEvent::Menu(MENU.to_owned()),
        ReedlineEvent::MenuNext,
    ];
    keys.add_binding(
        KeyModifiers::NONE,
        KeyCode::Tab,
        ReedlineEvent::UntilFound(complete),
    );
    let line = ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    for with in [KeyModifiers::ALT, KeyModifiers::SHIFT] {
        keys.add_binding(with, KeyCode::Enter, line.clone());
    }
    for (key, what) in [('o', OUTER), ('c', STOP)] {
        keys.add_binding(
            KeyModifiers::CONTROL,
            KeyCode::Char(key),
            ReedlineEvent::ExecuteHostCommand(what.to_owned()),
        );
    }
    keys
}

fn remembered(topic: Topic) -> Option<FileBackedHistory> {
    let name = match topic {
        Topic::Command => "commands",
        Topic::Message | Topic::Chat => "messages",
        Topic::Detail => return None,
    };
    let folder = dirs::state()?;
    superstep::fs::private_dir(&folder).ok()?;
    let file = folder.join(format!("{name}.history"));
    private::make_file(&file).ok()?;
    FileBackedHistory::with_file(REMEMBERED, file).ok()
}

/// The editor of the person, and the folder for a file to write in.
struct OuterEditor {
    line: String,
    /// Where it is named.
    from: &'static str,
    folder: PathBuf,
}

impl OuterEditor {
    fn find() -> Option<Self> {
        let set = |name| {
            std::env::var(name)
                .ok()
                .filter(|set| !set.trim().is_empty())
        };
        let visual = set("VISUAL").map(|line| (line, "$VISUAL"));
        let named = visual.or_else(|| set("EDITOR").map(|line| (line, "$EDITOR")));
        let found = || installed().map(|line| (line.to_owned(), "found on PATH"));
        let (line, from) = named.or_else(found)?;
        let folder = dirs::state()?;
        superstep::fs::private_dir(&folder).ok()?;
        Some(Self { line, from, folder })
    }
}

/// An editor that is installed, for people who have not said which one is theirs.
fn installed() -> Option<&'static str> {
    let places = std::env::var_os("PATH")?;
    let is_there = |name: &&str| std::env::split_paths(&places).any(|it| it.join(name).is_file());
    ["sensible-editor", "editor", "vi", "vim", "nano"]
        .into_iter()
        .find(is_there)
}

fn draft_in(folder: &Path) -> PathBuf {
    folder.join(format!("draft-{}.md", std::process::id()))
}

/// A file to write in, for its owner alone, gone when it is dropped.
struct Draft<'a>(&'a Path);

impl<'a> Draft<'a> {
    fn new(path: &'a Path) -> io::Result<Self> {
        // One that a killed process left would be in the way.
        let _absent = std::fs::remove_file(path);
        private::new_file(path)?;
        Ok(Self(path))
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        let _absent = std::fs::remove_file(self.0);
    }
}

/// A backslash at the end continues a line.
struct OpenEnd;

impl Validator for OpenEnd {
    fn validate(&self, line: &str) -> ValidationResult {
        match line.ends_with('\\') {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Complete,
        }
    }
}

/// The text without the backslashes that kept it open.
fn joined(text: &str) -> String {
    text.replace("\\\n", "\n")
}

/// A prompt in one line.
struct PromptText<'a>(&'a str);

impl Prompt for PromptText<'_> {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("… ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let found = match search.status {
            PromptHistorySearchStatus::Passing => "",
            PromptHistorySearchStatus::Failing => "nothing for ",
        };
        Cow::Owned(format!("(search: {found}{}) ", search.term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_at_the_end_keeps_a_message_open() {
        assert!(matches!(
            OpenEnd.validate("one \\"),
            ValidationResult::Incomplete
        ));
        assert!(matches!(
            OpenEnd.validate("one \\\ntwo"),
            ValidationResult::Complete
        ));
        assert_eq!(joined("one \\\ntwo"), "one \ntwo");
    }
}
