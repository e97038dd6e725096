CREATE TABLE "restored_ids" (
	"account_id" uuid NOT NULL,
	"sort" text NOT NULL,
	"old_id" text NOT NULL,
	"new_id" text NOT NULL,
	"server_id" uuid NOT NULL,
	"guild_id" text NOT NULL,
	"restore_id" uuid NOT NULL,
	"is_created" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "restored_ids_account_id_sort_old_id_new_id_pk" PRIMARY KEY("account_id","sort","old_id","new_id")
);
--> statement-breakpoint
ALTER TABLE "restore_steps" ADD COLUMN "failure" jsonb;--> statement-breakpoint
ALTER TABLE "restores" ADD COLUMN "resumes_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "missing_role_id" text;--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "missing_channel_id" text;--> statement-breakpoint
ALTER TABLE "restored_ids" ADD CONSTRAINT "restored_ids_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "restored_ids_by_new_id" ON "restored_ids" USING btree ("account_id","sort","new_id");--> statement-breakpoint
CREATE INDEX "restored_ids_of_server" ON "restored_ids" USING btree ("server_id","created_at");--> statement-breakpoint
CREATE INDEX "restored_ids_of_restore" ON "restored_ids" USING btree ("restore_id");