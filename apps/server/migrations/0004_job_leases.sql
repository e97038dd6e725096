CREATE SEQUENCE "public"."job_lease_fences" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "job_leases" (
	"subject" text PRIMARY KEY NOT NULL,
	"queue" text NOT NULL,
	"payload" jsonb NOT NULL,
	"group_id" text,
	"job_id" uuid NOT NULL,
	"worker_id" text,
	"fence" bigint NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "job_leases_of_worker" ON "job_leases" USING btree ("worker_id");--> statement-breakpoint
CREATE INDEX "job_leases_until" ON "job_leases" USING btree ("until");