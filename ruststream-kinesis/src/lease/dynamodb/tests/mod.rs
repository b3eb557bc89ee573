mod expression;
mod item;
