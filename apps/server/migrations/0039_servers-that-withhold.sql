-- step: expand
CREATE INDEX CONCURRENTLY "servers_that_withhold" ON "servers" USING btree ("id") WHERE withheld_roles <> '{}'::jsonb and deleted_at is null;