import { join } from 'node:path';
import {
  createHoldfast,
  HoldfastError,
  HoldfastNetworkError,
  type ResponseInfo,
} from '@holdfast/sdk';
import { clientOptions } from '../auth/client-options.ts';
import type { Connection } from '../auth/connection.ts';
import { isOpenToOthers } from '../auth/private-files.ts';
import { openProfiles } from '../auth/profiles.ts';
import type { CommandSpec } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { clean } from '../output/style.ts';

type Finding = { check: string; isOk: boolean; detail: string };

export const doctor: CommandSpec = {
  words: ['doctor'],
  summary: 'Check the connection, the key, the clock and the stored keys',
  examples: [{ does: 'When something does not work', line: 'holdfast doctor' }],
  async run({ context }) {
    const findings = [runtime(), await storedKeys(context), ...(await service(context))];
    const { style } = context.output;
    await context.output.show(findings, () =>
      findings
        .map(({ check, isOk, detail }) => {
          const sign = isOk ? style.green('ok  ') : style.red('fail');
          return `${sign}  ${check}: ${clean(detail)}`;
        })
        .join('\n'),
    );
    const failed = findings.filter(({ isOk }) => !isOk);
    if (failed.length > 0) {
      throw new CommandError(
        'failure',
        `Not in order: ${failed.map(({ check }) => check).join(', ')}`,
      );
    }
  },
};

const runtime = (): Finding => {
  const { node, bun } = process.versions;
  const isOk = Number(node.split('.')[0]) >= 20;
  return { check: 'runtime', isOk, detail: bun ? `Bun ${bun}` : `Node ${node}` };
};

const storedKeys = async ({ io, warn }: Context): Promise<Finding> => {
  const check = 'stored keys';
  const profiles = openProfiles(io.env, warn);
  const paths = (await profiles.names()).map((name) => join(profiles.folder(), `${name}.json`));
  if (paths.length === 0) return { check, isOk: true, detail: 'no profiles' };
  const open: string[] = [];
  for (const path of paths) if (await isOpenToOthers(path)) open.push(path);
  return open.length === 0
    ? { check, isOk: true, detail: `only you can read ${profiles.folder()}` }
    : { check, isOk: false, detail: `others can read ${open.join(', ')}: chmod 600` };
};

const largestSkewMs = 60_000;

/** One attempt, whose answer tells all of it. */
const service = async ({ io, connection }: Context): Promise<Finding[]> => {
  const found = await connection();
  const answers: ResponseInfo[] = [];
  const startedAt = performance.now();
  const holdfast = createHoldfast({
    ...clientOptions(io.env, found),
    ...{ retries: 0, maxWaitMs: 0, onResponse: (answer) => answers.push(answer) },
  });
  const failure = await holdfast.getAccount().then(
    () => undefined,
    (error: unknown) => error,
  );
  const [answer] = answers;
  const { url } = found;
  if (answer === undefined) {
    const detail = failure instanceof Error ? failure.message : String(failure);
    return [{ check: 'service', isOk: false, detail: `no answer: ${detail}` }];
  }
  const tookMs = Math.round(performance.now() - startedAt);
  const isHoldfast = answer.requestId !== undefined && !(failure instanceof HoldfastNetworkError);
  const isWell =
    failure === undefined || (failure instanceof HoldfastError && failure.status < 500);
  const state = isWell ? `answers in ${tookMs} ms` : `fails: HTTP ${answer.status}`;
  return [
    {
      check: 'service',
      isOk: isHoldfast && isWell,
      detail: isHoldfast ? `${url} ${state}` : `${url} is not Holdfast`,
    },
    ...(isHoldfast && isWell ? [keyFinding(found, answer)] : []),
    ...clockFinding(answer),
  ];
};

const clockFinding = ({ headers }: ResponseInfo): Finding[] => {
  const skewMs = Date.parse(headers.get('date') ?? '') - Date.now();
  if (Number.isNaN(skewMs)) return [];
  const detail = `${Math.round(skewMs / 1000)} s from the service`;
  return [{ check: 'clock', isOk: Math.abs(skewMs) < largestSkewMs, detail }];
};

const keyFinding = (
  { key, keyFrom }: Connection,
  { status, rateLimit, headers }: ResponseInfo,
): Finding => {
  const check = 'key';
  if (key === undefined) return { check, isOk: false, detail: 'none: holdfast login' };
  if (status === 401) return { check, isOk: false, detail: `that of ${keyFrom} is refused` };
  if (status === 429) {
    const detail = `${keyFrom} has no requests left for ${headers.get('retry-after') ?? '?'} s`;
    return { check, isOk: false, detail };
  }
  return { check, isOk: true, detail: `${keyFrom}; ${rateLimit?.remaining ?? '?'} requests left` };
};
