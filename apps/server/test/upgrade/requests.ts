/** What was asked and answered since the last look; a request has failed that has no status below 400. */
type Counts = { requests: number; failures: Map<string, number> };

const newCounts = (): Counts => ({ requests: 0, failures: new Map() });

export type Requests = ReturnType<typeof countRequests>;

/** Requests over connections that are kept open, all counted. */
export const countRequests = (url: string, headers: Record<string, string>) => {
  let counts = newCounts();
  const fail = (what: string) => counts.failures.set(what, (counts.failures.get(what) ?? 0) + 1);
  return {
    take(): Counts {
      const taken = counts;
      counts = newCounts();
      return taken;
    },
    /** The answer, or undefined for a request that failed. */
    async send(
      method: string,
      path: string,
      { body, ...more }: { body?: object; headers?: Record<string, string> } = {},
    ): Promise<{ status: number; text: string } | undefined> {
      counts.requests++;
      const shown = `${method} ${path.replace(/[0-9a-f-]{36}/g, ':id').replace(/\?.*/, '')}`;
      try {
        const sent = { ...headers, ...more.headers };
        const response = await fetch(`${url}${path}`, {
          ...{ method, redirect: 'manual', signal: AbortSignal.timeout(30_000) },
          headers: body ? { ...sent, 'content-type': 'application/json' } : sent,
          ...(body && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        if (response.status >= 400) fail(`${response.status} ${shown} ${text.slice(0, 120)}`);
        return response.status < 400 ? { status: response.status, text } : undefined;
      } catch (error) {
        fail(`${error instanceof Error ? error.message : error} ${shown}`);
        return undefined;
      }
    },
  };
};
