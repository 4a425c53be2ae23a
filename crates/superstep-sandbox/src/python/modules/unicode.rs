//! What `unicodedata` needs: normal forms, kinds and classes of characters.

use unicode_normalization::{UnicodeNormalization as _, char::canonical_combining_class};
use unicode_properties::{GeneralCategory as Kind, UnicodeGeneralCategory as _};

use crate::python::value::{Function, Value};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("normalize", |vm, args| {
        let (form, text) = (vm.text_argument(&args, 0)?, vm.text_argument(&args, 1)?);
        // A character has at most 18 in its longest form.
        vm.room(text.len().saturating_mul(18))?;
        Ok(Value::str(match &*form {
            "NFC" => text.nfc().collect::<String>(),
            "NFD" => text.nfd().collect(),
            "NFKC" => text.nfkc().collect(),
            "NFKD" => text.nfkd().collect(),
            _ => return Err(vm.error("ValueError", "invalid normalization form")),
        }))
    }),
    ("category", |vm, args| {
        let text = vm.text_argument(&args, 0)?;
        let kind = text.chars().next().map(|c| c.general_category());
        Ok(Value::str(kind.map_or("Cn", name)))
    }),
    ("combining", |vm, args| {
        let text = vm.text_argument(&args, 0)?;
        let class = text.chars().next().map(canonical_combining_class);
        Ok(Value::Int(i64::from(class.unwrap_or(0))))
    }),
];

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::UppercaseLetter => "Lu",
        Kind::LowercaseLetter => "Ll",
        Kind::TitlecaseLetter => "Lt",
        Kind::ModifierLetter => "Lm",
        Kind::OtherLetter => "Lo",
        Kind::NonspacingMark => "Mn",
        Kind::SpacingMark => "Mc",
        Kind::EnclosingMark => "Me",
        Kind::DecimalNumber => "Nd",
        Kind::LetterNumber => "Nl",
        Kind::OtherNumber => "No",
        Kind::ConnectorPunctuation => "Pc",
        Kind::DashPunctuation => "Pd",
        Kind::OpenPunctuation => "Ps",
        Kind::ClosePunctuation => "Pe",
        Kind::InitialPunctuation => "Pi",
        Kind::FinalPunctuation => "Pf",
        Kind::OtherPunctuation => "Po",
        Kind::MathSymbol => "Sm",
        Kind::CurrencySymbol => "Sc",
        Kind::ModifierSymbol => "Sk",
        Kind::OtherSymbol => "So",
        Kind::SpaceSeparator => "Zs",
        Kind::LineSeparator => "Zl",
        Kind::ParagraphSeparator => "Zp",
        Kind::Control => "Cc",
        Kind::Format => "Cf",
        Kind::Surrogate => "Cs",
        Kind::PrivateUse => "Co",
        Kind::Unassigned => "Cn",
    }
}
