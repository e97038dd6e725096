CREATE TABLE "blob_people" (
	"blob_id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"section" text NOT NULL,
	"people" bigint[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"user_id" uuid NOT NULL,
	"person_hash" text NOT NULL,
	"index_hash" bigint NOT NULL,
	"erased_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lifted_at" timestamp (3) with time zone,
	CONSTRAINT "erasures_user_id_person_hash_pk" PRIMARY KEY("user_id","person_hash")
);
--> statement-breakpoint
ALTER TABLE "blobs" ADD COLUMN "is_indexed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "blob_people" ADD CONSTRAINT "blob_people_blob_id_blobs_id_fk" FOREIGN KEY ("blob_id") REFERENCES "public"."blobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erasures" ADD CONSTRAINT "erasures_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "blob_people_of_user" ON "blob_people" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "blob_people_people" ON "blob_people" USING gin ("people");--> statement-breakpoint
CREATE INDEX "blobs_unindexed" ON "blobs" USING btree ("user_id") WHERE not is_indexed;