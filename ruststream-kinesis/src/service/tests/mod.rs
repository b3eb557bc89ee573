mod budget;
mod delivering;
mod handing_back;
mod keeping;
mod reporting;
mod stand;
