export type LogRow = {
  seq: number;
  at: string;
  method: string;
  path: string;
  /** The path with every id replaced by `:id`; null if no route matches. */
  route: string | null;
  body: unknown;
  /** What the request gives as the reason for the audit log. */
  reason: string | null;
  botId: string | null;
  guildId: string | null;
  /** Null while unanswered, or if the connection was cut instead. */
  status: number | null;
  /** Whether the request took effect, answered or not. */
  applied: boolean;
};

/** Bounds the memory of a long load run; the oldest rows are dropped. */
const MAX_ROWS = 400_000;

export const createRequestLog = () => {
  let rows: LogRow[] = [];
  let seq = 0;
  return {
    start: (row: Omit<LogRow, 'seq' | 'at' | 'status' | 'applied'>): LogRow => {
      seq += 1;
      const started = { seq, at: new Date().toISOString(), ...row, status: null, applied: false };
      if (rows.length >= MAX_ROWS) rows = rows.slice(MAX_ROWS / 2);
      rows.push(started);
      return started;
    },
    since: (after: number): LogRow[] => {
      const first = rows[0]?.seq ?? 0;
      return rows.slice(Math.max(0, after - first + 1));
    },
    clear: () => {
      rows = [];
    },
  };
};

export type RequestLog = ReturnType<typeof createRequestLog>;
