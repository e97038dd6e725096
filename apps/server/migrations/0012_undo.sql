ALTER TABLE "restores" ADD COLUMN "incident_id" uuid;--> statement-breakpoint
ALTER TABLE "restores" ADD COLUMN "undo" jsonb;