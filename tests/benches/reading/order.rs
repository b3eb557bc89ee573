//! What the records hold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Order {
    pub(crate) id: u64,
    customer: String,
    item: String,
    quantity: u32,
    cents: u64,
    note: String,
}

impl Order {
    /// The JSON of one order, filled up to `length` bytes.
    pub(crate) fn json(id: u64, length: usize) -> Vec<u8> {
        let mut order = Self {
            id,
            customer: format!("customer-{:06}", id % 1_000),
            item: format!("item-{:06}", id % 10_000),
            quantity: 1 + u32::try_from(id % 9).unwrap_or_default(),
            cents: 100 + id % 100_000,
            note: String::new(),
        };
        let bare = order.render();
        order.note = "n".repeat(length.saturating_sub(bare.len()));
        order.render()
    }

    /// The bytes this order was filled up with, nearly all of its JSON.
    pub(crate) fn size(&self) -> usize {
        self.note.len()
    }

    fn render(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an order is plain data")
    }
}
