//! Successive records of a page, packed: three allocations for all of them, where the SDK gives
//! each three of its own.

/// Bytes of data in one block. A record that is not settled keeps its block, so a block is small; a
/// record that is larger has one of its own.
pub(crate) const BLOCK: usize = 64 * 1024;

/// What the records that share a block take.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) records: usize,
    data: usize,
    text: usize,
}

impl Size {
    /// The next block of records of those `(data, text)` lengths: as many as fit, and at least one
    /// where there is one.
    pub(crate) fn of_next(lengths: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut size = Self::default();
        for (data, text) in lengths {
            if size.records > 0 && size.data + data > BLOCK {
                break;
            }
            size.records += 1;
            size.data += data;
            size.text += text;
        }
        size
    }

    /// The bytes of memory that is.
    pub(crate) const fn bytes(&self) -> usize {
        self.data + self.text + self.records * size_of::<Place>()
    }
}

/// The records of one block, in shard order.
#[derive(Debug)]
pub(crate) struct Packed {
    data: Vec<u8>,
    /// Sequence numbers and partition keys.
    text: String,
    places: Vec<Place>,
}

/// Where a record ends in its block; it begins where the one before ends.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    data: usize,
    sequence: usize,
    key: usize,
    keyed: bool,
}

impl Packed {
    /// Room for records of that size.
    pub(crate) fn new(size: Size) -> Self {
        Self {
            // A record alone brings its own, which for a large one saves the copy.
            data: Vec::with_capacity(if size.records > 1 { size.data } else { 0 }),
            text: String::with_capacity(size.text),
            places: Vec::with_capacity(size.records),
        }
    }

    pub(crate) fn push(&mut self, data: Vec<u8>, sequence: &str, key: Option<&str>) {
        if self.data.capacity() == 0 {
            self.data = data;
        } else {
            self.data.extend_from_slice(&data);
        }
        self.text.push_str(sequence);
        let sequence = self.text.len();
        self.text.push_str(key.unwrap_or_default());
        self.places.push(Place {
            data: self.data.len(),
            sequence,
            key: self.text.len(),
            keyed: key.is_some(),
        });
    }

    pub(crate) const fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn data(&self, index: usize) -> &[u8] {
        &self.data[self.before(index).data..self.places[index].data]
    }

    pub(crate) fn sequence(&self, index: usize) -> &str {
        &self.text[self.before(index).key..self.places[index].sequence]
    }

    pub(crate) fn partition_key(&self, index: usize) -> Option<&str> {
        let place = self.places[index];
        place.keyed.then(|| &self.text[place.sequence..place.key])
    }

    /// What [`Size::bytes`] tells ahead.
    #[cfg(test)]
    pub(crate) const fn bytes_allocated(&self) -> usize {
        self.data.capacity() + self.text.capacity() + self.places.capacity() * size_of::<Place>()
    }

    fn before(&self, index: usize) -> Place {
        index
            .checked_sub(1)
            .map_or_else(Place::default, |before| self.places[before])
    }
}
