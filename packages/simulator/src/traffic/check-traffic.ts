import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { LogRow } from '../platform/http/request-log.ts';
import { asDescribed } from './as-described.ts';
import {
  type DescribedOperation,
  type Description,
  pointerTo,
  readDescription,
} from './description.ts';

/** The rows of the request log that this needs. `answer` is missing where a fault answered. */
type TrafficRow = Pick<LogRow, 'method' | 'path' | 'body' | 'status' | 'answer'>;

/** Tests of the simulator send wrong requests on purpose. */
type Checked = 'both' | 'answers';

const JSON_TYPE = 'application/json';

/** The description leaves these out. */
const undescribed = /^\/oauth2\/(token|authorize)/;

/**
 * Checks requests and answers against the platform's own OpenAPI description, given as a file or an
 * address: known route and query, body and answer of the right form, no field in a request that the
 * platform does not know. Gives a sentence for each kind of mistake. Refused requests may be wrong.
 */
export const createTrafficCheck = async (source: string, checked: Checked = 'both') => {
  const description = await readDescription(source);
  const check = createBodyCheck(description);
  return (rows: TrafficRow[]): string[] => {
    const problems = new Set<string>();
    for (const row of rows) {
      const { pathname, searchParams } = new URL(row.path, 'http://platform');
      if (undescribed.test(pathname)) continue;
      const name = `${row.method} ${withoutIds(pathname)}`;
      const described = description.find(row.method, pathname);
      const isRefused = row.status === null || row.status >= 400;
      const isFree = isRefused || checked === 'answers';
      if (!described) {
        if (!isRefused) problems.add(`${name} is not in the description`);
        continue;
      }
      const asked = isFree
        ? []
        : [...checkQuery(described, searchParams), ...checkRequest(check, described, row)];
      for (const problem of [...asked, ...checkAnswer(check, described, row)]) {
        problems.add(`${name} ${problem}`);
      }
    }
    return [...problems].sort();
  };
};

const withoutIds = (path: string): string =>
  path.replace(/\d{5,}/g, ':id').replace(/^(\/webhooks\/:id)\/[^/]+/, '$1/:token');

type BodyCheck = ReturnType<typeof createBodyCheck>;

const createBodyCheck = ({ document }: Description) => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, coerceTypes: false });
  addFormats.default(ajv);
  ajv.addFormat('snowflake', /^(0|[1-9]\d*)$/);
  ajv.addFormat('nonce', true);
  ajv.addSchema(document, 'platform');
  const validators = new Map<string, ValidateFunction>();
  return (pointer: string, value: unknown, extra: object = {}): string[] => {
    const schema = { $ref: `platform#${pointer}`, ...extra };
    const validator = validators.get(pointer) ?? ajv.compile(schema);
    validators.set(pointer, validator);
    return validator(value) ? [] : summarize(validator.errors ?? []);
  };
};

/** Of alternatives that all fail, each tells of its own: the deepest ones are nearest to the fault. */
const summarize = (errors: ErrorObject[]): string[] => {
  const depthOf = ({ instancePath }: ErrorObject) => instancePath.split('/').length;
  const deepest = Math.max(...errors.map(depthOf));
  const texts = errors
    .filter((error) => depthOf(error) === deepest && error.keyword !== 'anyOf')
    .map(({ instancePath, message, params }) => {
      const path = instancePath.replace(/\/\d+/g, '/*');
      return `${path} ${message} ${JSON.stringify(params)}`;
    });
  return [...new Set(texts)].slice(0, 4);
};

/** Names only: every value of a query is text. */
const checkQuery = ({ queryParameters }: DescribedOperation, query: URLSearchParams): string[] => {
  const known = queryParameters.map(({ name }) => name);
  const unknown = [...query.keys()].filter((name) => !known.includes(name));
  const missing = queryParameters.filter(({ name, required }) => required && !query.has(name));
  return [
    ...unknown.map((name) => `query ${name} is not in the description`),
    ...missing.map(({ name }) => `query ${name} is missing`),
  ];
};

const checkRequest = (
  check: BodyCheck,
  { operation, pointer }: DescribedOperation,
  { method, body }: TrafficRow,
): string[] => {
  const types = Object.keys(operation.requestBody?.content ?? {});
  // No body is as good as an empty one.
  const sent = asDescribed(method === 'GET' ? {} : (body ?? {}), 'request');
  if (types.length === 0) return isEmpty(sent) ? [] : ['has a body, which is not described'];
  const { type, value } = contentOf(types, sent);
  const at = pointer + pointerTo('requestBody', 'content', type, 'schema');
  // The platform ignores what it does not know: a request that says so has a mistake in it.
  const isExact = Array.isArray(value) ? {} : { unevaluatedProperties: false };
  return check(at, value, isExact).map((problem) => `request${problem}`);
};

const isEmpty = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Object.keys(body).length === 0;

/** A form carries its fields in one part as JSON, or one by one beside its file. */
const contentOf = (types: string[], body: unknown): { type: string; value: unknown } => {
  const fields = Object(body);
  const type = types.includes(JSON_TYPE) ? JSON_TYPE : (types[0] ?? JSON_TYPE);
  if ('payload_json' in fields) return { type, value: fields.payload_json };
  if (type === JSON_TYPE) return { type, value: body };
  // The log keeps name and size of a file where the description has its bytes.
  const parts = Object.entries(fields).map(([name, part]) => [name, Object(part).filename ?? part]);
  return { type, value: Object.fromEntries(parts) };
};

const checkAnswer = (
  check: BodyCheck,
  { operation, pointer }: DescribedOperation,
  { status, answer }: TrafficRow,
): string[] => {
  // The connection was cut, a fault answered, or the platform itself failed.
  if (status === null || status >= 500 || answer === undefined) return [];
  const { responses } = operation;
  const key = [String(status), `${String(status)[0]}XX`, 'default'].find((one) => one in responses);
  if (key === undefined) return [`answers ${status}, which is not described`];
  const response = responses[key];
  const types = response?.$ref ? [JSON_TYPE] : Object.keys(response?.content ?? {});
  if (types.length === 0) return answer === null ? [] : [`answers ${status} with a body`];
  // Text, such as a list as CSV, has no form to check.
  if (!types.includes(JSON_TYPE)) return [];
  const base = response?.$ref?.slice(1) ?? pointer + pointerTo('responses', key);
  const at = base + pointerTo('content', JSON_TYPE, 'schema');
  return check(at, asDescribed(answer, 'answer')).map((problem) => `answer ${status}${problem}`);
};
