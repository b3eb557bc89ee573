//! What is seen without any service: the prelude, the server of the document, and what the pages of
//! this repository say.

mod pages;
mod prelude;
mod server;
mod specification;
