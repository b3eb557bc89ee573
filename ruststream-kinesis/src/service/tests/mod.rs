mod budget;
mod delivering;
