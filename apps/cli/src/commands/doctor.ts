import { stat } from 'node:fs/promises';
import { keysFile } from '../auth/key-store.ts';
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

/** Only where keys are in a file. */
const storedKeys = async ({ io }: Context): Promise<Finding> => {
  const path = keysFile(io.env);
  const mode = await stat(path).then(
    (file) => file.mode & 0o777,
    () => undefined,
  );
  const check = 'stored keys';
  if (mode === undefined) return { check, isOk: true, detail: 'none in a file' };
  const isOk = (mode & 0o077) === 0;
  const detail = isOk ? `only you can read ${path}` : `others can read ${path}: chmod 600 it`;
  return { check, isOk, detail };
};

const largestSkewMs = 60_000;

const service = async (context: Context): Promise<Finding[]> => {
  const { url, key, keyFrom } = await context.connection();
  const address = new URL('/api/v1/account', url);
  const headers = { accept: 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(15_000);
  const answer = await fetch(address, { headers, redirect: 'error', signal }).catch(reasonOf);
  if (typeof answer === 'string') {
    return [{ check: 'service', isOk: false, detail: `${url} does not answer: ${answer}` }];
  }
  const tookMs = Math.round(performance.now() - startedAt);
  const isHoldfast = answer.headers.has('x-request-id');
  const skewMs = Date.parse(answer.headers.get('date') ?? '') - Date.now();
  const left = answer.headers.get('x-ratelimit-remaining');
  return [
    {
      check: 'service',
      isOk: isHoldfast && answer.status < 500,
      detail: isHoldfast ? `${url} answers in ${tookMs} ms` : `${url} is not Holdfast`,
    },
    keyFinding(key, keyFrom, answer.status, left),
    ...(Number.isNaN(skewMs)
      ? []
      : [
          {
            check: 'clock',
            isOk: Math.abs(skewMs) < largestSkewMs,
            detail: `${Math.round(skewMs / 1000)} s from the service`,
          },
        ]),
  ];
};

const keyFinding = (
  key: string | undefined,
  keyFrom: string,
  status: number,
  left: string | null,
): Finding => {
  const check = 'key';
  if (key === undefined) return { check, isOk: false, detail: 'none: holdfast login' };
  if (status === 401) return { check, isOk: false, detail: `that of ${keyFrom} is refused` };
  return { check, isOk: true, detail: `${keyFrom}; ${left ?? '?'} requests left for now` };
};

const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
};
