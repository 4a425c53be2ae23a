//! Reads a struct and its attributes.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Data, DeriveInput, Error, Fields, GenericArgument, Ident, LitInt, Path, PathArguments, Result,
    Token, Type, Visibility, ext::IdentExt, meta::ParseNestedMeta, spanned::Spanned,
};

use super::serde_attributes::SerdeAttributes;

/// Names that the update type uses itself.
const TAKEN: [&str; 3] = ["goto", "end", "send"];

/// Reducers that need no path. All of them write the type of the field (`Write` = `T`). A name here hides a
/// user's reducer of that name and is part of stored fingerprints: adding one is a breaking change.
pub(crate) const KNOWN: [&str; 6] = ["Last", "Append", "Sum", "Max", "Min", "Merge"];

/// Names that people try, and what they mean.
const MEANT: [(&str, &str); 9] = [
    ("Add", "`Append` adds to a list and `Sum` to a number"),
    ("Concat", "`Append` adds to a list"),
    ("Extend", "`Append` adds to a list"),
    ("Push", "`Append` adds to a list"),
    ("Count", "`Sum` adds to a number"),
    ("Union", "`Merge` adds to a map or a set"),
    (
        "Replace",
        "`Last` replaces, as a field without a reducer does",
    ),
    ("Set", "`Last` replaces, as a field without a reducer does"),
    (
        "Overwrite",
        "`Last` replaces, as a field without a reducer does",
    ),
];

pub(crate) struct Spec<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) version: u32,
    pub(crate) migrations: Vec<(u32, Path)>,
    pub(crate) update_migrations: Vec<(u32, Path)>,
    pub(crate) fields: Vec<Field<'a>>,
}

pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    /// Its name as data: that of Rust, unless serde has another.
    pub(crate) name: String,
    pub(crate) ty: &'a Type,
    pub(crate) reducer: Reducer,
    pub(crate) keep: Keep,
    /// Whether only nodes write it.
    pub(crate) sealed: bool,
    /// Whether serde has a default for it.
    pub(crate) default: bool,
}

/// The reducer of a field.
pub(crate) struct Reducer {
    path: Option<Path>,
    /// Where the compiler complains if it does not fit.
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Stored,
    Ephemeral,
    Untracked,
}

impl<'a> Spec<'a> {
    pub(crate) fn parse(input: &'a DeriveInput) -> Result<Self> {
        let Data::Struct(data) = &input.data else {
            let message = "a state is a struct: its fields are the channels of the graph";
            return Err(Error::new_spanned(&input.ident, message));
        };
        let Fields::Named(named) = &data.fields else {
            let message = "a state is a struct with named fields";
            return Err(Error::new_spanned(&input.ident, message));
        };
        if let Some(parameter) = input.generics.params.first() {
            let message = "a state has no parameters: what is stored needs one type";
            return Err(Error::new_spanned(parameter, message));
        }
        let mut spec = Self {
            ident: &input.ident,
            vis: &input.vis,
            version: 1,
            migrations: Vec::new(),
            update_migrations: Vec::new(),
            fields: Vec::with_capacity(named.named.len()),
        };
        spec.read_container(input)?;
        let serde = SerdeAttributes::parse(&input.attrs)?;
        for field in &named.named {
            spec.fields.extend(Field::parse(field, &serde)?);
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = spec.fields.iter().find(|field| !names.insert(&field.name)) {
            let message = format!("two fields are named `{}` by serde", twice.name);
            return Err(Error::new_spanned(twice.ident, message));
        }
        Ok(spec)
    }

    pub(crate) fn update_ident(&self) -> Ident {
        format_ident!("{}Update", self.ident)
    }

    fn read_container(&mut self, input: &DeriveInput) -> Result<()> {
        for attribute in input
            .attrs
            .iter()
            .filter(|attribute| attribute.path().is_ident("state"))
        {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("version") {
                    self.version = meta.value()?.parse::<LitInt>()?.base10_parse()?;
                    return Ok(());
                }
                if meta.path.is_ident("migrate") {
                    return read_migrations(&mut self.migrations, &meta);
                }
                if meta.path.is_ident("migrate_update") {
                    return read_migrations(&mut self.update_migrations, &meta);
                }
                let message = "unknown attribute: a state has `version = 2`, \
                               `migrate(1 => function)` and `migrate_update(1 => function)`";
                Err(meta.error(message))
            })?;
        }
        for (from, function) in self.migrations.iter().chain(&self.update_migrations) {
            if *from >= self.version {
                let version = self.version;
                let message = format!("migrations lead to version {version} and start below it");
                return Err(Error::new_spanned(function, message));
            }
        }
        Ok(())
    }
}

