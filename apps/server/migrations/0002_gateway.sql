CREATE TABLE "gateway_connections" (
	"bot_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"process_id" uuid,
	"session_id" text,
	"resume_url" text,
	"sequence" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway_identifies" (
	"id" uuid PRIMARY KEY NOT NULL,
	"application_id" text NOT NULL,
	"identified_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway_processes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "connected_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "bots" ADD COLUMN "gateway_refusal" text;--> statement-breakpoint
ALTER TABLE "gateway_connections" ADD CONSTRAINT "gateway_connections_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_connections" ADD CONSTRAINT "gateway_connections_process_id_gateway_processes_id_fk" FOREIGN KEY ("process_id") REFERENCES "public"."gateway_processes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "gateway_connections_of_process" ON "gateway_connections" USING btree ("process_id");--> statement-breakpoint
CREATE INDEX "gateway_connections_free" ON "gateway_connections" USING btree ("bot_id") WHERE "gateway_connections"."process_id" is null;--> statement-breakpoint
CREATE INDEX "gateway_identifies_of_application" ON "gateway_identifies" USING btree ("application_id","identified_at");--> statement-breakpoint
CREATE INDEX "gateway_identifies_at" ON "gateway_identifies" USING btree ("identified_at");--> statement-breakpoint
CREATE INDEX "gateway_processes_until" ON "gateway_processes" USING btree ("until");--> statement-breakpoint
CREATE INDEX "bots_changed" ON "bots" USING btree ("updated_at");