//! `#[subscriber]` with its keys: what they make of the descriptor and the chain, and every shape of
//! handler under them.

mod descriptor;
mod mounting;
mod shapes;
