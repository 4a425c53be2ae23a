//! Whether others may use a symbol, by the rules of each language.

use tree_sitter::Node;

use super::slice;
use crate::facts::{File, Language};

/// Whether others may use what a node defines, as far as the node says so itself. `is_member` is for types of C++.
pub(super) fn is_public(
    node: Node<'_>,
    text: &str,
    name: &str,
    file: &File,
    is_member: bool,
) -> bool {
    match file.language {
        Language::Rust => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor)
                .take(3)
                .any(|child| child.kind() == "visibility_modifier" && slice(child, text) == "pub")
        }
        Language::Python => !name.starts_with('_'),
        Language::Go => name.starts_with(char::is_uppercase),
        Language::Java => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor)
                .take(2)
                .any(|child| child.kind() == "modifiers" && slice(child, text).contains("public"))
        }
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            let mut cursor = node.walk();
            let is_hidden = |child: Node<'_>| {
                child.kind() == "accessibility_modifier" && slice(child, text) != "public"
            };
            if name.starts_with('#') || node.named_children(&mut cursor).any(is_hidden) {
                return false;
            }
            // A method is as public as its class, which is around its body.
            let levels = match node.kind() {
                "method_definition" | "abstract_method_signature" => 3,
                _ => 2,
            };
            let mut above = node.parent();
            for _ in 0..levels {
                if above.is_some_and(|above| above.kind() == "export_statement") {
                    return true;
                }
                above = above.and_then(|above| above.parent());
            }
            false
        }
        Language::C | Language::Cpp => {
            let is_header = [".h", ".hh", ".hpp", ".hxx"]
                .iter()
                .any(|ending| file.path.ends_with(ending));
            let is_macro = ["preproc_def", "preproc_function_def"].contains(&node.kind());
            let mut cursor = node.walk();
            let is_static = node.named_children(&mut cursor).take(4).any(|child| {
                child.kind() == "storage_class_specifier" && slice(child, text) == "static"
            });
            // A macro of a source is of that source alone, and so is what is static outside of a type.
            is_header || !is_macro && (is_member || !is_static)
        }
        _ => false,
    }
}
