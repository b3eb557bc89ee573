//! Which calls a rule or a question is about.

use std::fmt;
use std::sync::Arc;

use crate::Call;

type Predicate = Arc<dyn Fn(&Call) -> bool + Send + Sync>;

/// Selects calls: every condition that was named must hold.
#[derive(Clone, Default)]
pub struct On {
    operation: Option<String>,
    resource: Option<String>,
    key: Option<String>,
    predicate: Option<Predicate>,
    skip: usize,
}

impl On {
    /// Every call.
    #[must_use]
    pub fn any() -> Self {
        Self::default()
    }

    /// Calls of one operation, by its name in the service's API: `GetRecords`, `UpdateItem`.
    #[must_use]
    pub fn operation(name: impl Into<String>) -> Self {
        Self {
            operation: Some(name.into()),
            ..Self::default()
        }
    }

    /// Only calls about this stream, by name, whether the call named it, gave its ARN or carries one of its iterators or
    /// list tokens.
    #[must_use]
    pub fn stream(self, name: impl Into<String>) -> Self {
        Self {
            resource: Some(name.into()),
            ..self
        }
    }

    /// Only calls about this table.
    #[must_use]
    pub fn table(self, name: impl Into<String>) -> Self {
        self.stream(name)
    }

    /// Only calls about this shard, by its full id. A `GetRecords` is about the shard of its iterator.
    #[must_use]
    pub fn shard(self, id: impl Into<String>) -> Self {
        Self {
            key: Some(id.into()),
            ..self
        }
    }

    /// Only calls about an item one of whose key attributes has this value, or, for Kinesis, writes with this partition
    /// key.
    #[must_use]
    pub fn key(self, value: impl Into<String>) -> Self {
        self.shard(value)
    }

    /// Only calls for which `predicate` holds; a second predicate replaces the first.
    #[must_use]
    pub fn when(self, predicate: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Self {
        Self {
            predicate: Some(Arc::new(predicate)),
            ..self
        }
    }

    /// A rule lets the first `calls` selected calls pass. Questions to the log ignore it.
    #[must_use]
    pub fn after(self, calls: usize) -> Self {
        Self {
            skip: calls,
            ..self
        }
    }

    /// Whether `call` is selected.
    #[must_use]
    pub fn selects(&self, call: &Call) -> bool {
        self.operation
            .as_ref()
            .is_none_or(|operation| *operation == call.operation)
            && self
                .resource
                .as_ref()
                .is_none_or(|resource| Some(resource) == call.resource.as_ref())
            && self.key.as_ref().is_none_or(|key| call.keys.contains(key))
            && self.predicate.as_ref().is_none_or(|holds| holds(call))
    }

    pub(crate) fn skipped(&self) -> usize {
        self.skip
    }
}

impl fmt::Debug for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("On")
            .field("operation", &self.operation)
            .field("resource", &self.resource)
            .field("key", &self.key)
            .field("predicate", &self.predicate.is_some())
            .field("after", &self.skip)
            .finish()
    }
}
