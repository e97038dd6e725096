-- Both are trusted extensions: the owner of the database may create them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS btree_gin;--> statement-breakpoint
CREATE SEQUENCE "public"."job_lease_fences" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "seal_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"sealed_check" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"platform_id" text NOT NULL,
	"username" text NOT NULL,
	"display_name" text,
	"avatar_url" text,
	"email" text,
	"plan" text DEFAULT 'FREE' NOT NULL,
	"hash_key" text,
	"mfa_enabled" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_platformId_unique" UNIQUE("platform_id")
);
--> statement-breakpoint
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
CREATE TABLE "audit_entries" (
	"account_id" uuid NOT NULL,
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
	CONSTRAINT "audit_entries_account_id_seq_pk" PRIMARY KEY("account_id","seq")
);
--> statement-breakpoint
CREATE TABLE "audit_heads" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "backup_blobs" (
	"backup_id" uuid NOT NULL,
	"blob_id" uuid NOT NULL,
	"is_draft" boolean DEFAULT false NOT NULL,
	CONSTRAINT "backup_blobs_backup_id_blob_id_pk" PRIMARY KEY("backup_id","blob_id")
);
--> statement-breakpoint
CREATE TABLE "backups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"progress" integer DEFAULT 0 NOT NULL,
	"components" jsonb NOT NULL,
	"messages_per_channel" integer NOT NULL,
	"counts" jsonb DEFAULT '{"roles":0,"channels":0,"emojis":0,"stickers":0,"bans":0,"members":0,"messages":0}'::jsonb NOT NULL,
	"size_bytes" bigint DEFAULT 0 NOT NULL,
	"stored_bytes" bigint DEFAULT 0 NOT NULL,
	"checksum" text,
	"suspicious" boolean DEFAULT false NOT NULL,
	"restorable" boolean,
	"proved_at" timestamp (3) with time zone,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"losses" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"verified_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "blob_holds" (
	"holder_id" uuid NOT NULL,
	"blob_id" uuid NOT NULL,
	CONSTRAINT "blob_holds_holder_id_blob_id_pk" PRIMARY KEY("holder_id","blob_id")
);
--> statement-breakpoint
CREATE TABLE "blob_people" (
	"blob_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"section" text NOT NULL,
	"people" bigint[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "blobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"size_bytes" integer NOT NULL,
	"stored_bytes" integer NOT NULL,
	"is_stored" boolean DEFAULT false NOT NULL,
	"seal_key_id" text NOT NULL,
	"added_by" uuid NOT NULL,
	"is_indexed" boolean DEFAULT false NOT NULL,
	"kept_until" timestamp (3) with time zone,
	CONSTRAINT "blobs_hash_of_account" UNIQUE("account_id","hash")
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"account_id" uuid NOT NULL,
	"person_hash" text NOT NULL,
	"index_hash" bigint NOT NULL,
	"erased_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lifted_at" timestamp (3) with time zone,
	CONSTRAINT "erasures_account_id_person_hash_pk" PRIMARY KEY("account_id","person_hash")
);
--> statement-breakpoint
CREATE TABLE "storage_used" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_charges" (
	"charge_id" text PRIMARY KEY NOT NULL,
	"customer_id" text,
	"account_id" uuid,
	"payment_intent" text,
	"currency" text NOT NULL,
	"refunded_cents" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_customers" (
	"customer_id" text PRIMARY KEY NOT NULL,
	"account_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_disputes" (
	"dispute_id" text PRIMARY KEY NOT NULL,
	"charge_id" text,
	"payment_intent" text,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"state" text NOT NULL,
	"applied" text,
	"account_id" uuid,
	"held_cents" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"provider_event_id" text NOT NULL,
	"type" text NOT NULL,
	"outcome" text NOT NULL,
	"account_id" uuid,
	"subject_ref" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "billing_events_once" UNIQUE("provider","provider_event_id")
);
--> statement-breakpoint
CREATE TABLE "billing_invoices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"plan" text NOT NULL,
	"pay_with" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"provider_ref" text,
	"pay_url" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"paid_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_notices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"account_id" uuid NOT NULL,
	"subscription_id" uuid NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "billing_notices_once" UNIQUE("kind","subject")
);
--> statement-breakpoint
CREATE TABLE "billing_payment_refs" (
	"ref" text PRIMARY KEY NOT NULL,
	"subscription_ref" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger_balances" (
	"account_id" uuid NOT NULL,
	"currency" text NOT NULL,
	"pot" text NOT NULL,
	"balance_cents" bigint NOT NULL,
	CONSTRAINT "ledger_balances_account_id_currency_pot_pk" PRIMARY KEY("account_id","currency","pot"),
	CONSTRAINT "ledger_balances_credit" CHECK (pot <> 'CREDIT' or balance_cents >= 0)
);
--> statement-breakpoint
CREATE TABLE "ledger_postings" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_postings_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" uuid NOT NULL,
	"transaction_id" uuid NOT NULL,
	"account" text NOT NULL,
	"account_id" uuid,
	"pot" text,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"balance_cents" bigint,
	CONSTRAINT "ledger_postings_pot" CHECK ((account_id is null) = (pot is null))
);
--> statement-breakpoint
CREATE TABLE "ledger_transactions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"reference" text NOT NULL,
	"once_key" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_transactions_onceKey_unique" UNIQUE("once_key")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"provider_ref" text NOT NULL,
	"customer_id" text,
	"account_id" uuid,
	"facts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"plan" text DEFAULT 'FREE' NOT NULL,
	"status" text DEFAULT 'INCOMPLETE' NOT NULL,
	"current_period_end" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"is_trial" boolean DEFAULT false NOT NULL,
	"trial_ends_at" timestamp (3) with time zone,
	"cancelled_at" timestamp (3) with time zone,
	"changes_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscriptions_providerRef_unique" UNIQUE("provider_ref")
);
--> statement-breakpoint
CREATE TABLE "blacklist" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"reason" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "blacklist_platform_id_of_account" UNIQUE("account_id","platform_id")
);
--> statement-breakpoint
CREATE TABLE "bots" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
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
	"checked_at" timestamp (3) with time zone,
	"refused_at" timestamp (3) with time zone,
	"secret_refused_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bots_client_id_of_account" UNIQUE("account_id","client_id")
);
--> statement-breakpoint
CREATE TABLE "firewall_rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
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
	"account_id" uuid NOT NULL,
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
CREATE TABLE "listing_counts" (
	"listed_by" text NOT NULL,
	"category" text NOT NULL,
	"level" integer NOT NULL,
	"cell" bigint NOT NULL,
	"value" bigint NOT NULL,
	"chunk" bigint NOT NULL,
	"total" integer NOT NULL,
	CONSTRAINT "listing_counts_listed_by_category_level_cell_value_chunk_pk" PRIMARY KEY("listed_by","category","level","cell","value","chunk")
);
--> statement-breakpoint
CREATE TABLE "listings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "listings_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"seller_id" uuid NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"category" text NOT NULL,
	"price_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"is_published" boolean NOT NULL,
	"sales_count" bigint DEFAULT 0 NOT NULL,
	"backup_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "listings_seq" UNIQUE("seq")
);
--> statement-breakpoint
CREATE TABLE "order_payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"order_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"provider_ref" text NOT NULL,
	"payment_intent" text,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"is_credited" boolean NOT NULL,
	"late_state" text,
	"returned_cents" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "order_payments_once" UNIQUE("provider","provider_ref")
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"listing_id" uuid NOT NULL,
	"listing_title" text NOT NULL,
	"delivery_type" text NOT NULL,
	"buyer_id" uuid NOT NULL,
	"seller_id" uuid NOT NULL,
	"server_id" uuid,
	"quantity" integer NOT NULL,
	"unit_price_cents" bigint NOT NULL,
	"total_cents" bigint NOT NULL,
	"fee_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"pay_with" text NOT NULL,
	"status" text DEFAULT 'PENDING' NOT NULL,
	"refunded_cents" bigint DEFAULT 0 NOT NULL,
	"delivered" integer DEFAULT 0 NOT NULL,
	"delivered_at" timestamp (3) with time zone,
	"backup_id" uuid,
	"objects_total" integer DEFAULT 0 NOT NULL,
	"objects_done" integer DEFAULT 0 NOT NULL,
	"checkout_url" text,
	"checkout_ref" text,
	"is_disputed" boolean DEFAULT false NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"paid_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payouts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"status" text DEFAULT 'PENDING' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"paid_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "templates" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"listing_id" uuid,
	"manifest" text,
	"components" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "templates_listingId_unique" UNIQUE("listing_id")
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
	"account_id" uuid NOT NULL,
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
	"bot_id" uuid,
	"token_status" text DEFAULT 'NONE' NOT NULL,
	"consented_at" timestamp (3) with time zone,
	"blacklisted" boolean DEFAULT false NOT NULL,
	"pullable" boolean GENERATED ALWAYS AS (consented_at is not null and token_status in ('VALID', 'EXPIRED') and not blacklisted) STORED NOT NULL,
	"account_created_at" timestamp (3) with time zone,
	"verified_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_platform_id_of_server" UNIQUE("server_id","platform_id")
);
--> statement-breakpoint
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
	"account_id" uuid NOT NULL,
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
	"selected_at" timestamp (3) with time zone,
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
CREATE TABLE "restore_steps" (
	"restore_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"stage" text NOT NULL,
	"after" jsonb NOT NULL,
	"action" jsonb NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"effect" text NOT NULL,
	"status" text DEFAULT 'planned' NOT NULL,
	"created_id" text,
	"error" text,
	CONSTRAINT "restore_steps_restore_id_seq_pk" PRIMARY KEY("restore_id","seq")
);
--> statement-breakpoint
CREATE TABLE "restores" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"backup_id" uuid NOT NULL,
	"held_backup_id" uuid,
	"components" jsonb NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"steps_total" integer DEFAULT 0 NOT NULL,
	"steps_done" integer DEFAULT 0 NOT NULL,
	"steps_failed" integer DEFAULT 0 NOT NULL,
	"safety_backup_id" uuid,
	"plan" jsonb,
	"is_cancel_requested" boolean DEFAULT false NOT NULL,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "servers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
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
	"refreshed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"account_id" uuid NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "recovery_codes_account_id_hash_pk" PRIMARY KEY("account_id","hash")
);
--> statement-breakpoint
CREATE TABLE "second_factors" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"enabled_at" timestamp (3) with time zone,
	"last_step" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"platform_id" text NOT NULL,
	"username" text NOT NULL,
	"display_name" text,
	"avatar_hash" text,
	"browser" text DEFAULT '' NOT NULL,
	"awaits_code" boolean DEFAULT false NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
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
	"account_id" uuid NOT NULL,
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
	"account_id" uuid NOT NULL,
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
	"account_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stage" text DEFAULT 'visited' NOT NULL,
	"block_reason" text,
	"undecided" jsonb,
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
CREATE TABLE "identity_hashes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"kind" text NOT NULL,
	"hash" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "identity_hashes_once" UNIQUE("server_id","platform_id","kind","hash")
);
--> statement-breakpoint
CREATE TABLE "pending_verifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"browser_hash" text NOT NULL,
	"account_id" uuid NOT NULL,
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
CREATE TABLE "role_assignments" (
	"member_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid NOT NULL,
	"platform_id" text NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"error" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "verification_used_solutions" (
	"hash" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "whitelist_rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
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
	"people_of_account_id" uuid,
	CONSTRAINT "idempotent_answers_caller_id_idempotency_key_pk" PRIMARY KEY("caller_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "platform_refusals" (
	"account_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"total" integer NOT NULL,
	CONSTRAINT "platform_refusals_account_id_at_pk" PRIMARY KEY("account_id","at")
);
--> statement-breakpoint
CREATE TABLE "job_leases" (
	"subject" text PRIMARY KEY NOT NULL,
	"queue" text NOT NULL,
	"payload" jsonb NOT NULL,
	"group_id" text,
	"place" text,
	"job_id" uuid NOT NULL,
	"worker_id" text,
	"fence" bigint NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "attempt_countries" ADD CONSTRAINT "attempt_countries_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attempt_country_hours" ADD CONSTRAINT "attempt_country_hours_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attempt_hours" ADD CONSTRAINT "attempt_hours_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "backup_blobs" ADD CONSTRAINT "backup_blobs_backup_id_backups_id_fk" FOREIGN KEY ("backup_id") REFERENCES "public"."backups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "backup_blobs" ADD CONSTRAINT "backup_blobs_blob_id_blobs_id_fk" FOREIGN KEY ("blob_id") REFERENCES "public"."blobs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "backups" ADD CONSTRAINT "backups_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "blob_holds" ADD CONSTRAINT "blob_holds_blob_id_blobs_id_fk" FOREIGN KEY ("blob_id") REFERENCES "public"."blobs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "blob_people" ADD CONSTRAINT "blob_people_blob_id_blobs_id_fk" FOREIGN KEY ("blob_id") REFERENCES "public"."blobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "blobs" ADD CONSTRAINT "blobs_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erasures" ADD CONSTRAINT "erasures_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "storage_used" ADD CONSTRAINT "storage_used_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_charges" ADD CONSTRAINT "billing_charges_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_customers" ADD CONSTRAINT "billing_customers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_invoices" ADD CONSTRAINT "billing_invoices_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_notices" ADD CONSTRAINT "billing_notices_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_notices" ADD CONSTRAINT "billing_notices_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_postings" ADD CONSTRAINT "ledger_postings_transaction_id_ledger_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."ledger_transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "blacklist" ADD CONSTRAINT "blacklist_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "firewall_rules" ADD CONSTRAINT "firewall_rules_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "listings" ADD CONSTRAINT "listings_seller_id_accounts_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_payments" ADD CONSTRAINT "order_payments_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_listing_id_listings_id_fk" FOREIGN KEY ("listing_id") REFERENCES "public"."listings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_buyer_id_accounts_id_fk" FOREIGN KEY ("buyer_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_seller_id_accounts_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "templates" ADD CONSTRAINT "templates_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "templates" ADD CONSTRAINT "templates_listing_id_listings_id_fk" FOREIGN KEY ("listing_id") REFERENCES "public"."listings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_counts" ADD CONSTRAINT "member_counts_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_cooldowns" ADD CONSTRAINT "pull_cooldowns_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_members" ADD CONSTRAINT "pull_members_pull_id_pulls_id_fk" FOREIGN KEY ("pull_id") REFERENCES "public"."pulls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_members" ADD CONSTRAINT "pull_members_member_id_members_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."members"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pulls" ADD CONSTRAINT "pulls_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "restore_steps" ADD CONSTRAINT "restore_steps_restore_id_restores_id_fk" FOREIGN KEY ("restore_id") REFERENCES "public"."restores"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "restores" ADD CONSTRAINT "restores_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "restores" ADD CONSTRAINT "restores_held_backup_id_backups_id_fk" FOREIGN KEY ("held_backup_id") REFERENCES "public"."backups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "servers" ADD CONSTRAINT "servers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "servers" ADD CONSTRAINT "servers_custom_bot_id_bots_id_fk" FOREIGN KEY ("custom_bot_id") REFERENCES "public"."bots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "second_factors" ADD CONSTRAINT "second_factors_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_tokens" ADD CONSTRAINT "member_tokens_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "appeals" ADD CONSTRAINT "appeals_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_attempts" ADD CONSTRAINT "verification_attempts_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_authorizations" ADD CONSTRAINT "verification_authorizations_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_authorizations" ADD CONSTRAINT "verification_authorizations_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_hashes" ADD CONSTRAINT "identity_hashes_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pending_verifications" ADD CONSTRAINT "pending_verifications_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pending_verifications" ADD CONSTRAINT "pending_verifications_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "whitelist_rules" ADD CONSTRAINT "whitelist_rules_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accounts_seal_key" ON "accounts" USING btree (split_part(hash_key, '.', 2));--> statement-breakpoint
CREATE INDEX "backup_blobs_blob" ON "backup_blobs" USING btree ("blob_id");--> statement-breakpoint
CREATE INDEX "backups_of_server" ON "backups" USING btree ("server_id","created_at","id");--> statement-breakpoint
CREATE INDEX "backups_of_account" ON "backups" USING btree ("account_id","kind","status");--> statement-breakpoint
CREATE INDEX "backups_to_verify" ON "backups" USING btree ("verified_at") WHERE status = 'completed';--> statement-breakpoint
CREATE INDEX "blob_holds_blob" ON "blob_holds" USING btree ("blob_id");--> statement-breakpoint
CREATE INDEX "blob_people_of_account" ON "blob_people" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "blob_people_people" ON "blob_people" USING gin ("people");--> statement-breakpoint
CREATE INDEX "blobs_added_by" ON "blobs" USING btree ("added_by");--> statement-breakpoint
CREATE INDEX "blobs_seal_key" ON "blobs" USING btree ("seal_key_id","id");--> statement-breakpoint
CREATE INDEX "blobs_unindexed" ON "blobs" USING btree ("account_id") WHERE not is_indexed;--> statement-breakpoint
CREATE INDEX "billing_charges_of_account" ON "billing_charges" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "billing_charges_waiting" ON "billing_charges" USING btree ("customer_id") WHERE account_id is null;--> statement-breakpoint
CREATE INDEX "billing_customers_of_account" ON "billing_customers" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "billing_disputes_of_charge" ON "billing_disputes" USING btree ("charge_id");--> statement-breakpoint
CREATE INDEX "billing_disputes_of_intent" ON "billing_disputes" USING btree ("payment_intent");--> statement-breakpoint
CREATE INDEX "billing_events_of_account" ON "billing_events" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "billing_events_waiting" ON "billing_events" USING btree ("subject_ref") WHERE outcome = 'UNMATCHED';--> statement-breakpoint
CREATE INDEX "billing_invoices_of_account" ON "billing_invoices" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "billing_notices_of_account" ON "billing_notices" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "billing_notices_of_subscription" ON "billing_notices" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "billing_payment_refs_of_subscription" ON "billing_payment_refs" USING btree ("subscription_ref");--> statement-breakpoint
CREATE INDEX "ledger_postings_of_transaction" ON "ledger_postings" USING btree ("transaction_id");--> statement-breakpoint
CREATE INDEX "ledger_postings_of_account" ON "ledger_postings" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "subscriptions_of_account" ON "subscriptions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "subscriptions_waiting" ON "subscriptions" USING btree ("customer_id") WHERE account_id is null;--> statement-breakpoint
CREATE INDEX "subscriptions_to_change" ON "subscriptions" USING btree ("changes_at");--> statement-breakpoint
CREATE INDEX "blacklist_of_account" ON "blacklist" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "bots_of_account" ON "bots" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "bots_seal_key" ON "bots" USING btree ("seal_key_id");--> statement-breakpoint
CREATE INDEX "bots_to_check" ON "bots" USING btree ("checked_at" NULLS FIRST) WHERE is_active;--> statement-breakpoint
CREATE INDEX "firewall_rules_of_server" ON "firewall_rules" USING btree ("server_id","created_at","id");--> statement-breakpoint
CREATE INDEX "api_keys_of_account" ON "api_keys" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "api_keys_live" ON "api_keys" USING btree ("account_id") WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX "listing_counts_empty" ON "listing_counts" USING btree ("total") WHERE total = 0;--> statement-breakpoint
CREATE INDEX "listings_of_seller" ON "listings" USING btree ("seller_id");--> statement-breakpoint
CREATE INDEX "listings_by_age_of_category" ON "listings" USING btree ("category","seq") WHERE is_published;--> statement-breakpoint
CREATE INDEX "listings_by_age" ON "listings" USING btree ("seq") WHERE is_published;--> statement-breakpoint
CREATE INDEX "listings_by_price" ON "listings" USING btree ("price_cents","seq") WHERE is_published;--> statement-breakpoint
CREATE INDEX "listings_by_price_of_category" ON "listings" USING btree ("category","price_cents","seq") WHERE is_published;--> statement-breakpoint
CREATE INDEX "listings_by_sales" ON "listings" USING btree ("sales_count","seq") WHERE is_published;--> statement-breakpoint
CREATE INDEX "listings_by_sales_of_category" ON "listings" USING btree ("category","sales_count","seq") WHERE is_published;--> statement-breakpoint
CREATE INDEX "order_payments_of_order" ON "order_payments" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "order_payments_of_intent" ON "order_payments" USING btree ("payment_intent");--> statement-breakpoint
CREATE INDEX "order_payments_to_return" ON "order_payments" USING btree ("created_at") WHERE late_state = 'RETURNING';--> statement-breakpoint
CREATE INDEX "orders_of_buyer" ON "orders" USING btree ("buyer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "orders_of_seller" ON "orders" USING btree ("seller_id","created_at","id");--> statement-breakpoint
CREATE INDEX "orders_of_listing" ON "orders" USING btree ("listing_id");--> statement-breakpoint
CREATE INDEX "orders_to_expire" ON "orders" USING btree ("expires_at") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "orders_to_complete" ON "orders" USING btree ("delivered_at") WHERE status = 'FULFILLING';--> statement-breakpoint
CREATE INDEX "payouts_of_account" ON "payouts" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "templates_of_account" ON "templates" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "templates_of_nobody" ON "templates" USING btree ("created_at") WHERE listing_id is null;--> statement-breakpoint
CREATE INDEX "members_of_server" ON "members" USING btree ("server_id","verified_at","id","pullable","search_text");--> statement-breakpoint
CREATE INDEX "members_pullable" ON "members" USING btree ("server_id","pullable","verified_at","id");--> statement-breakpoint
CREATE INDEX "members_token_status" ON "members" USING btree ("server_id","token_status");--> statement-breakpoint
CREATE INDEX "members_of_person" ON "members" USING btree ("platform_id","account_id");--> statement-breakpoint
CREATE INDEX "members_search" ON "members" USING gin ("server_id","search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "pull_members_member" ON "pull_members" USING btree ("member_id");--> statement-breakpoint
CREATE INDEX "pull_members_open" ON "pull_members" USING btree ("pull_id","attempts","is_foreign","seq") WHERE "pull_members"."result" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "pulls_active_of_server" ON "pulls" USING btree ("server_id") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "pulls_of_server" ON "pulls" USING btree ("server_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "restores_active_on_server" ON "restores" USING btree ("server_id") WHERE status in ('queued', 'snapshotting', 'running');--> statement-breakpoint
CREATE INDEX "restores_of_server" ON "restores" USING btree ("server_id","created_at","id");--> statement-breakpoint
CREATE INDEX "restores_held_backup" ON "restores" USING btree ("held_backup_id");--> statement-breakpoint
CREATE UNIQUE INDEX "servers_guild_of_account" ON "servers" USING btree ("account_id","platform_guild_id") WHERE "servers"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "servers_of_account" ON "servers" USING btree ("account_id","created_at","id") WHERE "servers"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "servers_to_refresh" ON "servers" USING btree ("refreshed_at" NULLS FIRST) WHERE "servers"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "servers_user" ON "servers" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "servers_bot" ON "servers" USING btree ("custom_bot_id");--> statement-breakpoint
CREATE INDEX "servers_deleted" ON "servers" USING btree ("deleted_at") WHERE "servers"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX "second_factors_seal_key" ON "second_factors" USING btree (split_part(secret, '.', 2));--> statement-breakpoint
CREATE INDEX "sessions_of_person" ON "sessions" USING btree ("platform_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_ins_expiry" ON "sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "member_tokens_of_person" ON "member_tokens" USING btree ("platform_id","account_id");--> statement-breakpoint
CREATE INDEX "member_tokens_to_refresh" ON "member_tokens" USING btree ("refresh_at");--> statement-breakpoint
CREATE INDEX "member_tokens_seal_key" ON "member_tokens" USING btree ("seal_key_id");--> statement-breakpoint
CREATE INDEX "member_tokens_refreshing" ON "member_tokens" USING btree ("refreshing_until") WHERE refreshing_until is not null;--> statement-breakpoint
CREATE INDEX "appeals_of_server" ON "appeals" USING btree ("server_id","created_at","id");--> statement-breakpoint
CREATE INDEX "appeals_person" ON "appeals" USING btree ("platform_id");--> statement-breakpoint
CREATE UNIQUE INDEX "appeals_one_open" ON "appeals" USING btree ("server_id","platform_id") WHERE status = 'OPEN';--> statement-breakpoint
CREATE INDEX "verification_attempts_of_server" ON "verification_attempts" USING btree ("server_id","started_at");--> statement-breakpoint
CREATE INDEX "verification_attempts_started" ON "verification_attempts" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "verification_attempts_visited" ON "verification_attempts" USING btree ("started_at") WHERE stage = 'visited';--> statement-breakpoint
CREATE INDEX "verification_authorizations_server" ON "verification_authorizations" USING btree ("server_id","expires_at");--> statement-breakpoint
CREATE INDEX "verification_authorizations_bot" ON "verification_authorizations" USING btree ("bot_id");--> statement-breakpoint
CREATE INDEX "verification_authorizations_expiry" ON "verification_authorizations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "identity_hashes_hash" ON "identity_hashes" USING btree ("account_id","kind","hash");--> statement-breakpoint
CREATE INDEX "identity_hashes_person" ON "identity_hashes" USING btree ("platform_id");--> statement-breakpoint
CREATE INDEX "identity_hashes_expiry" ON "identity_hashes" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "pending_verifications_server" ON "pending_verifications" USING btree ("server_id","browser_hash");--> statement-breakpoint
CREATE INDEX "pending_verifications_bot" ON "pending_verifications" USING btree ("bot_id");--> statement-breakpoint
CREATE INDEX "pending_verifications_person" ON "pending_verifications" USING btree ("platform_id");--> statement-breakpoint
CREATE INDEX "pending_verifications_expiry" ON "pending_verifications" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "role_assignments_server" ON "role_assignments" USING btree ("server_id");--> statement-breakpoint
CREATE INDEX "verification_used_solutions_expiry" ON "verification_used_solutions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "whitelist_rules_of_server" ON "whitelist_rules" USING btree ("server_id","created_at","id");--> statement-breakpoint
CREATE INDEX "idempotent_answers_age" ON "idempotent_answers" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "idempotent_answers_people" ON "idempotent_answers" USING btree ("people_of_account_id") WHERE people_of_account_id is not null;--> statement-breakpoint
CREATE INDEX "platform_refusals_age" ON "platform_refusals" USING btree ("at");--> statement-breakpoint
CREATE INDEX "job_leases_of_worker" ON "job_leases" USING btree ("worker_id");--> statement-breakpoint
CREATE INDEX "job_leases_until" ON "job_leases" USING btree ("until");--> statement-breakpoint
CREATE INDEX "job_leases_place" ON "job_leases" USING btree ("place") WHERE "job_leases"."place" is not null;--> statement-breakpoint
-- Keeps member_counts equal to the members table for every statement, whoever wrote it. Inserts and
-- updates touch the rows in key order, so that two statements cannot deadlock. A delete must not
-- insert: the row of the server may be deleted in the same statement.
CREATE FUNCTION count_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO member_counts AS counts (server_id, day, total, pullable)
    SELECT server_id, (verified_at AT TIME ZONE 'UTC')::date, count(*), count(*) FILTER (WHERE pullable)
    FROM added GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (server_id, day) DO UPDATE
    SET total = counts.total + excluded.total, pullable = counts.pullable + excluded.pullable;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE member_counts AS counts
    SET total = counts.total - gone.total, pullable = counts.pullable - gone.pullable
    FROM (
      SELECT server_id, (verified_at AT TIME ZONE 'UTC')::date AS day,
        count(*) AS total, count(*) FILTER (WHERE pullable) AS pullable
      FROM removed GROUP BY 1, 2
    ) AS gone
    WHERE counts.server_id = gone.server_id AND counts.day = gone.day;
  ELSE
    INSERT INTO member_counts AS counts (server_id, day, total, pullable)
    SELECT server_id, day, sum(total), sum(pullable) FROM (
      SELECT server_id, (verified_at AT TIME ZONE 'UTC')::date AS day, 1 AS total, pullable::int AS pullable
      FROM added
      UNION ALL
      SELECT server_id, (verified_at AT TIME ZONE 'UTC')::date, -1, -(pullable::int)
      FROM removed
    ) AS changes
    GROUP BY 1, 2 HAVING sum(total) <> 0 OR sum(pullable) <> 0 ORDER BY 1, 2
    ON CONFLICT (server_id, day) DO UPDATE
    SET total = counts.total + excluded.total, pullable = counts.pullable + excluded.pullable;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER members_inserted AFTER INSERT ON members
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_members();
--> statement-breakpoint
CREATE TRIGGER members_deleted AFTER DELETE ON members
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_members();
--> statement-breakpoint
CREATE TRIGGER members_updated AFTER UPDATE ON members
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_members();
--> statement-breakpoint
-- Runs at commit: until then the postings of a transaction come one by one. Postings must add up to
-- zero per currency, and a payout may only take what was earned.
CREATE FUNCTION ledger_adds_up() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved uuid := coalesce(NEW.transaction_id, OLD.transaction_id);
BEGIN
  IF EXISTS (
    SELECT FROM ledger_postings WHERE transaction_id = moved
    GROUP BY currency HAVING sum(amount_cents) <> 0
  ) THEN
    RAISE EXCEPTION 'The postings of ledger transaction % do not add up to nothing', moved
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_adds_up';
  END IF;
  IF EXISTS (
    SELECT FROM ledger_postings JOIN ledger_transactions ON ledger_transactions.id = transaction_id
    WHERE transaction_id = moved AND type = 'PAYOUT' AND pot = 'CREDIT'
  ) THEN
    RAISE EXCEPTION 'Ledger transaction % pays out credit', moved
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_pays_out_earned';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER ledger_adds_up AFTER INSERT OR UPDATE OR DELETE ON ledger_postings
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_adds_up();
--> statement-breakpoint
-- Where a listing stands in each sort order: its cell of neighbouring values, its value, and its age
-- among listings of that value. The widths are also in features/marketplace/queries.
CREATE FUNCTION listing_places(category text, price_cents bigint, sales_count bigint, seq bigint)
RETURNS TABLE (listed_by text, in_category text, level integer, cell bigint, value bigint, chunk bigint)
LANGUAGE sql IMMUTABLE AS $$
  SELECT ordered.listed_by, categories.name, levels.level, cells.cell,
    CASE WHEN levels.level >= 2 THEN ordered.value ELSE 0 END,
    CASE WHEN levels.level = 3 THEN seq / 1024 ELSE 0 END
  FROM (VALUES ('age', 0::bigint), ('price', price_cents), ('sales', sales_count)) AS ordered (listed_by, value)
  CROSS JOIN LATERAL (
    SELECT CASE WHEN ordered.value < 1 THEN 0
      ELSE 1 + floor(ln(ordered.value::double precision) * 32)::bigint END
  ) AS cells (cell)
  CROSS JOIN (VALUES ('ALL'), (category)) AS categories (name)
  CROSS JOIN (VALUES (1), (2), (3)) AS levels (level)
$$;
--> statement-breakpoint
-- Keeps listing_counts equal to the published listings for every statement, whoever wrote it. Rows are
-- touched in key order, so that two statements cannot deadlock.
CREATE FUNCTION count_listings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO listing_counts AS counts (listed_by, category, level, cell, value, chunk, total)
    SELECT places.*, count(*)
    FROM added, listing_places(added.category, price_cents, sales_count, seq) AS places
    WHERE is_published GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (listed_by, category, level, cell, value, chunk)
    DO UPDATE SET total = counts.total + excluded.total;
    RETURN NULL;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO listing_counts AS counts (listed_by, category, level, cell, value, chunk, total)
    SELECT places.*, -count(*)
    FROM removed, listing_places(removed.category, price_cents, sales_count, seq) AS places
    WHERE is_published GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (listed_by, category, level, cell, value, chunk)
    DO UPDATE SET total = counts.total + excluded.total;
  ELSE
    INSERT INTO listing_counts AS counts (listed_by, category, level, cell, value, chunk, total)
    SELECT listed_by, in_category, level, cell, value, chunk, sum(change) FROM (
      SELECT places.*, 1 AS change
      FROM added, listing_places(added.category, price_cents, sales_count, seq) AS places
      WHERE is_published
      UNION ALL
      SELECT places.*, -1
      FROM removed, listing_places(removed.category, price_cents, sales_count, seq) AS places
      WHERE is_published
    ) AS changes
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (listed_by, category, level, cell, value, chunk)
    DO UPDATE SET total = counts.total + excluded.total;
  END IF;
  -- Rows that count nothing would slow down every walk over the counts.
  DELETE FROM listing_counts WHERE total = 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER listings_inserted AFTER INSERT ON listings
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_listings();
--> statement-breakpoint
CREATE TRIGGER listings_deleted AFTER DELETE ON listings
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_listings();
--> statement-breakpoint
CREATE TRIGGER listings_updated AFTER UPDATE ON listings
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_listings();
