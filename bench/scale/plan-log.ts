import { join } from 'node:path';
import type { SQL } from 'bun';
import { z } from 'zod';
import { writeMark } from './queries/measured.ts';

/** A statement as PostgreSQL has run it. */
export type Ran = {
  statement: string;
  ms: number;
  /** What came out at the top, or was changed there. */
  rows: number;
  /** Of 8 KiB, read or changed; the same on every machine, however busy it is. */
  pages: number;
  /** Tables that were read from end to end. */
  scanned: string[];
};

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
};
const planNode: z.ZodType<PlanNode> = z.looseObject({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number().optional(),
  'Shared Hit Blocks': z.number().optional(),
  'Shared Read Blocks': z.number().optional(),
  Plans: z.array(z.lazy(() => planNode)).optional(),
});
const explained = z.object({ 'Query Text': z.string(), Plan: planNode });
const logLine = z.looseObject({
  application_name: z.string().optional(),
  message: z.string().optional(),
});

const waitMs = 10_000;
let marks = 0;

/** Reads what the service's statements took from the log of the database that it uses. */
export const openPlanLog = (folder: string, sql: SQL, application: string) => {
  const path = join(folder, 'postgres/plans/plans.json');
  // Runs before have written to it too.
  let readBytes = Bun.file(path).size;

  /** The log is written by a process of its own: all up to a mark is there once the mark is. */
  const readNew = async (): Promise<string[]> => {
    marks += 1;
    const mark = `mark ${process.pid} ${marks}`;
    await writeMark(sql, mark);
    const deadline = performance.now() + waitMs;
    while (performance.now() < deadline) {
      const text = await Bun.file(path).slice(readBytes).text();
      if (text.includes(mark) && text.endsWith('\n')) {
        readBytes += Buffer.byteLength(text);
        return text.trimEnd().split('\n');
      }
      await Bun.sleep(10);
    }
    throw new Error(`The log of PostgreSQL shows no plans: ${path}`);
  };

  return {
    /** The statements that ran meanwhile. */
    async during(work: () => Promise<unknown>): Promise<Ran[]> {
      await readNew();
      await work();
      const lines = (await readNew()).map((line) => logLine.parse(JSON.parse(line)));
      return lines
        .filter(({ application_name }) => application_name === application)
        .flatMap(({ message = '' }) => ranOf(message));
    },
  };
};
export type PlanLog = ReturnType<typeof openPlanLog>;

const ranOf = (message: string): Ran[] => {
  const found = /^duration: ([\d.]+) ms {2}plan:\n([\s\S]+)$/.exec(message);
  if (!found) return [];
  const [, ms, json = ''] = found;
  const { 'Query Text': statement, Plan: top } = explained.parse(JSON.parse(json));
  const scanned = [...new Set(scansOf(top))];
  return [{ statement, ms: Number(ms), rows: rowsOf(top), pages: pagesOf(top), scanned }];
};

/** The top node counts those of all others. */
const pagesOf = (top: PlanNode): number =>
  (top['Shared Hit Blocks'] ?? 0) + (top['Shared Read Blocks'] ?? 0);

/** A statement that changes rows and returns none says so one node below. */
const rowsOf = ({ 'Actual Rows': rows = 0, Plans = [] }: PlanNode): number =>
  rows > 0 ? rows : Math.max(0, ...Plans.map((plan) => plan['Actual Rows'] ?? 0));

const scansOf = (node: PlanNode): string[] => [
  ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : []),
  ...(node.Plans ?? []).flatMap(scansOf),
];
