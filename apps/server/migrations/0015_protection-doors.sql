ALTER TABLE "alerts" ADD COLUMN "is_always_told" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "watched_guilds" ADD COLUMN "bot_id" uuid;--> statement-breakpoint
ALTER TABLE "watched_guilds" ADD COLUMN "bot_role_ids" jsonb;--> statement-breakpoint
ALTER TABLE "watched_guilds" ADD COLUMN "limits" jsonb;