ALTER TABLE "appeals" ADD COLUMN "browser_hash" text;--> statement-breakpoint
ALTER TABLE "pending_verifications" ADD COLUMN "outcome_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "appeals_browser" ON "appeals" USING btree ("server_id","browser_hash");--> statement-breakpoint
CREATE INDEX "pending_verifications_tokens" ON "pending_verifications" USING btree ("expires_at") WHERE access_token is not null;