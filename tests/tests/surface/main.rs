//! What is seen without any service: the prelude, the server of the document, the default lease
//! store, and what the pages of this repository say.

mod pages;
mod prelude;
mod server;
mod specification;
mod stores;
