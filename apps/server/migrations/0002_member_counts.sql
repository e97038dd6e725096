-- Keeps member_counts true for every statement that touches members, whoever wrote it.
-- Inserts and updates take the rows in key order, so that two of them never wait in a circle. A
-- delete must not insert: the server's own row may be on its way out.
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
END $$;--> statement-breakpoint
CREATE TRIGGER members_inserted AFTER INSERT ON members
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_members();--> statement-breakpoint
CREATE TRIGGER members_deleted AFTER DELETE ON members
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_members();--> statement-breakpoint
CREATE TRIGGER members_updated AFTER UPDATE ON members
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_members();
