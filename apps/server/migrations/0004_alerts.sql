CREATE TABLE "alert_messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid,
	"kind" text NOT NULL,
	"way" text NOT NULL,
	"alert_id" uuid NOT NULL,
	"alert_count" integer NOT NULL,
	"is_followed" boolean DEFAULT false NOT NULL,
	"tried_at" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_settings" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"settings" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"server_id" uuid,
	"kind" text NOT NULL,
	"facts" jsonb NOT NULL,
	"is_listed" boolean NOT NULL,
	"is_mail_waiting" boolean NOT NULL,
	"is_post_waiting" boolean NOT NULL,
	"read_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "token_health" (
	"server_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"is_low" boolean NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "alert_messages" ADD CONSTRAINT "alert_messages_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_messages" ADD CONSTRAINT "alert_messages_alert_id_alerts_id_fk" FOREIGN KEY ("alert_id") REFERENCES "public"."alerts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_settings" ADD CONSTRAINT "alert_settings_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "token_health" ADD CONSTRAINT "token_health_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_messages_of_kind" ON "alert_messages" USING btree ("account_id","kind","way","created_at");--> statement-breakpoint
CREATE INDEX "alert_messages_alert" ON "alert_messages" USING btree ("alert_id");--> statement-breakpoint
CREATE INDEX "alerts_of_account" ON "alerts" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "alerts_unread" ON "alerts" USING btree ("account_id","created_at","id") WHERE is_listed and read_at is null;--> statement-breakpoint
CREATE INDEX "alerts_waiting" ON "alerts" USING btree ("account_id","kind") WHERE is_mail_waiting or is_post_waiting;--> statement-breakpoint
CREATE INDEX "alerts_of_server" ON "alerts" USING btree ("server_id");--> statement-breakpoint
CREATE INDEX "alerts_by_age" ON "alerts" USING btree ("created_at");