mod expression;
mod item;
mod known;
