-- step: expand
CREATE INDEX CONCURRENTLY "orders_completed" ON "orders" USING btree ("seller_id","completed_at") WHERE completed_at is not null;