use superstep::dynamic::{DynCtx, DynGraphBuilder, END, Halt, START};

async fn read(_: DynCtx) -> Result<(), Halt> {
    Ok(())
}

fn main() {
    let _ = DynGraphBuilder::new()
        .last_value("topic")
        .node("read", read)
        .edge(START, "read")
        .route_map("read", [("again", "read"), ("done", END)], |_| 7);
}
