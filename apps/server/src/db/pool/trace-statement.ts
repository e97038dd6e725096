import { type Attributes, currentSpan, failureOf } from '../../kernel/tracing.ts';

/** Ended at most once, with the error of the statement if it failed. */
type EndStatement = (error?: unknown) => void;

/** Only within a trace: what the process asks by itself, such as for due jobs, would be most of all. */
export const startStatement = (statement: string): EndStatement | undefined => {
  const above = currentSpan();
  if (!above) return undefined;
  const { name, attributes } = describe(statement);
  const span = above.startChild({ name, kind: 'client', attributes });
  return span && ((error) => span.end(error === undefined ? undefined : failureOf(error)));
};

/** Texts of statements; lists of values make more of them than are worth remembering. */
const described = new Map<string, { name: string; attributes: Attributes }>();
const mostDescribed = 2000;
const longestText = 1000;

const describe = (statement: string) => {
  const known = described.get(statement);
  if (known) return known;
  const { operation, table } = partsOf(statement);
  const name = table === undefined ? operation : `${operation} ${table}`;
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    ...(table !== undefined && { 'db.collection.name': table }),
    'db.query.summary': name,
    'db.query.text': withoutValues(statement),
  };
  if (described.size >= mostDescribed) described.clear();
  described.set(statement, { name, attributes });
  return { name, attributes };
};

/** A function, which has a bracket behind its name, is none; the columns of an insert stand in one. */
const tables = /\b(?:into\s+([\w".]+)|(?:from|update)\s+(?!set\b)([\w".]+)(?![\w".]|\s*\())/gi;

/** What a person calls it: what is done, and to which table; not one of a subquery, if there is another. */
const partsOf = (statement: string): { operation: string; table: string | undefined } => {
  const [first] = [...statement.matchAll(tables)]
    .map(({ 1: written, 2: read, index }) => ({
      table: (written ?? read)?.replaceAll('"', ''),
      depth: depthAt(statement, index),
    }))
    .toSorted((a, b) => a.depth - b.depth);
  const operation = (/[a-z]+/i.exec(statement)?.[0] ?? 'statement').toUpperCase();
  return { operation, table: first?.table };
};

const depthAt = (statement: string, index: number): number => {
  const before = statement.slice(0, index);
  return before.split('(').length - before.split(')').length;
};

/** Values are parameters; the few that stand in a statement are left out all the same. */
const withoutValues = (statement: string): string =>
  statement
    .replace(/'(?:[^']|'')*'/g, '?')
    .replace(/(?<![\w$."])\d+(\.\d+)?\b/g, '?')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, longestText);
