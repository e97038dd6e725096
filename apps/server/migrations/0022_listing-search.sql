ALTER TABLE "listings" ADD COLUMN "search_text" text DEFAULT '' NOT NULL;--> statement-breakpoint
-- By the database's locale; the service folds the text itself whenever a listing is saved.
UPDATE "listings" SET "search_text" = replace(lower("title" || E'\n' || "description"), 'ς', 'σ');--> statement-breakpoint
CREATE INDEX "listings_search" ON "listings" USING gin ("search_text" gin_trgm_ops) WHERE is_published;