//! The menu of completions, which says that there is none in our words.

use reedline::{
    ColumnarMenu, Completer, Editor, Menu, MenuBuilder, MenuEvent, MenuSettings, Painter,
    Suggestion,
};

/// What is below the line if nothing fits.
const NOTHING: &str = "nothing begins with that";

/// Columns of completions.
pub(super) struct Completions(ColumnarMenu);

impl Completions {
    pub(super) fn new(name: &str) -> Self {
        Self(ColumnarMenu::default().with_name(name).with_marker(""))
    }
}

/// Methods that are those of the columns.
macro_rules! same {
    ($(fn $name:ident(&$self:ident $(, $arg:ident: $kind:ty)*) $(-> $value:ty)?;)*) => {
        $(fn $name(&$self $(, $arg: $kind)*) $(-> $value)? {
            let menu = &$self.0;
            menu.$name($($arg),*)
        })*
    };
    (mut $(fn $name:ident(&mut $self:ident $(, $arg:ident: $kind:ty)*) $(-> $value:ty)?;)*) => {
        $(fn $name(&mut $self $(, $arg: $kind)*) $(-> $value)? {
            let menu = &mut $self.0;
            menu.$name($($arg),*)
        })*
    };
}

impl Menu for Completions {
    same! {
        fn settings(&self) -> &MenuSettings;
        fn is_active(&self) -> bool;
        fn can_quick_complete(&self) -> bool;
        fn replace_in_buffer(&self, editor: &mut Editor);
        fn menu_required_lines(&self, columns: u16) -> u16;
        fn min_rows(&self) -> u16;
        fn get_values(&self) -> &[Suggestion];
        fn results_are_provisional(&self) -> bool;
        fn is_awaiting_first_answer(&self) -> bool;
    }

    same! {
        mut
        fn set_active(&mut self, active: bool);
        fn clear_input(&mut self);
        fn on_activate(&mut self);
        fn on_deactivate(&mut self);
        fn handle_menu_event(&mut self, event: &MenuEvent);
        fn menu_event(&mut self, event: MenuEvent);
        fn can_partially_complete(&mut self, updated: bool, editor: &mut Editor, from: &mut dyn Completer) -> bool;
        fn update_values(&mut self, editor: &mut Editor, from: &mut dyn Completer);
        fn reset_position(&mut self);
        fn reload(&mut self, updated: bool, editor: &mut Editor, from: &mut dyn Completer);
        fn update_working_details(&mut self, editor: &mut Editor, from: &mut dyn Completer, painter: &Painter);
        fn set_cursor_pos(&mut self, place: (u16, u16));
    }

    fn menu_string(&self, lines: u16, has_colors: bool) -> String {
        let drawn = self.0.menu_string(lines, has_colors);
        match self.get_values().is_empty() && !drawn.is_empty() {
            true => NOTHING.to_owned(),
            false => drawn,
        }
    }
}
