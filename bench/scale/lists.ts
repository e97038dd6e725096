import { dashboardEndpoints, type Endpoint, endpoints, isHeavyRead } from '@holdfast/contract';
import { z } from 'zod';
import { openDashboard } from '../../apps/server/test/harness/dashboard/session.ts';
import type { Reply, TestService } from '../../apps/server/test/harness/service.ts';
import { median } from '../lib/statistics.ts';
import type { PlanLog, Ran } from './plan-log.ts';
import type { MeasuredServer } from './queries/measured.ts';

/** The database's part of one request. */
export type Timed = { name: string; ms: number; pages: number; scanned: string[] };

const repeats = 5;
const searches = ['amber', 'er', 'amber-otter'];

/** What a list must be asked, besides its page. */
const required: Record<string, string> = {
  listOwnOrders: 'view=BOUGHT',
  findAppeals: 'isOpen=true',
};
/** Their path names an incident. */
const ofIncident = new Set(['listIncidentActs', 'listNewcomers', 'getIncident']);

type Read = { name: string; path: string; isDashboards: boolean; query: z.ZodObject | undefined };

/** Lists, and what else costs more than a lookup, as long as it needs no id but a server's. */
const reads: Read[] = [endpoints, dashboardEndpoints].flatMap((part) =>
  // Object.entries widens the entries; they are the contract's own.
  (Object.entries(part) as [string, Endpoint][])
    .filter(([, entry]) => isHeavyRead(entry) && !/:(?!id\b)/.test(entry.path))
    .map(([name, { path, query }]) => ({
      ...{ name, path, query },
      isDashboards: part === dashboardEndpoints,
    })),
);

/** One query for each value of each filter. */
const filtersOf = ({ query }: Read): string[] =>
  Object.entries(query?.shape ?? {}).flatMap(([field, schema]) => {
    if (field === 'page' || field === 'limit') return [];
    if (field === 'search') return searches.map((term) => `search=${term}`);
    if (field === 'period') return ['period=365d'];
    return valuesOf(schema).map((value) => `${field}=${value}`);
  });

const wrapped = z.looseObject({ innerType: z.unknown().optional(), in: z.unknown().optional() });
const listed = z.looseObject({ entries: z.record(z.string(), z.string()) });

/** Of an enumeration, however it is wrapped; none of anything else. */
const valuesOf = (schema: unknown): string[] => {
  const { def } = z.looseObject({ def: z.unknown() }).catch({ def: {} }).parse(schema);
  const enumeration = listed.safeParse(def);
  if (enumeration.success) return Object.values(enumeration.data.entries);
  const { innerType, in: input } = wrapped.catch({}).parse(def);
  const inner = innerType ?? input;
  return inner === undefined ? [] : valuesOf(inner);
};

type Ask = (read: Read, query: string) => Promise<Reply>;

const askAs = async (service: TestService, server: MeasuredServer): Promise<Ask> => {
  const key = await service.newKey({ ...server, key: '', keyId: '', call: service.call }, ['*']);
  const dashboard = await openDashboard(service, server);
  return ({ name, path, isDashboards }, query) => {
    const seller = name === 'listSellerListings' ? server.accountId : server.serverId;
    const asked = path.replace(':id', ofIncident.has(name) ? server.incidentId : seller);
    const needed = required[name];
    const isGiven = needed !== undefined && query.startsWith(needed.split('=')[0] ?? '');
    const url = `${asked}?${[isGiven ? undefined : needed, query].filter(Boolean).join('&')}`;
    return isDashboards ? dashboard.call('GET', url) : key.call('GET', `/api/v1${url}`);
  };
};

const total = z.object({ pagination: z.object({ totalPages: z.number() }) });

/** Every list: its first page, one in its middle, and each of its filters. */
export const timeLists = async (
  { service, log }: { service: TestService; log: PlanLog },
  server: MeasuredServer,
  onRefused: (what: string) => void,
): Promise<Timed[]> => {
  const ask = await askAs(service, server);
  const timed: Timed[] = [];
  for (const read of reads) {
    const { status, body } = await untilServed(() => ask(read, ''));
    if (status !== 200) {
      onRefused(`${read.name}: ${status}`);
      continue;
    }
    const pages = total.safeParse(body).data?.pagination.totalPages ?? 1;
    const middle = pages > 2 ? [`page=${Math.ceil(pages / 2)}`] : [];
    for (const query of ['', ...middle, ...filtersOf(read)]) {
      const label = query.startsWith('page=') ? 'middle page' : query;
      timed.push({
        name: `${read.name} ${label}`.trim(),
        ...(await time(log, () => ask(read, query))),
      });
    }
  }
  return timed;
};

const tries = 30;

/** An account may ask only so much in a minute: the rest has to wait. */
const untilServed = async (request: () => Promise<Reply>): Promise<Reply> => {
  for (let i = 0; ; i++) {
    const reply = await request();
    if (reply.status !== 429 || i === tries) return reply;
    await Bun.sleep(Number(reply.headers.get('retry-after') ?? 1) * 1000);
  }
};

const time = async (log: PlanLog, request: () => Promise<Reply>): Promise<Omit<Timed, 'name'>> => {
  const runs: Ran[][] = [];
  for (let i = 0; i <= repeats; i++) {
    let isServed = false;
    const send = async () => {
      isServed = (await request()).status === 200;
    };
    const ran = await log.during(send);
    if (isServed) runs.push(ran);
    else await untilServed(request);
  }
  // The first one reads from disk what the others find in memory.
  const counted = runs.slice(1);
  return {
    ms: median(counted.map((run) => run.reduce((sum, { ms }) => sum + ms, 0))),
    pages: median(counted.map((run) => run.reduce((sum, { pages }) => sum + pages, 0))),
    scanned: [...new Set(counted.flat().flatMap(({ scanned }) => scanned))],
  };
};
