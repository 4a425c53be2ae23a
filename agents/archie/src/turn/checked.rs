//! Citations of a reply, checked: the model is told of those that point to nothing, and what it does not put right is marked.

use superstep::{
    model::{Body, Effort, Label, Message, Model as _, Request, ToolChoice},
    tools::Traced,
};

use super::calls::Calls;
use crate::{
    citation::{self, Dangling, NOT_FOUND},
    documents::DocumentSet,
    usage::Spent,
};

/// The most citations that are asked about and named.
const MOST: usize = 20;

impl Calls<'_> {
    /// The text of a reply without citations that point to nothing: the model puts them right, or they are marked. The
    /// person is told of both.
    pub(super) async fn with_checked_citations(
        &mut self,
        mut request: Request,
        text: String,
        set: &DocumentSet,
    ) -> String {
        let wrong = citation::dangling(&text, set);
        if wrong.is_empty() {
            return text;
        }
        request.messages.push(Message::model(text.as_str()));
        let question = Message::user(question(&wrong)).labeled(Label::Model);
        request.messages.push(question);
        request.tool_choice = ToolChoice::None;
        request.effort = Some(Effort::Low);
        let answer = self.unheard(&request).await.unwrap_or_default();
        let lines: Vec<&str> = answer.lines().filter(|it| !it.trim().is_empty()).collect();
        let (mut pieces, mut put_right, mut marked) = (Vec::new(), Vec::new(), Vec::new());
        for (number, Dangling { citation, why }) in wrong.iter().enumerate() {
            let right = lines
                .get(number)
                .filter(|_| lines.len() == wrong.len().min(MOST));
            let right = right.and_then(|line| {
                let found = citation::citations(line);
                let [found] = found.as_slice() else {
                    return None;
                };
                citation::lines(found, set).ok().map(|_| found.to_string())
            });
            match right {
                Some(right) => {
                    put_right.push(format!("{citation} is now {right}"));
                    pieces.push((citation.place.clone(), right));
                }
                None => {
                    marked.push(format!("{citation} ({why})"));
                    pieces.push((citation.place.clone(), format!("{citation}{NOT_FOUND}")));
                }
            }
        }
        for (what, mut list) in [
            (
                "citations that pointed to nothing were put right",
                put_right,
            ),
            ("citations that point to nothing are marked", marked),
        ] {
            if !list.is_empty() {
                list.truncate(MOST);
                self.note(format!("{what}: {}", list.join(", ")));
            }
        }
        citation::replaced(&text, &pieces)
    }

    /// A reply that the person does not see; nothing if the call fails, as what was said before stays.
    async fn unheard(&mut self, request: &Request) -> Option<String> {
        let (model, ctx) = (self.model, self.ctx);
        let reply = Traced { model, ctx }.invoke(request).await.ok()?;
        self.spent.push(Spent::on(&reply, self.stage, self.turn));
        match Message::from(reply).body {
            Body::Model(reply) => Some(reply.content.text()),
            _ => None,
        }
    }
}

fn question(wrong: &[Dangling]) -> String {
    let listed = wrong.iter().take(MOST).enumerate();
    let listed: Vec<String> = listed
        .map(|(number, it)| format!("{}. [{}]: {}", number + 1, it.citation, it.why))
        .collect();
    format!(
        "A program checked the citations of your reply. These point to nothing:\n{}\n\nReply with one line for each, in this \
         order and with nothing else: the citation as it must be, such as [file:line], from lines you have seen; or `none`.",
        listed.join("\n")
    )
}
