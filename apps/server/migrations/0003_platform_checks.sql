ALTER TABLE "bots" ADD COLUMN "checked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "refused_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "refreshed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "bots_to_check" ON "bots" USING btree ("checked_at" NULLS FIRST) WHERE is_active;--> statement-breakpoint
CREATE INDEX "servers_to_refresh" ON "servers" USING btree ("refreshed_at" NULLS FIRST) WHERE "servers"."deleted_at" is null;