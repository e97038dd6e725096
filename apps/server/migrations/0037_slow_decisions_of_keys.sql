-- step: expand
ALTER TABLE "backups" ADD COLUMN "accepts_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "user_id" text;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "identity_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "incidents" ADD COLUMN "pending" jsonb;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "bot_since" timestamp (3) with time zone;