import type { Bench } from '../lib/environment.ts';
import { milliseconds, print, printTable, verdict } from '../lib/print.ts';
import type { Listener } from '../lib/processes.ts';
import { median } from '../lib/statistics.ts';
import { startReference } from './listener.ts';
import { forgetNewcomers } from './queries.ts';
import { measureRound, type Round, type Target } from './rounds.ts';
import { type Door, walkToPlatform } from './server.ts';
import { countWork, describeWork } from './work.ts';

const goal = 0.5;
const size = { newcomers: 640, together: 16 };
/** The runtime goes on compiling for some seconds of load. */
const warmUpRounds = 6;
const rounds = 12;
const counting = { newcomers: 40, together: 1 };

type Targets = { service: Target; reference: Target; alone: Target };
type Seen = Record<keyof Targets, Round[]>;

/** How many newcomers a second come back from the platform, beside a server that does only that. */
export const measureCallbacks = async (bench: Bench, server: Door): Promise<void> => {
  const { platformUrl } = await walkToPlatform(bench, server);
  const reference = await startReference({
    DATABASE_URL: bench.databaseUrl,
    PLATFORM_URL: `${platformUrl}/api/v10`,
    CLIENT_SECRET: server.clientSecret,
  });
  try {
    const targets = targetsOf(bench.service, reference);
    print('verification: callbacks, one after another');
    await compareWork(bench, server, targets, platformUrl);
    print(`\nverification: ${size.together} newcomers at a time, ${rounds} alternating rounds of \
${size.newcomers} callbacks`);
    report(targets, await measureAll(bench, server, targets));
  } finally {
    await reference.stop();
    await forgetNewcomers(bench.sql, server.id);
  }
};

const targetsOf = (service: Listener, reference: Listener): Targets => ({
  service: { ...service, name: 'service', path: '/verify/callback' },
  reference: { ...reference, name: 'reference', path: '/callback' },
  alone: { ...reference, name: 'reference, no platform', path: '/callback-alone' },
});

/** Sides with different numbers of statements or calls are not compared. */
const compareWork = async (
  bench: Bench,
  server: Door,
  { service, reference }: Targets,
  platformUrl: string,
): Promise<void> => {
  const count = (target: Target, application: string) =>
    countWork(bench, { platformUrl, application, callbacks: counting.newcomers }, (begin) =>
      measureRound(bench, server, target, counting, begin),
    );
  const ofService = describeWork(await count(service, 'holdfast'));
  const ofReference = describeWork(await count(reference, 'reference'));
  print(`  service    ${ofService}\n  reference  ${ofReference}`);
  if (ofService !== ofReference) throw new Error('The reference does not do what the service does');
};

const measureAll = async (bench: Bench, server: Door, targets: Targets): Promise<Seen> => {
  const seen: Seen = { service: [], reference: [], alone: [] };
  for (let i = 0; i < warmUpRounds + rounds; i++) {
    for (const name of ['service', 'reference', 'alone'] as const) {
      const round = await measureRound(bench, server, targets[name], size);
      if (i >= warmUpRounds) seen[name].push(round);
    }
  }
  return seen;
};

const report = (targets: Targets, seen: Seen): void => {
  const rowOf = (name: keyof Targets) => {
    const middle = (part: keyof Round) => median(seen[name].map((round) => round[part]));
    return [
      targets[name].name,
      middle('perSecond').toFixed(0),
      milliseconds(middle('p50')),
      milliseconds(middle('p99')),
      `${middle('processorUs').toFixed(0)} µs`,
    ];
  };
  printTable(
    ['', 'callbacks/s', 'p50', 'p99', 'processor/callback'],
    [rowOf('service'), rowOf('reference'), rowOf('alone')],
  );
  const ratioOf = (part: keyof Round) =>
    median(seen.service.map((round, i) => round[part] / (seen.reference[i]?.[part] ?? 0)));
  const ratio = ratioOf('perSecond');
  print(`  throughput ratio ${ratio.toFixed(2)}, goal ≥ ${goal}: ${verdict(ratio >= goal)}`);
  print(`  processor ratio ${ratioOf('processorUs').toFixed(2)}\n`);
};
