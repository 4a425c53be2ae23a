//! A call of a function of ours in the calculation.

use std::sync::Arc;

use formualizer_common::ExcelError;
use formualizer_eval::{
    function::Function,
    traits::{ArgumentHandle, CalcValue, FunctionContext},
};

/// What a function is called with.
pub(super) struct Call<'c, 'a, 'b> {
    pub(super) args: &'c [ArgumentHandle<'a, 'b>],
    context: &'c dyn FunctionContext<'b>,
    /// The function in whose place this one stands.
    usual: Option<&'c Arc<dyn Function>>,
}

/// What a call gives.
pub(super) type Evaluated<'b> = Result<CalcValue<'b>, ExcelError>;

impl<'c, 'a, 'b> Call<'c, 'a, 'b> {
    pub(super) fn new(
        args: &'c [ArgumentHandle<'a, 'b>],
        context: &'c dyn FunctionContext<'b>,
        usual: Option<&'c Arc<dyn Function>>,
    ) -> Self {
        Self {
            args,
            context,
            usual,
        }
    }

    /// What the function gives in whose place this one stands.
    pub(super) fn usual(&self) -> Evaluated<'b> {
        match self.usual {
            Some(usual) => usual.eval(self.args, self.context),
            None => Err(ExcelError::new_value()),
        }
    }

    pub(super) fn first(&self) -> Evaluated<'b> {
        match self.args {
            [first, ..] => first.value(),
            [] => Err(ExcelError::new_value()),
        }
    }
}
