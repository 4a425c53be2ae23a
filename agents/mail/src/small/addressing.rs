//! How a mail reached the owner, in words a small model reads.

use crate::{Address, parse::Mail};

/// How a mail reached the owner, by its headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Addressing {
    /// To the owner, by nothing that calls itself a program.
    ToOwner,
    /// To others, with the owner in copy.
    InCopy,
    /// To an address that others read too.
    ToGroup,
    /// By somebody who wrote to a mailing list.
    ThroughList,
    /// By a program.
    ByProgram,
    /// To many, who may unsubscribe.
    InBulk,
}

impl Addressing {
    pub(crate) fn of(mail: &Mail, owner: &Address) -> Self {
        let sending = mail.sending;
        let is_there = |all: &[Address]| all.iter().any(|it| it.is_same(owner));
        if sending.through_list && !sending.by_program {
            Self::ThroughList
        } else if sending.has_unsubscribe {
            Self::InBulk
        } else if sending.by_program {
            Self::ByProgram
        } else if is_there(&mail.to) {
            Self::ToOwner
        } else if is_there(&mail.cc) {
            Self::InCopy
        } else {
            Self::ToGroup
        }
    }

    /// Whether somebody may wait for an answer to it, as far as headers say.
    pub(crate) fn is_by_person(self) -> bool {
        !matches!(self, Self::ByProgram | Self::InBulk)
    }

    pub(crate) fn written(self) -> &'static str {
        match self {
            Self::ToOwner => "to you",
            Self::InCopy => "to others, you in copy",
            Self::ToGroup => "to a group",
            Self::ThroughList => "on a mailing list",
            Self::ByProgram => "by a program",
            Self::InBulk => "in bulk, with an unsubscribe link",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Sending;

    #[test]
    fn headers_go_before_who_it_is_for() {
        let owner = Address::new("me@example.org");
        let mail = |to: &str, cc: &str, sending: Sending| Mail {
            to: vec![Address::new(to)],
            cc: vec![Address::new(cc)],
            sending,
            ..Mail::default()
        };
        let person = Sending::default();
        let program = Sending {
            by_program: true,
            ..person
        };
        let list = Sending {
            through_list: true,
            has_unsubscribe: true,
            ..person
        };
        let bulk = Sending {
            by_program: true,
            ..list
        };
        for (to, cc, sending, wanted) in [
            (
                "me@example.org",
                "b@example.org",
                person,
                Addressing::ToOwner,
            ),
            (
                "b@example.org",
                "me@example.org",
                person,
                Addressing::InCopy,
            ),
            (
                "team@example.org",
                "b@example.org",
                person,
                Addressing::ToGroup,
            ),
            (
                "me@example.org",
                "b@example.org",
                program,
                Addressing::ByProgram,
            ),
            (
                "dev@example.org",
                "b@example.org",
                list,
                Addressing::ThroughList,
            ),
            ("me@example.org", "b@example.org", bulk, Addressing::InBulk),
        ] {
            assert_eq!(Addressing::of(&mail(to, cc, sending), &owner), wanted);
        }
    }
}
