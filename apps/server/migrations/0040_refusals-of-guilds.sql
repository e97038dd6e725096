-- step: expand
CREATE TABLE "refused_guilds" (
	"bot_id" uuid NOT NULL,
	"guild_id" text NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"caller_id" text,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "refused_guilds_bot_id_guild_id_pk" PRIMARY KEY("bot_id","guild_id")
);
--> statement-breakpoint
ALTER TABLE "platform_refusals" ADD COLUMN "urgent" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "refused_guilds" ADD CONSTRAINT "refused_guilds_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "refused_guilds_of_account" ON "refused_guilds" USING btree ("account_id","at");