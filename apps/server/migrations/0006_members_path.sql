CREATE TABLE "attempt_countries" (
	"server_id" uuid NOT NULL,
	"day" date NOT NULL,
	"country" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "attempt_countries_server_id_day_country_pk" PRIMARY KEY("server_id","day","country")
);
--> statement-breakpoint
CREATE TABLE "attempt_country_hours" (
	"server_id" uuid NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"country" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "attempt_country_hours_server_id_hour_country_pk" PRIMARY KEY("server_id","hour","country")
);
--> statement-breakpoint
CREATE TABLE "attempt_hours" (
	"server_id" uuid NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"visited" integer DEFAULT 0 NOT NULL,
	"authorized" integer DEFAULT 0 NOT NULL,
	"captcha_passed" integer DEFAULT 0 NOT NULL,
	"checks_passed" integer DEFAULT 0 NOT NULL,
	"verified" integer DEFAULT 0 NOT NULL,
	"blocked_by_blacklist" integer DEFAULT 0 NOT NULL,
	"blocked_by_firewall" integer DEFAULT 0 NOT NULL,
	"blocked_by_vpn" integer DEFAULT 0 NOT NULL,
	"blocked_by_alt" integer DEFAULT 0 NOT NULL,
	"blocked_by_account_age" integer DEFAULT 0 NOT NULL,
	"blocked_by_captcha" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "attempt_hours_server_id_hour_pk" PRIMARY KEY("server_id","hour")
);
--> statement-breakpoint
CREATE TABLE "rollup_marks" (
	"name" text PRIMARY KEY NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"platform_id" text NOT NULL,
	"username" text NOT NULL,
	"display_name" text,
	"avatar_hash" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sessions_token" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "sign_ins" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"browser_hash" text NOT NULL,
	"code_verifier" text NOT NULL,
	"next" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "member_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"access_token" text NOT NULL,
	"refresh_token" text NOT NULL,
	"seal_key_id" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"refresh_at" timestamp (3) with time zone NOT NULL,
	"refreshing_until" timestamp (3) with time zone,
	"generation" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "member_tokens_of_bot" UNIQUE("bot_id","platform_id")
);
--> statement-breakpoint
CREATE TABLE "appeals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"username" text NOT NULL,
	"reason" text NOT NULL,
	"message" text NOT NULL,
	"status" text DEFAULT 'OPEN' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"decided_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "verification_attempts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stage" text DEFAULT 'visited' NOT NULL,
	"block_reason" text,
	"country" text,
	"region" text,
	"asn" bigint
);
--> statement-breakpoint
CREATE TABLE "verification_authorizations" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"browser_hash" text NOT NULL,
	"server_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"attempt_id" uuid NOT NULL,
	"code_verifier" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"used_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "verification_grants" (
	"member_id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"error" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "verification_passages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"browser_hash" text NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"bot_id" uuid NOT NULL,
	"attempt_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"username" text NOT NULL,
	"display_name" text,
	"avatar_hash" text,
	"wants_recovery" boolean NOT NULL,
	"met_rules" jsonb NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"seal_key_id" text,
	"scopes" jsonb NOT NULL,
	"token_expires_at" timestamp (3) with time zone NOT NULL,
	"has_passed_captcha" boolean DEFAULT false NOT NULL,
	"outcome" text,
	"block_reason" text,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "verification_traces" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"kind" text NOT NULL,
	"hash" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "verification_traces_once" UNIQUE("server_id","platform_id","kind","hash")
);
--> statement-breakpoint
CREATE TABLE "verification_used_solutions" (
	"hash" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "members_of_person";--> statement-breakpoint
ALTER TABLE "members" ADD COLUMN "bot_id" uuid;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "hash_key" text;--> statement-breakpoint
ALTER TABLE "attempt_countries" ADD CONSTRAINT "attempt_countries_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attempt_country_hours" ADD CONSTRAINT "attempt_country_hours_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attempt_hours" ADD CONSTRAINT "attempt_hours_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_tokens" ADD CONSTRAINT "member_tokens_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "appeals" ADD CONSTRAINT "appeals_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_attempts" ADD CONSTRAINT "verification_attempts_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_authorizations" ADD CONSTRAINT "verification_authorizations_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_authorizations" ADD CONSTRAINT "verification_authorizations_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_grants" ADD CONSTRAINT "verification_grants_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_passages" ADD CONSTRAINT "verification_passages_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_passages" ADD CONSTRAINT "verification_passages_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_traces" ADD CONSTRAINT "verification_traces_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sessions_of_person" ON "sessions" USING btree ("platform_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_ins_expiry" ON "sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "member_tokens_of_person" ON "member_tokens" USING btree ("platform_id","user_id");--> statement-breakpoint
CREATE INDEX "member_tokens_to_refresh" ON "member_tokens" USING btree ("refresh_at");--> statement-breakpoint
CREATE INDEX "member_tokens_seal_key" ON "member_tokens" USING btree ("seal_key_id");--> statement-breakpoint
CREATE INDEX "member_tokens_refreshing" ON "member_tokens" USING btree ("refreshing_until") WHERE refreshing_until is not null;--> statement-breakpoint
CREATE INDEX "appeals_of_server" ON "appeals" USING btree ("server_id","created_at","id");--> statement-breakpoint
CREATE INDEX "appeals_person" ON "appeals" USING btree ("platform_id");--> statement-breakpoint
CREATE UNIQUE INDEX "appeals_one_open" ON "appeals" USING btree ("server_id","platform_id") WHERE status = 'OPEN';--> statement-breakpoint
CREATE INDEX "verification_attempts_of_server" ON "verification_attempts" USING btree ("server_id","started_at");--> statement-breakpoint
CREATE INDEX "verification_attempts_started" ON "verification_attempts" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "verification_authorizations_server" ON "verification_authorizations" USING btree ("server_id");--> statement-breakpoint
CREATE INDEX "verification_authorizations_bot" ON "verification_authorizations" USING btree ("bot_id");--> statement-breakpoint
CREATE INDEX "verification_authorizations_expiry" ON "verification_authorizations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "verification_grants_server" ON "verification_grants" USING btree ("server_id");--> statement-breakpoint
CREATE INDEX "verification_passages_server" ON "verification_passages" USING btree ("server_id","browser_hash");--> statement-breakpoint
CREATE INDEX "verification_passages_bot" ON "verification_passages" USING btree ("bot_id");--> statement-breakpoint
CREATE INDEX "verification_passages_person" ON "verification_passages" USING btree ("platform_id");--> statement-breakpoint
CREATE INDEX "verification_passages_expiry" ON "verification_passages" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "verification_traces_hash" ON "verification_traces" USING btree ("user_id","kind","hash");--> statement-breakpoint
CREATE INDEX "verification_traces_person" ON "verification_traces" USING btree ("platform_id");--> statement-breakpoint
CREATE INDEX "verification_traces_expiry" ON "verification_traces" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "verification_used_solutions_expiry" ON "verification_used_solutions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "members_token_status" ON "members" USING btree ("server_id","token_status");--> statement-breakpoint
CREATE INDEX "members_of_person" ON "members" USING btree ("platform_id","user_id");