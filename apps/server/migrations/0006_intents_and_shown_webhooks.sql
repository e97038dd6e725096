ALTER TABLE "bots" ADD COLUMN "intents" jsonb;--> statement-breakpoint
ALTER TABLE "restores" ADD COLUMN "webhooks_shown_at" timestamp (3) with time zone;