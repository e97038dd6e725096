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
  /** The body of the platform's own answer, while the log keeps them; never that of a fault. */
  answer?: unknown;
};

export const parseIfJson = (text: string): unknown => {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
};

/** Bounds the memory of a long load run; the oldest rows are dropped. */
const MAX_ROWS = 400_000;

export const createRequestLog = () => {
  let rows: LogRow[] = [];
  let seq = 0;
  let keepsAnswers = false;
  return {
    /** Answers take much memory, so they are kept only on request. */
    keepAnswers: (isOn: boolean) => {
      keepsAnswers = isOn;
    },
    recordAnswer: async (row: LogRow, response: Response): Promise<Response> => {
      row.status = response.status;
      if (keepsAnswers) row.answer = parseIfJson(await response.clone().text());
      return response;
    },
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
