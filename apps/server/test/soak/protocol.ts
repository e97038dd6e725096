/** What happened so far. */
export type Protocol = {
  count(what: string, times?: number): void;
  violate(what: string): void;
  /** A request that failed though nothing it needs was away; a busy machine may be the reason. */
  fail(request: string): void;
  counts(): [what: string, times: number][];
  violations(): string[];
  failedRequests(): string[];
};

export const createProtocol = (say: (line: string) => void): Protocol => {
  const counted = new Map<string, number>();
  const violations: string[] = [];
  const failed: string[] = [];
  return {
    count(what, times = 1) {
      counted.set(what, (counted.get(what) ?? 0) + times);
    },
    violate(what) {
      violations.push(what);
      say(`VIOLATION ${what}`);
    },
    fail(request) {
      failed.push(request);
      say(`FAILED ${request}`);
    },
    counts: () => [...counted].toSorted(([one], [other]) => one.localeCompare(other)),
    violations: () => violations,
    failedRequests: () => failed,
  };
};
