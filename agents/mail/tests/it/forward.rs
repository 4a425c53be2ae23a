//! Mailboxes around another one: the methods that only pass on.

/// Passes these methods of `Mailbox` on to the field `inner`.
macro_rules! forward {
    ($($method:ident),+ $(,)?) => {
        $($crate::forward::forward_one!($method);)+
    };
}

macro_rules! forward_one {
    (owner) => {
        fn owner(&self) -> &superstep_mail::Address {
            self.inner.owner()
        }
    };
    (place) => {
        fn place(&self) -> String {
            self.inner.place()
        }
    };
    (list) => {
        fn list<'a>(
            &'a self,
            query: &'a superstep_mail::Query,
            page: Option<&'a superstep_mail::PageToken>,
        ) -> superstep_mail::Later<'a, Result<superstep_mail::Page, superstep_mail::MailError>> {
            self.inner.list(query, page)
        }
    };
    (fetch) => {
        fn fetch<'a>(
            &'a self,
            id: &'a superstep_mail::MailId,
        ) -> superstep_mail::Later<'a, Result<superstep_mail::RawMail, superstep_mail::MailError>> {
            self.inner.fetch(id)
        }
    };
    (thread) => {
        fn thread<'a>(
            &'a self,
            thread: &'a superstep_mail::ThreadKey,
        ) -> superstep_mail::Later<
            'a,
            Result<Vec<superstep_mail::RawMail>, superstep_mail::MailError>,
        > {
            self.inner.thread(thread)
        }
    };
    (mark_read) => {
        fn mark_read<'a>(
            &'a self,
            id: &'a superstep_mail::MailId,
        ) -> superstep_mail::Later<'a, Result<(), superstep_mail::MailError>> {
            self.inner.mark_read(id)
        }
    };
}

pub(crate) use {forward, forward_one};
