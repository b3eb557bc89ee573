//! Nothing but the dependencies of the cases.
