CREATE TABLE "seal_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"sealed_check" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "second_factors_seal_key" ON "second_factors" USING btree (split_part(secret, '.', 2));--> statement-breakpoint
CREATE INDEX "users_seal_key" ON "users" USING btree (split_part(hash_key, '.', 2));