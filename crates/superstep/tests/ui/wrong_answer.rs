use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Mail {
    subject: String,
}

#[derive(Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct MaySend;

fn main() {
    let answer = |ask: &OpenAsk| ask.answer::<MaySend>(&"yes");
    let _ = answer;
}
