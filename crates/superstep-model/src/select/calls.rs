//! Call settings of a choice: limits, effort and prices from the user's file.

use crate::{
    call::{ManagedModel, Policy, Prices},
    config::{Config, Setting},
    model::{Caps, Model},
    request::Effort,
};

/// How a model is called, where the user's file says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSettings {
    /// How many calls run side by side.
    pub at_once: Option<u32>,
    /// How many attempts begin within a minute.
    pub per_minute: Option<u32>,
    /// The limit of output tokens, instead of that of a request.
    pub max_tokens: Option<u32>,
    /// How much the model thinks where a request does not say.
    pub effort: Option<Effort>,
    /// What models cost.
    pub prices: Prices,
}

impl CallSettings {
    /// Those of a provider.
    pub(super) fn of(config: &Config, provider: &str) -> Self {
        let prices = config.prices();
        let Some(settings) = config.provider(provider) else {
            return Self {
                prices,
                ..Self::default()
            };
        };
        Self {
            at_once: value(settings.at_once.as_ref()),
            per_minute: value(settings.per_minute.as_ref()),
            max_tokens: value(settings.max_tokens.as_ref()),
            effort: value(settings.effort.as_ref()),
            prices,
        }
    }

    /// The call policy of a model.
    pub fn policy(&self, caps: Caps) -> Policy {
        let mut policy = Policy::of(caps);
        if let Some(at_once) = self.at_once {
            policy.at_once = usize::try_from(at_once).unwrap_or(usize::MAX);
        }
        policy.per_minute = self.per_minute;
        policy.max_tokens = self.max_tokens;
        policy.effort = self.effort;
        policy
    }

    /// A model of a provider with these settings around it.
    pub(super) fn around(&self, model: std::sync::Arc<dyn Model>, provider: &str) -> ManagedModel {
        let policy = self.policy(model.caps());
        ManagedModel::new(model, policy).priced_by(self.prices.clone(), provider)
    }
}

fn value<T: Copy>(setting: Option<&Setting<T>>) -> Option<T> {
    setting.map(|setting| setting.value)
}
