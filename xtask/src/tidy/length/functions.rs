//! Lists the functions of a file, from `fn` to the closing brace.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

pub(super) struct Function {
    /// `module::Type::name`, or `<Type as Trait>::name`.
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) lines: usize,
}

pub(super) fn list(file: &syn::File) -> Vec<Function> {
    let mut visitor = Visitor::default();
    visitor.visit_file(file);
    visitor.functions
}

#[derive(Default)]
struct Visitor {
    scope: Vec<String>,
    functions: Vec<Function>,
}

impl Visitor {
    fn within(&mut self, name: String, inside: impl FnOnce(&mut Visitor)) {
        self.scope.push(name);
        inside(self);
        self.scope.pop();
    }

    fn function(
        &mut self,
        signature: &syn::Signature,
        body: &syn::Block,
        inside: impl FnOnce(&mut Visitor),
    ) {
        let line = signature.fn_token.span.start().line;
        let end = body.brace_token.span.close().end().line;
        self.within(signature.ident.to_string(), |visitor| {
            visitor.functions.push(Function {
                name: visitor.scope.join("::"),
                line,
                lines: end - line + 1,
            });
            inside(visitor);
        });
    }
}

impl<'ast> Visit<'ast> for Visitor {
    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        self.within(node.ident.to_string(), |visitor| {
            visit::visit_item_mod(visitor, node)
        });
    }

    fn visit_item_trait(&mut self, node: &'ast syn::ItemTrait) {
        self.within(node.ident.to_string(), |visitor| {
            visit::visit_item_trait(visitor, node)
        });
    }

    fn visit_item_impl(&mut self, node: &'ast syn::ItemImpl) {
        let of = source(&*node.self_ty);
        let scope = match &node.trait_ {
            Some((path, _)) => format!("<{of} as {}>", source(path)),
            None => of,
        };
        self.within(scope, |visitor| visit::visit_item_impl(visitor, node));
    }

    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.function(&node.sig, &node.block, |visitor| {
            visit::visit_item_fn(visitor, node)
        });
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        self.function(&node.sig, &node.block, |visitor| {
            visit::visit_impl_item_fn(visitor, node)
        });
    }

    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        match &node.default {
            Some(body) => self.function(&node.sig, body, |visitor| {
                visit::visit_trait_item_fn(visitor, node)
            }),
            None => visit::visit_trait_item_fn(self, node),
        }
    }
}

fn source(node: &impl Spanned) -> String {
    let text = node.span().source_text().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
