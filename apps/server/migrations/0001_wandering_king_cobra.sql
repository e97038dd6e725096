ALTER TABLE "restores" ADD COLUMN "mode" text DEFAULT 'REPLACE' NOT NULL;--> statement-breakpoint
ALTER TABLE "restores" ADD COLUMN "delete_extra" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "restores" ADD COLUMN "notes" jsonb DEFAULT '[]'::jsonb NOT NULL;