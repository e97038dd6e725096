-- step: expand
CREATE TABLE "job_marks" (
	"name" text PRIMARY KEY NOT NULL,
	"after" uuid NOT NULL
);
--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "last_scheduled_at" timestamp (3) with time zone;