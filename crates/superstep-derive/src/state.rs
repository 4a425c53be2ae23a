//! `#[derive(State)]`: [`parse`] reads the struct, [`update`] makes its update type, [`shape`] says
//! what a stored state is compared by.

mod parse;
mod serde_attributes;
mod shape;
mod update;

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{DeriveInput, Path, Result};

use parse::{Field, Spec};

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let spec = Spec::parse(input)?;
    let state = state(&spec);
    let update = update::expand(&spec);
    Ok(quote! {
        #state
        #update
    })
}

fn state(spec: &Spec<'_>) -> TokenStream {
    let Spec {
        ident,
        vis,
        version,
        fields,
        ..
    } = spec;
    let update = spec.update_ident();
    let shapes = fields.iter().map(shape::of);
    let specs = fields.iter().map(Field::spec);
    let sealed = fields.iter().filter(|field| field.sealed);
    let sealed = sealed.map(|field| &field.name);
    let migrate = [migrate(spec), migrate_update(spec)];
    let arms = |arm: &dyn Fn(usize, &Field<'_>) -> TokenStream| -> Vec<TokenStream> {
        fields
            .iter()
            .enumerate()
            .map(|(at, field)| arm(at, field))
            .collect()
    };
    let ops = arms(&|at, Field { ty, reducer, .. }| {
        let ops = format_ident!("FIELD_{at}");
        let of = quote_spanned! {reducer.span=> <::superstep::field::Ops<#ty>>::of::<#reducer>()};
        quote! {const #ops: ::superstep::field::Ops<#ty> = #of;}
    });
    let folds = arms(&|at, field| {
        let (ops, ident, spec) = (format_ident!("FIELD_{at}"), field.ident, field.spec());
        quote! {#at => (#ops.fold)(&mut self.#ident, #spec, writes, recording)}
    });
    let looks = arms(&|at, Field { ident, name, .. }| {
        let ops = format_ident!("FIELD_{at}");
        quote! {#at => {
            let undo = (#ops.try_fold)(&mut self.#ident, #name, writes)?;
            ::std::result::Result::Ok(::std::boxed::Box::new(
                move |state: &mut Self| undo(&mut state.#ident)
            ))
        }}
    });
    let restores = arms(&|at, Field { ident, .. }| {
        let ops = format_ident!("FIELD_{at}");
        quote! {#at => (#ops.restore)(&mut self.#ident, change)}
    });
    let gets = arms(&|at, Field { ident, .. }| {
        quote! {#at => {
            let value = ::std::clone::Clone::clone(&self.#ident);
            ::std::option::Option::Some(::superstep::Value::typed(value))
        }}
    });
    let references = arms(&|at, Field { ident, .. }| {
        quote! {#at => ::std::option::Option::Some(&self.#ident)}
    });
    let overwrites = arms(&|at, _| {
        let ops = format_ident!("FIELD_{at}");
        quote! {#at => (#ops.overwrite)(value)}
    });
    let leads = arms(&|at, Field { ident, .. }| {
        let ops = format_ident!("FIELD_{at}");
        quote! {#at => (#ops.lead)(&self.#ident, after)}
    });
    let resets = arms(&|at, Field { ident, .. }| {
        quote! {#at => self.#ident = <Self as ::std::default::Default>::default().#ident}
    });
    quote! {
        impl #ident {
            /// An empty update: every field keeps its value.
            #[allow(dead_code)]
            #vis fn update() -> #update {
                ::std::default::Default::default()
            }
        }

        const _: () = {
        #(#ops)*

        #[automatically_derived]
        #[allow(unused_variables)]
        impl ::superstep::State for #ident {
            type Update = #update;
            const VERSION: u32 = #version;
            const FIELDS: &'static [(&'static str, ::superstep::Keep)] = &[#(#specs),*];
            const SHAPES: &'static [::superstep::__private::FieldShape] = &[#(#shapes),*];
            const SEALED: &'static [&'static str] = &[#(#sealed),*];

            fn fold(
                &mut self,
                field: usize,
                writes: ::superstep::__private::Writes<'_>,
                recording: ::superstep::__private::Recording,
            ) -> ::std::result::Result<::superstep::__private::Folded, ::superstep::ErrorKind> {
                match field {
                    #(#folds,)*
                    _ => ::std::result::Result::Ok(::std::default::Default::default()),
                }
            }

            fn try_fold(
                &mut self,
                field: usize,
                writes: ::std::vec::Vec<::superstep::Value>,
            ) -> ::std::result::Result<::superstep::Undo<Self>, ::superstep::ErrorKind> {
                match field {
                    #(#looks,)*
                    _ => ::std::result::Result::Ok(::std::boxed::Box::new(|_| {})),
                }
            }

            fn restore(
                &mut self,
                field: usize,
                change: &::superstep::__private::Change,
            ) -> ::std::result::Result<(), ::superstep::__private::DecodeError> {
                match field {
                    #(#restores,)*
                    _ => ::std::result::Result::Ok(()),
                }
            }

            fn get(&self, field: usize) -> ::std::option::Option<::superstep::Value> {
                match field {
                    #(#gets,)*
                    _ => ::std::option::Option::None,
                }
            }

            fn field(&self, field: usize) -> ::std::option::Option<&dyn ::std::any::Any> {
                match field {
                    #(#references,)*
                    _ => ::std::option::Option::None,
                }
            }

            fn overwrite(
                field: usize,
                value: &dyn ::std::any::Any,
            ) -> ::std::result::Result<::superstep::Value, ::superstep::__private::DecodeError> {
                match field {
                    #(#overwrites,)*
                    _ => ::std::result::Result::Ok(::std::default::Default::default()),
                }
            }

            fn lead(
                &self,
                field: usize,
                after: &dyn ::std::any::Any,
            ) -> ::std::result::Result<
                ::std::option::Option<::superstep::Value>,
                ::superstep::__private::DecodeError,
            > {
                match field {
                    #(#leads,)*
                    _ => ::std::result::Result::Ok(::std::option::Option::None),
                }
            }

            fn reset(&mut self, field: usize) {
                match field {
                    #(#resets,)*
                    _ => {}
                }
            }

            #(#migrate)*

            #[allow(unused_imports, clippy::needless_borrow)]
            fn schema() -> ::std::option::Option<::superstep::__private::Json> {
                use ::superstep::__private::probe::{Known as _, Probe, Unknown as _};
                (&Probe::<Self>::new()).schema()
            }
        }
        };
    }
}

fn migrate(spec: &Spec<'_>) -> TokenStream {
    if spec.migrations.is_empty() {
        return quote! {};
    }
    let steps = steps(&spec.migrations);
    quote! {
        fn migrate(
            from: u32,
            mut data: ::superstep::__private::Json,
        ) -> ::std::result::Result<::superstep::__private::Json, ::std::string::String> {
            #steps
            ::std::result::Result::Ok(data)
        }
    }
}

fn migrate_update(spec: &Spec<'_>) -> TokenStream {
    if spec.update_migrations.is_empty() {
        return quote! {};
    }
    let steps = steps(&spec.update_migrations);
    quote! {
        fn migrate_update(
            from: u32,
            mut data: ::superstep::__private::Json,
        ) -> ::std::result::Result<
            ::std::option::Option<::superstep::__private::Json>,
            ::std::string::String,
        > {
            #steps
            ::std::result::Result::Ok(::std::option::Option::Some(data))
        }
    }
}

/// Brings `data` from version `from` to that of the state, one version after the other.
fn steps(migrations: &[(u32, Path)]) -> TokenStream {
    let arms = migrations.iter().map(|(from, function)| {
        quote! {#from => #function(data)}
    });
    quote! {
        let mut version = from;
        while version != Self::VERSION {
            data = match version {
                #(#arms,)*
                _ => return ::superstep::__private::no_migration::<Self, _>(version),
            }
            .map_err(|why: ::std::string::String| {
                ::std::format!("the migration from version {version} failed: {why}")
            })?;
            version += 1;
        }
    }
}
