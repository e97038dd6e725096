CREATE TABLE "armed_executors" (
	"server_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"username" text NOT NULL,
	"is_bot" boolean NOT NULL,
	"roles_before" jsonb NOT NULL,
	"roles_to_take" jsonb NOT NULL,
	"armed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "armed_executors_server_id_platform_id_pk" PRIMARY KEY("server_id","platform_id")
);
--> statement-breakpoint
CREATE TABLE "watched_guilds" (
	"server_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"guild_id" text NOT NULL,
	"owner_id" text,
	"bot_user_id" text,
	"roles" jsonb,
	"last_entry_id" text
);
--> statement-breakpoint
ALTER TABLE "guild_acts" ADD COLUMN "options" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "armed_executors" ADD CONSTRAINT "armed_executors_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watched_guilds" ADD CONSTRAINT "watched_guilds_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "armed_executors_to_purge" ON "armed_executors" USING btree ("armed_at");--> statement-breakpoint
CREATE INDEX "incidents_live" ON "incidents" USING btree ("account_id","guild_id") WHERE ended_at is null;