ALTER TABLE "backup_blobs" ADD COLUMN "is_draft" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "blobs" ADD COLUMN "kept_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "idempotent_answers" ADD COLUMN "people_of_user_id" uuid;--> statement-breakpoint
CREATE INDEX "idempotent_answers_people" ON "idempotent_answers" USING btree ("people_of_user_id") WHERE people_of_user_id is not null;