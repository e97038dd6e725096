CREATE TABLE "pull_cooldowns" (
	"server_id" uuid PRIMARY KEY NOT NULL,
	"pull_id" uuid NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pull_members" (
	"pull_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"member_id" uuid,
	"is_foreign" boolean NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"begun_at" timestamp (3) with time zone,
	"result" text,
	CONSTRAINT "pull_members_pull_id_seq_pk" PRIMARY KEY("pull_id","seq")
);
--> statement-breakpoint
CREATE TABLE "pulls" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"target_server_id" uuid NOT NULL,
	"role_id" text,
	"member_limit" bigint,
	"member_ids" jsonb,
	"status" text DEFAULT 'queued' NOT NULL,
	"total" integer DEFAULT 0 NOT NULL,
	"processed" integer DEFAULT 0 NOT NULL,
	"joined" integer DEFAULT 0 NOT NULL,
	"already_member" integer DEFAULT 0 NOT NULL,
	"banned" integer DEFAULT 0 NOT NULL,
	"guild_limit" integer DEFAULT 0 NOT NULL,
	"token_invalid" integer DEFAULT 0 NOT NULL,
	"blacklisted" integer DEFAULT 0 NOT NULL,
	"withdrawn" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"is_cancel_requested" boolean DEFAULT false NOT NULL,
	"cursor_at" timestamp (3) with time zone,
	"cursor_id" uuid,
	"frozen_at" timestamp (3) with time zone,
	"first_result_at" timestamp (3) with time zone,
	"first_burst" integer DEFAULT 0 NOT NULL,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "pulls_results_add_up" CHECK (joined + already_member + banned + guild_limit + token_invalid + blacklisted + withdrawn
        + failed = processed)
);
--> statement-breakpoint
ALTER TABLE "job_leases" ADD COLUMN "place" text;--> statement-breakpoint
ALTER TABLE "pull_cooldowns" ADD CONSTRAINT "pull_cooldowns_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_members" ADD CONSTRAINT "pull_members_pull_id_pulls_id_fk" FOREIGN KEY ("pull_id") REFERENCES "public"."pulls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_members" ADD CONSTRAINT "pull_members_member_id_members_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."members"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pulls" ADD CONSTRAINT "pulls_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pull_members_member" ON "pull_members" USING btree ("member_id");--> statement-breakpoint
CREATE INDEX "pull_members_open" ON "pull_members" USING btree ("pull_id","attempts","is_foreign","seq") WHERE "pull_members"."result" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "pulls_active_of_server" ON "pulls" USING btree ("server_id") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "pulls_of_server" ON "pulls" USING btree ("server_id","created_at","id");--> statement-breakpoint
CREATE INDEX "job_leases_place" ON "job_leases" USING btree ("place") WHERE "job_leases"."place" is not null;