-- step: expand
CREATE INDEX CONCURRENTLY "billing_invoices_unpaid" ON "billing_invoices" USING btree ("expires_at") WHERE paid_at is null;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "listings_changed" ON "listings" USING btree ("updated_at") WHERE is_published;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "roll_calls_waiting" ON "roll_calls" USING btree ("wanted_at") WHERE ended_number < number;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "panels_due" ON "panels" USING btree ("server_id") WHERE is_due or deleted_at is not null or stale_message_id is not null;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "incidents_invites_paused" ON "incidents" USING btree ("invites_paused_until") WHERE invites_paused_until is not null;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "restores_of_account" ON "restores" USING btree ("account_id");