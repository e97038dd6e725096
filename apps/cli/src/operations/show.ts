import type { Holdfast } from '@holdfast/sdk';
import type { CatalogOperation, JsonSchema } from '@holdfast/sdk/catalog';
import type { Context } from '../context.ts';
import { modeLine } from '../jobs/agree-to-plan.ts';
import { formatPlan, type Plan } from '../output/plan.ts';
import { formatRecord, isRecord } from '../output/record.ts';
import { formatTable } from '../output/table.ts';
import { wrap } from '../output/wrap.ts';
import type { Call } from './call.ts';
import { entrySchema } from './entry-schema.ts';
import { readPlanNames } from './plan-names.ts';

const plans = ['planRestore', 'compareBackup'];

/** What an operation answered that is no page of a list. */
export const showAnswer = async (
  context: Context,
  holdfast: Holdfast,
  operation: CatalogOperation,
  { params, body = {} }: Call,
  answer: unknown,
): Promise<void> => {
  if (!plans.includes(operation.name)) return showRecord(context, operation, answer);
  const { output } = context;
  // These operations answer with a plan.
  const plan = answer as Plan;
  if (output.isJson) return output.show(plan);
  const backup = { params: { id: params?.id ?? '', backupId: params?.backupId ?? '' } };
  const nameOf = await readPlanNames(holdfast, backup, plan);
  const mode = operation.name === 'planRestore' ? [wrap(modeLine(body), output.columns)] : [];
  return output.show(plan, () => [...mode, formatPlan(plan, { ...output, nameOf })].join('\n'));
};

export const showRecord = async (
  { output }: Context,
  operation: CatalogOperation,
  record: unknown,
): Promise<void> => {
  if (Array.isArray(record)) return showList({ output }, operation, record);
  return output.show(record, () => formatRecord(record, output));
};

export const showList = (
  { output }: Pick<Context, 'output'>,
  operation: CatalogOperation,
  rows: unknown[],
) =>
  output.show(rows, () => {
    if (rows.length === 0) return output.style.dim('Nothing here.');
    const fields = fieldsByImportance(entrySchema(operation));
    return formatTable(rows.filter(isRecord), { ...output, fields });
  });

/** What tells entries apart, then what people look for. */
const important = [
  ...['name', 'title', 'username', 'action', 'type', 'value', 'id'],
  ...['status', 'health', 'decision', 'kind', 'plan', 'displayName', 'progress', 'memberCount'],
  ...['amountCents', 'priceCents', 'totalCents', 'sizeBytes', 'createdAt', 'at'],
];

const fieldsByImportance = ({ properties = {} }: JsonSchema): string[] => {
  const simple = Object.keys(properties).filter((name) => isSimple(properties[name] ?? {}));
  const first = important.filter((name) => simple.includes(name));
  return [...first, ...simple.filter((name) => !first.includes(name))];
};

const isSimple = (schema: JsonSchema): boolean =>
  !/"(object|array)"/.test(JSON.stringify([schema.type, schema.anyOf?.map(({ type }) => type)])) &&
  schema.format !== 'uri';
