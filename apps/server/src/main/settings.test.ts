import { describe, expect, test } from 'bun:test';
import { Hono } from 'hono';
import type { HttpEnv } from '../http/context.ts';
import { serveHttp } from '../http/serve.ts';
import { readConfig } from './config.ts';
import { adviseOnNode } from './node-advice.ts';

const refusalOf = (env: Record<string, string>): string => {
  try {
    readConfig(env);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'none';
};

describe('a setting is refused', () => {
  test.each([
    'https://holdfast.example/app',
    'https://holdfast.example/?a=b',
    'https://holdfast.example/#top',
    'https://user@holdfast.example',
  ])('when BASE_URL is more than an origin: %s', (url) => {
    expect(refusalOf({ BASE_URL: url })).toMatch(/no path, no query[\s\S]*BASE_URL/);
  });

  test.each(['prodution', 'Production', 'staging'])('when NODE_ENV is %s', (mode) => {
    expect(refusalOf({ NODE_ENV: mode })).toMatch(/"production"[\s\S]*NODE_ENV/);
  });

  test('when one key of the captcha provider comes without the other, in production too', () => {
    const lone = { CAPTCHA_SITE_KEY: 'site' };
    expect(refusalOf(lone)).toMatch(/^CAPTCHA_SECRET is missing: /);
    expect(refusalOf({ CAPTCHA_SECRET: 'hidden' })).toMatch(/^CAPTCHA_SITE_KEY is missing: /);
    expect(refusalOf({ CAPTCHA_SECRET: 'hidden' })).not.toContain('hidden');
    expect(refusalOf({ ...lone, NODE_ENV: 'production' })).toContain('CAPTCHA_SECRET is missing');
  });

  test('when DATABASE_REPLICA_URL is not the address of one standby of a database that is given', () => {
    const replica = 'postgres://reader:hidden@standby.example/holdfast';
    const database = { DATABASE_URL: 'postgres://owner@database.example/holdfast' };
    const wrong: [Record<string, string>, string][] = [
      [{ DATABASE_REPLICA_URL: replica }, 'DATABASE_URL is missing'],
      [{ ...database, DATABASE_REPLICA_URL: replica.replace('/hold', ',other/hold') }, 'one host'],
      [
        { ...database, DATABASE_REPLICA_URL: `${replica}?target_session_attrs=standby` },
        'target_session_attrs is not supported',
      ],
      [{ ...database, DATABASE_REPLICA_URL: replica.replace('postgres', 'mysql') }, 'URL'],
    ];
    for (const [env, why] of wrong) {
      expect(refusalOf(env)).toContain(why);
      expect(refusalOf(env)).not.toContain('hidden');
    }
    expect(refusalOf({ ...database, DATABASE_REPLICA_URL: replica })).toBe('none');
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a-hidden-word'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=a-hidden-word%'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ])('when %s is %s, without its value', (name, value) => {
    expect(refusalOf({ [name]: value })).toContain(`at ${name}`);
    expect(refusalOf({ [name]: value })).not.toContain('hidden');
  });

  test('together with all others that are wrong', () => {
    const message = refusalOf({
      PORT: 'http',
      BASE_URL: 'https://holdfast.example/app',
      CAPTCHA_SITE_KEY: 'site',
      PLATFORM_CLIENT_ID: '1',
    });
    for (const name of ['PORT', 'BASE_URL', 'CAPTCHA_SECRET', 'PLATFORM_CLIENT_SECRET']) {
      expect(message).toContain(name);
    }
  });
});

test('settings that are right are taken', () => {
  for (const url of ['https://holdfast.example', 'http://localhost:3000/', 'http://[::1]:8080']) {
    expect(readConfig({ BASE_URL: url }).baseUrl).toBe(url.replace(/\/$/, ''));
  }
  expect(refusalOf({ CAPTCHA_SITE_KEY: 'site', CAPTCHA_SECRET: 'secret' })).toBe('none');
  expect(refusalOf({ NODE_ENV: 'development' })).toBe('none');
});

test('traces are sent where a collector is named, unless they are switched off', () => {
  const root = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318/' };
  expect(readConfig({}).tracing).toBeUndefined();
  expect(readConfig({ ...root, OTEL_SDK_DISABLED: 'true' }).tracing).toBeUndefined();
  expect(readConfig(root).tracing).toMatchObject({
    url: 'http://collector.example:4318/v1/traces',
    sampledShare: 1,
    resourceAttributes: { 'service.name': 'holdfast' },
  });
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces.example/in' };
  const named = { OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,x=b%20c', OTEL_SERVICE_NAME: 'd' };
  const share = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
  expect(readConfig({ ...root, ...own, ...named, ...share }).tracing).toMatchObject({
    url: 'http://traces.example/in',
    sampledShare: 0.25,
    resourceAttributes: { 'service.name': 'd', x: 'b c' },
  });
});

test('a port that is taken is named', async () => {
  const app = new Hono<HttpEnv>();
  const first = serveHttp(app, { host: '127.0.0.1', port: 0 });
  const port = Number(new URL(first.url).port);
  expect(() => serveHttp(app, { host: '127.0.0.1', port })).toThrow(
    `Port ${port} is in use by another program: set PORT to a free one`,
  );
  await first.stop();
});

test('an older Node than 22 is told what would be better, any other nothing', () => {
  expect(adviseOnNode('npm/11.19.1 node/v20.20.2 linux arm64 workspaces/false')).toContain(
    'Node 22 or later',
  );
  expect(adviseOnNode('npm/11.19.1 node/v22.1.0 linux x64')).toBeUndefined();
  expect(adviseOnNode(undefined)).toBeUndefined();
});

test('earnings clear after seven days, and at once where the service is only tried out', () => {
  const real = { PLATFORM_CLIENT_ID: '1', PLATFORM_CLIENT_SECRET: 'hidden' };
  const daysOf = (env: Record<string, string>) => readConfig(env).billing.earningsClearDays;
  expect(daysOf({})).toBe(0);
  expect(daysOf(real)).toBe(7);
  expect(daysOf({ ...real, EARNINGS_CLEAR_DAYS: '0' })).toBe(0);
  expect(daysOf({ EARNINGS_CLEAR_DAYS: '30' })).toBe(30);
  expect(refusalOf({ EARNINGS_CLEAR_DAYS: '-1' })).toContain('EARNINGS_CLEAR_DAYS');
});
