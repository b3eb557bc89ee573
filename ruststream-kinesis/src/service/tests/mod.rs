mod budget;
mod delivering;
mod keeping;
mod reporting;
mod stand;
