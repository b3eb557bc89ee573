mod budget;
mod delivering;
mod reporting;
mod stand;
