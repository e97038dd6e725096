CREATE TABLE "audit_entries" (
	"user_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text,
	"action" text NOT NULL,
	"subject_type" text NOT NULL,
	"subject_id" text,
	"changes" jsonb NOT NULL,
	"prev_hash" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_entries_user_id_seq_pk" PRIMARY KEY("user_id","seq")
);
--> statement-breakpoint
CREATE TABLE "audit_heads" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "blacklist" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"reason" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "blacklist_platform_id_of_user" UNIQUE("user_id","platform_id")
);
--> statement-breakpoint
CREATE TABLE "bots" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"name" text NOT NULL,
	"avatar_url" text,
	"status" text DEFAULT 'ONLINE' NOT NULL,
	"activity_type" text DEFAULT 'WATCHING' NOT NULL,
	"activity_text" text DEFAULT '' NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"public_key" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"bot_token" text NOT NULL,
	"client_secret" text NOT NULL,
	"seal_key_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bots_client_id_of_user" UNIQUE("user_id","client_id")
);
--> statement-breakpoint
CREATE TABLE "firewall_rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"type" text NOT NULL,
	"value" text NOT NULL,
	"note" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "firewall_rules_type_value" UNIQUE("server_id","type","value")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"scopes" text[] NOT NULL,
	"hash" text NOT NULL,
	"last_four" text NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "member_counts" (
	"server_id" uuid NOT NULL,
	"day" date NOT NULL,
	"total" integer NOT NULL,
	"pullable" integer NOT NULL,
	CONSTRAINT "member_counts_server_id_day_pk" PRIMARY KEY("server_id","day")
);
--> statement-breakpoint
CREATE TABLE "members" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"username" text NOT NULL,
	"display_name" text,
	"avatar_url" text,
	"search_text" text NOT NULL,
	"country" text,
	"region" text,
	"asn" bigint,
	"fingerprint" text,
	"is_vpn" boolean DEFAULT false NOT NULL,
	"is_alt" boolean DEFAULT false NOT NULL,
	"token_status" text DEFAULT 'NONE' NOT NULL,
	"consented_at" timestamp (3) with time zone,
	"blacklisted" boolean DEFAULT false NOT NULL,
	"pullable" boolean GENERATED ALWAYS AS (consented_at is not null and token_status in ('VALID', 'EXPIRED') and not blacklisted) STORED NOT NULL,
	"account_created_at" timestamp (3) with time zone,
	"verified_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_platform_id_of_server" UNIQUE("server_id","platform_id")
);
--> statement-breakpoint
CREATE TABLE "servers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"custom_bot_id" uuid,
	"platform_guild_id" text NOT NULL,
	"name" text NOT NULL,
	"icon_url" text,
	"member_count" integer DEFAULT 0 NOT NULL,
	"verified_role_id" text,
	"log_channel_id" text,
	"captcha_type" text DEFAULT 'POW' NOT NULL,
	"vpn_block_enabled" boolean DEFAULT false NOT NULL,
	"alt_detect_enabled" boolean DEFAULT false NOT NULL,
	"firewall_enabled" boolean DEFAULT false NOT NULL,
	"anti_nuke_enabled" boolean DEFAULT false NOT NULL,
	"anti_raid_enabled" boolean DEFAULT false NOT NULL,
	"min_account_age_days" integer DEFAULT 0 NOT NULL,
	"backup_schedule" jsonb,
	"retention" jsonb DEFAULT '{"daily":7,"weekly":4,"monthly":3}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"platform_id" text NOT NULL,
	"username" text NOT NULL,
	"display_name" text,
	"avatar_url" text,
	"plan" text DEFAULT 'FREE' NOT NULL,
	"mfa_enabled" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_platformId_unique" UNIQUE("platform_id")
);
--> statement-breakpoint
CREATE TABLE "whitelist_rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"type" text NOT NULL,
	"value" text NOT NULL,
	"note" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "whitelist_rules_type_value" UNIQUE("server_id","type","value")
);
--> statement-breakpoint
CREATE TABLE "idempotent_answers" (
	"caller_id" uuid NOT NULL,
	"idempotency_key" text NOT NULL,
	"request_hash" text NOT NULL,
	"status" integer NOT NULL,
	"body" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotent_answers_caller_id_idempotency_key_pk" PRIMARY KEY("caller_id","idempotency_key")
);
--> statement-breakpoint
ALTER TABLE "blacklist" ADD CONSTRAINT "blacklist_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "firewall_rules" ADD CONSTRAINT "firewall_rules_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_counts" ADD CONSTRAINT "member_counts_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "servers" ADD CONSTRAINT "servers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "servers" ADD CONSTRAINT "servers_custom_bot_id_bots_id_fk" FOREIGN KEY ("custom_bot_id") REFERENCES "public"."bots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "whitelist_rules" ADD CONSTRAINT "whitelist_rules_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "blacklist_of_user" ON "blacklist" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "bots_of_user" ON "bots" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "bots_seal_key" ON "bots" USING btree ("seal_key_id");--> statement-breakpoint
CREATE INDEX "firewall_rules_of_server" ON "firewall_rules" USING btree ("server_id","created_at","id");--> statement-breakpoint
CREATE INDEX "api_keys_of_user" ON "api_keys" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "members_of_server" ON "members" USING btree ("server_id","verified_at","id","pullable","search_text");--> statement-breakpoint
CREATE INDEX "members_pullable" ON "members" USING btree ("server_id","pullable","verified_at","id");--> statement-breakpoint
CREATE INDEX "members_of_person" ON "members" USING btree ("user_id","platform_id");--> statement-breakpoint
CREATE INDEX "members_search" ON "members" USING gin ("server_id","search_text" gin_trgm_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "servers_guild_of_user" ON "servers" USING btree ("user_id","platform_guild_id") WHERE "servers"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "servers_of_user" ON "servers" USING btree ("user_id","created_at","id") WHERE "servers"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "servers_user" ON "servers" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "servers_bot" ON "servers" USING btree ("custom_bot_id");--> statement-breakpoint
CREATE INDEX "servers_deleted" ON "servers" USING btree ("deleted_at") WHERE "servers"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX "whitelist_rules_of_server" ON "whitelist_rules" USING btree ("server_id","created_at","id");--> statement-breakpoint
CREATE INDEX "idempotent_answers_age" ON "idempotent_answers" USING btree ("created_at");