-- step: expand
CREATE TABLE "dashboard_files" (
	"name" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"text" text NOT NULL,
	"served_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "dashboard_files_by_time" ON "dashboard_files" USING btree ("served_at");