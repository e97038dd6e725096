CREATE TABLE "blob_holds" (
	"holder_id" uuid NOT NULL,
	"blob_id" uuid NOT NULL,
	CONSTRAINT "blob_holds_holder_id_blob_id_pk" PRIMARY KEY("holder_id","blob_id")
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
	"expires_at" timestamp (3) with time zone,
	"paid_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payouts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"status" text DEFAULT 'PENDING' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"paid_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "templates" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"listing_id" uuid,
	"manifest" text,
	"components" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "templates_listingId_unique" UNIQUE("listing_id")
);
--> statement-breakpoint
ALTER TABLE "blob_holds" ADD CONSTRAINT "blob_holds_blob_id_blobs_id_fk" FOREIGN KEY ("blob_id") REFERENCES "public"."blobs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "listings" ADD CONSTRAINT "listings_seller_id_users_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_payments" ADD CONSTRAINT "order_payments_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_listing_id_listings_id_fk" FOREIGN KEY ("listing_id") REFERENCES "public"."listings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_buyer_id_users_id_fk" FOREIGN KEY ("buyer_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_seller_id_users_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "templates" ADD CONSTRAINT "templates_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "templates" ADD CONSTRAINT "templates_listing_id_listings_id_fk" FOREIGN KEY ("listing_id") REFERENCES "public"."listings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "blob_holds_blob" ON "blob_holds" USING btree ("blob_id");--> statement-breakpoint
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
CREATE INDEX "orders_of_buyer" ON "orders" USING btree ("buyer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "orders_of_seller" ON "orders" USING btree ("seller_id","created_at","id");--> statement-breakpoint
CREATE INDEX "orders_of_listing" ON "orders" USING btree ("listing_id");--> statement-breakpoint
CREATE INDEX "orders_to_expire" ON "orders" USING btree ("expires_at") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "orders_to_complete" ON "orders" USING btree ("delivered_at") WHERE status = 'FULFILLING';--> statement-breakpoint
CREATE INDEX "payouts_of_user" ON "payouts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "templates_of_user" ON "templates" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "templates_of_nobody" ON "templates" USING btree ("created_at") WHERE listing_id is null;--> statement-breakpoint
-- Where a listing stands in each order: its cell of neighbouring values, its value, its age among those
-- of that value. The widths are also in features/marketplace/listings/page/queries.ts.
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
$$;--> statement-breakpoint
-- Keeps listing_counts true for every statement that touches listings, whoever wrote it. Rows are taken
-- in key order, so that two of them never wait in a circle.
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
  -- Those of listings that have moved on: a walk would pass them in vain.
  DELETE FROM listing_counts WHERE total = 0;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER listings_inserted AFTER INSERT ON listings
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_listings();--> statement-breakpoint
CREATE TRIGGER listings_deleted AFTER DELETE ON listings
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_listings();--> statement-breakpoint
CREATE TRIGGER listings_updated AFTER UPDATE ON listings
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_listings();