fn read_migrations(all: &mut Vec<(u32, Path)>, meta: &ParseNestedMeta<'_>) -> Result<()> {
    let content;
    syn::parenthesized!(content in meta.input);
    while !content.is_empty() {
        let from: LitInt = content.parse()?;
        let version = from.base10_parse()?;
        if all.iter().any(|(other, _)| *other == version) {
            let message = format!("version {version} has two migrations");
            return Err(Error::new(from.span(), message));
        }
        content.parse::<Token![=>]>()?;
        all.push((version, content.parse()?));
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(())
}

impl<'a> Field<'a> {
    fn parse(field: &'a syn::Field, of_all: &SerdeAttributes) -> Result<Option<Self>> {
        let Some(ident) = &field.ident else {
            return Ok(None);
        };
        let name = ident.unraw().to_string();
        if TAKEN.contains(&name.as_str()) {
            let message =
                format!("the update type has a method `{name}`; name the field otherwise");
            return Err(Error::new_spanned(ident, message));
        }
        let mut reducer = Reducer {
            path: None,
            span: field.ty.span(),
        };
        let (mut keep, mut sealed) = (Keep::Stored, false);
        for attribute in &field.attrs {
            if attribute.path().is_ident("reduce") {
                let path: Path = attribute.parse_args()?;
                refuse_unknown(&path)?;
                reducer = Reducer {
                    span: path.span(),
                    path: Some(path),
                };
            } else if attribute.path().is_ident("state") {
                attribute.parse_nested_meta(|meta| {
                    match meta.path.get_ident().map(Ident::to_string).as_deref() {
                        Some("ephemeral") => keep = Keep::Ephemeral,
                        Some("untracked") => keep = Keep::Untracked,
                        Some("sealed") => sealed = true,
                        _ => {
                            let message = "unknown attribute: a field is `ephemeral` or `untracked`, \
                                           and may be `sealed`";
                            return Err(meta.error(message));
                        }
                    }
                    Ok(())
                })?;
            }
        }
        let serde = SerdeAttributes::parse(&field.attrs)?;
        let name = match (serde.rename, of_all.rename_all) {
            (Some(name), _) => name,
            (None, Some(case)) => case.write(&name),
            (None, None) => name,
        };
        Ok(Some(Self {
            ident,
            vis: &field.vis,
            name,
            ty: &field.ty,
            reducer,
            keep,
            sealed,
            default: of_all.default || serde.default,
        }))
    }

    /// Its entry in the list of fields.
    pub(crate) fn spec(&self) -> TokenStream {
        let name = &self.name;
        let keep = match self.keep {
            Keep::Stored => quote! {Stored},
            Keep::Ephemeral => quote! {Ephemeral},
            Keep::Untracked => quote! {Untracked},
        };
        quote! {(#name, ::superstep::Keep::#keep)}
    }

    /// What a node writes to it.
    pub(crate) fn write(&self) -> TokenStream {
        let Self { ty, reducer, .. } = self;
        if reducer.is_known() {
            return quote! {#ty};
        }
        quote_spanned! {reducer.span=> <#reducer as ::superstep::Reducer<#ty>>::Write}
    }

    /// The type of its items, if it is written as a `Vec`.
    pub(crate) fn item(&self) -> Option<&Type> {
        let Type::Path(ty) = self.ty else {
            return None;
        };
        let last = ty.path.segments.last().filter(|last| last.ident == "Vec")?;
        let PathArguments::AngleBracketed(arguments) = &last.arguments else {
            return None;
        };
        match arguments.args.first() {
            Some(GenericArgument::Type(item)) => Some(item),
            _ => None,
        }
    }

    /// Whether it is a list of `String`s, which a setter takes as literals too.
    pub(crate) fn is_texts(&self) -> bool {
        let is_list = self.reducer.is_last() || self.reducer.is("Append");
        is_list && self.item().is_some_and(is_string)
    }

    /// The items that an update appends one by one.
    pub(crate) fn pushed(&self) -> Option<&Type> {
        self.item().filter(|_| self.reducer.is("Append"))
    }

    /// Whether a setter takes whatever converts: only where a literal keeps one meaning.
    pub(crate) fn converts(&self) -> bool {
        if self.reducer.is("Append") {
            return true;
        }
        let Type::Path(ty) = self.ty else {
            return false;
        };
        let last = ty
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string());
        self.reducer.is_last()
            && matches!(
                last.as_deref(),
                Some("Option" | "String" | "Vec" | "PathBuf" | "Arc" | "Box")
            )
    }
}

/// Refuses a name that is no reducer and that Rust would look for elsewhere.
fn refuse_unknown(path: &Path) -> Result<()> {
    let Some(name) = path.get_ident() else {
        return Ok(());
    };
    let meant = MEANT.iter().find(|(tried, _)| name == tried);
    meant.map_or(Ok(()), |(tried, meant)| {
        let message = format!(
            "there is no reducer `{tried}`: {meant}; there are Append, Sum, Merge, Max, Min and Last. \
             One of your own with this name is `self::{tried}`"
        );
        Err(Error::new_spanned(path, message))
    })
}

/// Whether a type is written as `String`.
pub(crate) fn is_string(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "String"))
}

impl Reducer {
    fn is(&self, name: &str) -> bool {
        self.own_name().is_some_and(|own| own == name)
    }

    /// The name of a reducer that is written alone or as `superstep::Name`.
    fn own_name(&self) -> Option<&Ident> {
        let mut names = self.path.as_ref()?.segments.iter().map(|part| &part.ident);
        match (names.next(), names.next(), names.next()) {
            (Some(name), None, _) => Some(name),
            (Some(own), Some(name), None) if own == "superstep" => Some(name),
            _ => None,
        }
    }

    /// Whether it is one of ours, all of which write what the field holds.
    fn is_known(&self) -> bool {
        self.path.is_none() || KNOWN.iter().any(|known| self.is(known))
    }

    pub(crate) fn is_last(&self) -> bool {
        self.path.is_none() || self.is("Last")
    }
}

impl ToTokens for Reducer {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match &self.path {
            None => quote_spanned! {self.span=> ::superstep::Last},
            Some(path) => match self.own_name().filter(|_| self.is_known()) {
                Some(name) => quote_spanned! {self.span=> ::superstep::#name},
                None => quote! {#path},
            },
        });
    }
}
