import type { Holdfast, Input } from '@holdfast/sdk';
import { type CatalogOperation, catalog, fieldsOf } from '@holdfast/sdk/catalog';
import { Refusal } from './answer.ts';
import { activeStatuses } from './jobs.ts';
import { callOperation, type OperationCall } from './operations.ts';

/** What a call is about, as it is now. */
export type Affected = {
  /** The server, rule, key, incident and so on; null where it cannot be read. */
  record: Record<string, unknown> | null;
  /** What the API says would happen, for what it can plan itself. */
  preview?: unknown;
};

export const readAffected = async (
  holdfast: Holdfast,
  operation: CatalogOperation,
  call: OperationCall,
): Promise<Affected> => {
  const record = await readRecord(holdfast, operation, call);
  const { params, body } = call;
  if (operation.name === 'restoreBackup') {
    // The same input as the restore's, which the API checks.
    const input = { params, body } as Input<'planRestore'>;
    return { record, preview: await holdfast.planRestore(input) };
  }
  if (operation.name === 'repairIncident') {
    const input = { params } as Input<'planIncidentRepair'>;
    return { record, preview: await holdfast.planIncidentRepair(input) };
  }
  if (operation.name === 'acceptHealth') {
    return { record, preview: { health: record?.health, healthReasons: record?.healthReasons } };
  }
  return { record };
};

const readsByPath = new Map(
  catalog.filter(({ method }) => method === 'GET').map((read) => [read.path, read]),
);

const isList = ({ isPaginated, outputSchema }: CatalogOperation): boolean =>
  isPaginated || outputSchema.type === 'array';

/**
 * The record at the operation's path or above it, so `/pulls/:id/cancel` is about the pull and
 * `/servers/:id/pull` about the server. What has no path of its own is looked for in its list. Above
 * everything is the account.
 */
const readRecord = async (
  holdfast: Holdfast,
  operation: CatalogOperation,
  call: OperationCall,
): Promise<Affected['record']> => {
  const { params = {}, query = {}, body = {} } = call;
  const bought = readsByPath.get('/marketplace/listings');
  if (operation.name === 'createOrder' && bought)
    return findIn(holdfast, bought, call, body.listingId);
  const queried = fieldsOf(operation.query).find(({ name }) => name.endsWith('Id'));
  let soughtId: unknown = queried && query[queried.name];
  const parts = operation.path.split('/');
  while (parts.length > 1) {
    const read = readsByPath.get(parts.join('/'));
    if (read && !isList(read)) return recordOf(await callOperation(holdfast, inputOf(read, call)));
    if (read && soughtId !== undefined) {
      const found = await findIn(holdfast, read, call, soughtId);
      if (found || operation.body) return found;
      throw new Refusal('notFound', messageOfMissing);
    }
    const part = parts.pop() ?? '';
    if (part.startsWith(':')) soughtId = params[part.slice(1)];
  }
  const { id, username, plan, subscription } = await holdfast.getAccount();
  return { id, username, plan, subscription };
};

const pageSize = 100;
const mostPages = 10;

const messageOfMissing = `There is no such record, or it is not among the newest ${pageSize * mostPages}, so that it cannot be shown. The owner can look for it in the dashboard.`;

const findIn = async (
  holdfast: Holdfast,
  list: CatalogOperation,
  call: OperationCall,
  soughtId: unknown,
): Promise<Affected['record']> => {
  for (let page = 1; page <= (list.isPaginated ? mostPages : 1); page++) {
    const query = list.isPaginated ? { query: { page, limit: pageSize } } : {};
    const answer = await callOperation(holdfast, { ...inputOf(list, call), ...query });
    const entries = entriesOf(answer);
    const found = entries.find((entry) => recordOf(entry)?.id === soughtId);
    if (found !== undefined) return recordOf(found);
    if (entries.length < pageSize) break;
  }
  return null;
};

/** Of the parameters of a call those that the read above it has. */
const inputOf = (read: CatalogOperation, { params = {} }: OperationCall): OperationCall => {
  const names = fieldsOf(read.params).map(({ name }) => name);
  const given = Object.entries(params).filter(([name]) => names.includes(name));
  return { operation: read.name, params: Object.fromEntries(given) };
};

const entriesOf = (answer: unknown): unknown[] => {
  const entries = Array.isArray(answer) ? answer : recordOf(answer)?.data;
  return Array.isArray(entries) ? entries : [];
};

const recordOf = (value: unknown): Affected['record'] =>
  typeof value === 'object' && value !== null ? { ...value } : null;

/** Counts, progress, health and proofs: they change by themselves, and do not change what is meant. */
const restless = {
  record: [
    ...['_count', 'memberCount', 'salesCount', 'lastUsedAt'],
    ...['connection', 'connectedAt', 'intents'],
    ...['progress', 'processed', 'total', 'results', 'steps', 'etaSeconds'],
    ...['startedAt', 'resumesAt', 'safetyBackupId', 'warnings', 'notes'],
    ...['restorable', 'provedAt', 'verifiedAt', 'storedBytes'],
    ...['health', 'healthReasons', 'lastGoodBackupId'],
  ],
  preview: ['calls', 'estimatedSeconds'],
};

/** What must be the same when the plan is carried out as when it was shown. */
export const lastingPart = ({ record, preview }: Affected): Affected => ({
  record: without(restless.record, record),
  preview: without(restless.preview, recordOf(preview)),
});

const without = (names: string[], record: Affected['record']): Affected['record'] => {
  const fields = Object.entries(record ?? {}).filter(([name]) => !names.includes(name));
  const isActive = activeStatuses.some((status) => status === record?.status);
  return record && { ...Object.fromEntries(fields), ...(isActive && { status: 'under way' }) };
};
