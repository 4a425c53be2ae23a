//! The update type of a state.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::parse::{Field, Spec, is_string};

pub(super) fn expand(spec: &Spec<'_>) -> TokenStream {
    let Spec {
        ident, vis, fields, ..
    } = spec;
    let update = spec.update_ident();
    let names: Vec<_> = fields.iter().map(|field| field.ident).collect();
    let docs = format!("A partial change of [`{ident}`]: a field that is not set keeps its value.");
    let members = fields.iter().map(|field| {
        let Field {
            ident,
            vis,
            ty,
            name,
            ..
        } = field;
        let (write, docs) = (field.write(), format!("What to do with `{name}`."));
        quote! {
            #[doc = #docs]
            #vis #ident: ::std::option::Option<::superstep::Put<#write, #ty>>
        }
    });
    let setters = fields.iter().map(setter);
    let pushes = fields.iter().filter_map(|field| push(field, fields));
    let wholes = fields.iter().map(|Field { ident, reducer, .. }| {
        let put = if reducer.is_last() {
            quote! {Write}
        } else {
            quote! {Overwrite}
        };
        quote! {#ident: ::std::option::Option::Some(::superstep::Put::#put(state.#ident))}
    });
    let indices: Vec<usize> = (0..fields.len()).collect();
    quote! {
        #[doc = #docs]
        #[derive(Clone)]
        #[must_use = "an update does nothing until a node returns it"]
        #vis struct #update { #(#members),* }

        impl #update {
            #(#setters)*
            #(#pushes)*

            /// Applies the update and goes to a node.
            #[allow(dead_code)]
            #vis fn goto<AnyNode>(self, node: AnyNode) -> ::superstep::Command<#ident, AnyNode> {
                ::superstep::Command::update(self).and_goto(node)
            }

            /// Applies the update and goes nowhere.
            #[allow(dead_code)]
            #vis fn end<AnyNode>(self) -> ::superstep::Command<#ident, AnyNode> {
                ::superstep::Command::update(self)
            }

            /// Applies the update and runs a node with a payload of its own.
            #[allow(dead_code)]
            #vis fn send<AnyNode, AnyPayload>(self, node: AnyNode, payload: &AnyPayload) -> ::superstep::Command<#ident, AnyNode>
            where
                AnyPayload: ::superstep::__private::Payload,
            {
                ::superstep::Command::update(self).and_send(node, payload)
            }
        }

        #[automatically_derived]
        impl ::std::default::Default for #update {
            fn default() -> Self {
                Self { #(#names: ::std::option::Option::None),* }
            }
        }

        #[automatically_derived]
        impl ::std::convert::From<#ident> for #update {
            #[allow(unused_variables)]
            fn from(state: #ident) -> Self {
                Self { #(#wholes),* }
            }
        }

        #[automatically_derived]
        impl ::std::fmt::Debug for #update {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let value = ::superstep::Update::into_value(::std::clone::Clone::clone(self));
                ::std::fmt::Debug::fmt(&value, f)
            }
        }

        #[automatically_derived]
        #[allow(unused_mut, unused_variables)]
        impl ::superstep::Update for #update {
            type State = #ident;

            fn into_writes(self) -> ::std::vec::Vec<(usize, ::superstep::Value)> {
                let mut writes = ::std::vec::Vec::new();
                #(if let ::std::option::Option::Some(put) = self.#names {
                    writes.push((#indices, ::superstep::field::into_value(put)));
                })*
                writes
            }

            fn read_write(
                &mut self,
                field: usize,
                value: ::superstep::Value,
            ) -> ::std::result::Result<(), ::superstep::__private::DecodeError> {
                match field {
                    #(#indices => {
                        self.#names =
                            ::std::option::Option::Some(::superstep::field::from_value(value)?);
                    })*
                    _ => {}
                }
                ::std::result::Result::Ok(())
            }
        }

        #[automatically_derived]
        impl<AnyNode: ::superstep::Nodes> ::superstep::IntoCommand<#ident, AnyNode> for #update {
            fn into_command(
                self,
            ) -> ::std::result::Result<::superstep::Command<#ident, AnyNode>, ::superstep::NodeError> {
                ::std::result::Result::Ok(::superstep::Command::update(self))
            }
        }
    }
}

fn setter(field: &Field<'_>) -> TokenStream {
    let Field {
        ident,
        vis,
        ty,
        name,
        reducer,
        ..
    } = field;
    let write = field.write();
    let (taken, given) = if field.is_texts() {
        (
            quote! {impl ::superstep::field::IntoTexts},
            quote! {::superstep::field::IntoTexts::into_texts(value)},
        )
    } else if field.converts() {
        (
            quote! {impl ::std::convert::Into<#write>},
            quote! {::std::convert::Into::into(value)},
        )
    } else {
        (quote! {#write}, quote! {value})
    };
    let docs = if reducer.is_last() {
        format!("Sets `{name}`.")
    } else {
        format!("Reduces a value into `{name}`.")
    };
    let set = quote! {
        #[doc = #docs]
        #[allow(dead_code)]
        #vis fn #ident(mut self, value: #taken) -> Self {
            self.#ident = ::std::option::Option::Some(::superstep::Put::Write(#given));
            self
        }
    };
    if reducer.is_last() {
        return set;
    }
    let overwrite = format_ident!("overwrite_{}", ident);
    let docs = format!("Replaces `{name}`, whatever its reducer.");
    quote! {
        #set

        #[doc = #docs]
        #[allow(dead_code)]
        #vis fn #overwrite(mut self, value: #ty) -> Self {
            self.#ident = ::std::option::Option::Some(::superstep::Put::Overwrite(value));
            self
        }
    }
}

/// Appends one item to a list, after those that the update has already.
fn push(field: &Field<'_>, all: &[Field<'_>]) -> Option<TokenStream> {
    let Field {
        ident, vis, name, ..
    } = field;
    let item = field.pushed()?;
    let push = format_ident!("push_{}", ident);
    if all.iter().any(|other| *other.ident == push) {
        return None;
    }
    let (taken, given) = match is_string(item) {
        true => (
            quote! {impl ::std::convert::Into<::std::string::String>},
            quote! {::std::convert::Into::into(item)},
        ),
        false => (quote! {#item}, quote! {item}),
    };
    let docs = format!("Appends one item to `{name}`.");
    Some(quote! {
        #[doc = #docs]
        #[allow(dead_code)]
        #vis fn #push(mut self, item: #taken) -> Self {
            ::superstep::field::push(&mut self.#ident, #given);
            self
        }
    })
}
