/** Values that an attacker sends. */
export const hostileValues: unknown[] = [
  null,
  0,
  -1,
  1e308,
  Number('12345678901234567890'),
  true,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\u202e\u2066',
  '{{7*7}}<img src=x onerror=alert(1)>',
  "'; drop table accounts; --",
  '\r\nX-Injected: 1',
  '99999999999999999999999999',
  '🦭'.repeat(100),
  'a'.repeat(100_000),
  [],
  [[[]]],
  ['*'],
  [null],
  {},
  { __proto__: { admin: true } },
  { constructor: { prototype: { admin: true } } },
  { toString: 'x', valueOf: 'y' },
];

const queryValues = [
  '',
  '%00',
  '%ED%A0%80',
  '%ZZ',
  '%',
  '-1',
  '1e3',
  '0x10',
  'NaN',
  '9'.repeat(400),
];

/** Queries over the endpoint's own parameters and over names it does not know. */
export const hostileQueries = (names: string[]): string[] => [
  ...[...names, 'unknown'].flatMap((name) => [
    ...queryValues.map((value) => `${name}=${value}`),
    `${name}=1&${name}=2`,
    `${name}[]=1`,
  ]),
  '%00=1',
  '__proto__=1&__proto__=2',
  'a=1&a=1',
  '&&&===',
];

const deep = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const json = { 'content-type': 'application/json' };

/** Bodies that are wrong before any field is looked at. */
type HostileBody = {
  raw: BodyInit;
  headers: Record<string, string>;
  /** Well-formed, though absurd: fine where no field is needed. */
  isObject?: true;
};

export const hostileBodies: HostileBody[] = [
  // No bytes are no body, whatever the type says: as good as an empty object.
  { raw: '', headers: json, isObject: true },
  { raw: '{', headers: json },
  { raw: '[]', headers: json },
  { raw: 'null', headers: json },
  { raw: '"text"', headers: json },
  { raw: '42', headers: json },
  { raw: '{"a":1}{"b":2}', headers: json },
  { raw: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), headers: json },
  { raw: '{"\\u0000":1}', headers: json },
  { raw: '{"unknown":"\\ud800"}', headers: json },
  { raw: '{"unknown":{"deep":["\\u0000"]}}', headers: json },
  { raw: deep(100_000), headers: json, isObject: true },
  { raw: `{"a":"${'x'.repeat(256 * 1024)}"}`, headers: json },
  { raw: '{}', headers: { 'content-type': 'text/plain' } },
  { raw: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } },
  { raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  { raw: Bun.gzipSync('{}'), headers: { ...json, 'content-encoding': 'gzip' } },
];
