import { expect, test } from 'bun:test';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { createMetricsMerger } from './merge-metrics.ts';
import { metricsShape } from './messages.ts';

const openProcess = (pid: number) => {
  const registry = new Registry();
  const registers = [registry];
  const counter = new Counter({
    name: 'acts_total',
    help: 'acts',
    labelNames: ['kind'],
    registers,
  });
  const gauge = new Gauge({ name: 'open', help: 'open', registers });
  const histogram = new Histogram({ name: 'seconds', help: 's', buckets: [1, 5], registers });
  const read = async () => metricsShape.parse(await registry.getMetricsAsJSON());
  const collect = async () => ({ pid, metrics: await read() });
  return { pid, counter, gauge, histogram, collect };
};

/** Each line of a metric, without its comments. */
const linesOf = (text: string) => text.split('\n').filter((line) => line && !line.startsWith('#'));

test('what processes counted is added up, and what one counted stays when it ends', async () => {
  const [one, other] = [openProcess(1), openProcess(2)];
  const merger = createMetricsMerger();
  one.counter.inc({ kind: 'a' }, 2);
  one.gauge.set(5);
  one.histogram.observe(3);
  other.counter.inc({ kind: 'a' }, 3);
  other.counter.inc({ kind: 'b' });
  other.gauge.set(7);
  other.histogram.observe(0.5);
  await merger.collect([one, other]);
  const both = [
    'acts_total{kind="a"} 5',
    'acts_total{kind="b"} 1',
    'open 12',
    'seconds_bucket{le="1"} 1',
    'seconds_bucket{le="5"} 2',
    'seconds_bucket{le="+Inf"} 2',
    'seconds_sum 3.5',
    'seconds_count 2',
  ];
  expect(linesOf(await merger.read([]))).toEqual(both);
  merger.noteEnd(other.pid);
  const left = both.map((line) => (line === 'open 12' ? 'open 5' : line));
  expect(linesOf(await merger.read([])).toSorted()).toEqual(left.toSorted());
});

test('many ends leave their sums, too', async () => {
  const merger = createMetricsMerger();
  for (let pid = 1; pid <= 30; pid++) {
    const process = openProcess(pid);
    process.counter.inc({ kind: 'a' }, 2);
    await merger.collect([process]);
    merger.noteEnd(pid);
    expect(linesOf(await merger.read([]))).toContain(`acts_total{kind="a"} ${2 * pid}`);
  }
});

test('one that ends while another is waited for is counted once', async () => {
  const [one, slow] = [openProcess(1), openProcess(2)];
  const merger = createMetricsMerger();
  one.counter.inc({ kind: 'a' }, 2);
  one.gauge.set(5);
  await merger.collect([one, slow]);
  const answer = Promise.withResolvers<undefined>();
  const collecting = merger.collect([one, { collect: () => answer.promise }]);
  await Bun.sleep(1);
  merger.noteEnd(one.pid);
  answer.resolve(undefined);
  await collecting;
  const lines = linesOf(await merger.read([]));
  expect(lines).toContain('acts_total{kind="a"} 2');
  expect(lines).toContain('open 0');
});
