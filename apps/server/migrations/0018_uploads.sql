CREATE TABLE "upload_uses" (
	"account_id" uuid NOT NULL,
	"holder_id" uuid NOT NULL,
	"field" text NOT NULL,
	"upload_id" uuid NOT NULL,
	CONSTRAINT "upload_uses_holder_id_field_pk" PRIMARY KEY("holder_id","field")
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"token" text NOT NULL,
	"hash" text NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"bytes" integer NOT NULL,
	"stored_at" timestamp (3) with time zone,
	"unused_since" timestamp (3) with time zone DEFAULT now(),
	CONSTRAINT "uploads_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "verify_pages" (
	"server_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"title" text,
	"welcome" text,
	"accent" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "upload_uses" ADD CONSTRAINT "upload_uses_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload_uses" ADD CONSTRAINT "upload_uses_upload_id_uploads_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."uploads"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verify_pages" ADD CONSTRAINT "verify_pages_server_id_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "upload_uses_upload" ON "upload_uses" USING btree ("upload_id");--> statement-breakpoint
CREATE INDEX "upload_uses_account" ON "upload_uses" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "uploads_of_account" ON "uploads" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "uploads_unused" ON "uploads" USING btree ("unused_since") WHERE unused_since is not null;